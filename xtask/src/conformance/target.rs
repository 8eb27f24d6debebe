//! The target file that `payout-devdata target` wrote, adapted to how a server is started.

use toml::{Table, Value};

use super::test_bed::Setting;
use crate::Result;

/// The feature of links that expire while the suite waits.
const SHORT_LINKS: &str = "short_links";
/// The feature of a deployment whose values are those of the data set.
const SEEDED: &str = "seeded";

/// The text of the target file for a server with this setting.
pub(super) fn adapt(text: &str, setting: &Setting) -> Result<String> {
    let mut target: Table = text.parse()?;
    let features = target.get_mut("features").and_then(Value::as_array_mut);
    let features = features.ok_or("the target file has no features")?;
    features.retain(|feature| !(setting.is_unseeded && feature.as_str() == Some(SEEDED)));
    features.push(SHORT_LINKS.into());
    if setting.without_fixtures {
        target.retain(|name, _| !["fixtures", "hooks", "features"].contains(&name));
    }
    target.extend(setting.profile.iter().map(|profile| ("profile".to_owned(), profile[..].into())));
    Ok(toml::to_string(&target)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"
# Written by payout-devdata.
name = "payout-server with the data set"
base_url = "http://127.0.0.1:1"
profile = "core"
features = ["seeded", "links_local"]

[keys]
all = "PAYOUT_KEY_MAIN_ALL"

[fixtures]
payout = "pay_1"
lines_to_detach = ["cln_1", "cln_2"]

[hooks]
set_note = ["/bin/payout-server", "--data-dir", "/tmp/seeded", "payouts", "{payout}", "{note}"]
timeout_seconds = 30
"#;

    fn adapted(setting: Setting) -> Table {
        adapt(FILE, &setting).unwrap().parse().unwrap()
    }

    #[test]
    fn file_differs_in_its_features_alone() {
        let table = |features| -> Table {
            FILE.replace(r#"["seeded", "links_local"]"#, features).parse().unwrap()
        };
        let expected = table(r#"["seeded", "links_local", "short_links"]"#);
        assert_eq!(adapted(Setting::default()), expected);
        let unseeded = Setting { is_unseeded: true, ..Setting::default() };
        assert_eq!(adapted(unseeded), table(r#"["links_local", "short_links"]"#));
    }

    #[test]
    fn file_without_fixtures_has_address_and_keys_alone() {
        let bare = adapted(Setting { without_fixtures: true, ..Setting::default() });
        let names: Vec<&String> = bare.keys().collect();
        assert_eq!(names, ["base_url", "keys", "name", "profile"]);
    }

    #[test]
    fn file_has_the_chosen_profile() {
        let setting = Setting { profile: Some("extended".to_owned()), ..Setting::default() };
        assert_eq!(adapted(setting)["profile"].as_str(), Some("extended"));
    }

    #[test]
    fn file_of_another_form_is_an_error() {
        assert!(adapt("name = \"x\"", &Setting::default()).is_err());
        assert!(adapt("name", &Setting::default()).is_err());
    }
}
