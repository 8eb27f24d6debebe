//! The target file that `payout-devdata target` wrote, adapted to another copy of the data set. It
//! is read as TOML, changed by name, and written again.

use std::path::Path;

use toml::{Table, Value};

use crate::Result;

/// The feature of links that expire while the suite waits.
const SHORT_LINKS: &str = "short_links";
/// The feature of a deployment whose values are those of the data set.
const SEEDED: &str = "seeded";

#[derive(Clone, Debug)]
pub(super) struct Target(Table);

impl Target {
    pub(super) fn parse(text: &str) -> Result<Self> {
        Ok(Self(text.parse()?))
    }

    pub(super) fn at(mut self, base_url: &str) -> Self {
        self.0.insert("base_url".to_owned(), base_url.into());
        self
    }

    pub(super) fn with_short_links(mut self) -> Result<Self> {
        let features = self.0.get_mut("features").and_then(Value::as_array_mut);
        let features = features.ok_or("the target file has no features")?;
        features.push(SHORT_LINKS.into());
        Ok(self)
    }

    /// With the copy's data folder in place of the seeded one in the hooks' commands.
    pub(super) fn in_folder(mut self, seeded: &Path, folder: &Path) -> Result<Self> {
        let (seeded, folder) = (seeded.display().to_string(), folder.display().to_string());
        let hooks = self.0.get_mut("hooks").and_then(Value::as_table_mut);
        let hooks = hooks.ok_or("the target file has no hooks")?;
        let commands = hooks.iter_mut().filter_map(|(_, hook)| hook.as_array_mut());
        let mut found = false;
        for word in commands.flatten() {
            if word.as_str() == Some(&seeded) {
                *word = folder.clone().into();
                found = true;
            }
        }
        if found {
            Ok(self)
        } else {
            Err("the target file has no hook with the data folder".into())
        }
    }

    /// Without the feature of a deployment that holds the data set.
    pub(super) fn without_seeded(mut self) -> Self {
        if let Some(features) = self.0.get_mut("features").and_then(Value::as_array_mut) {
            features.retain(|feature| feature.as_str() != Some(SEEDED));
        }
        self
    }

    pub(super) fn without_fixtures(mut self) -> Self {
        for name in ["fixtures", "hooks", "features"] {
            self.0.remove(name);
        }
        self
    }

    pub(super) fn text(&self) -> Result<String> {
        Ok(toml::to_string(&self.0)?)
    }
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

    fn seeded() -> Target {
        Target::parse(FILE).unwrap()
    }

    #[test]
    fn copy_differs_in_address_folder_and_feature_alone() {
        let copy = seeded().at("http://127.0.0.1:4");
        let copy = copy.with_short_links().unwrap();
        let copy = copy.in_folder(Path::new("/tmp/seeded"), Path::new("/tmp/copy"));
        let expected = FILE
            .replace("127.0.0.1:1", "127.0.0.1:4")
            .replace("/tmp/seeded", "/tmp/copy")
            .replace("\"links_local\"", "\"links_local\", \"short_links\"");
        let copy = copy.unwrap().text().unwrap();
        assert_eq!(copy.parse::<Table>(), expected.parse::<Table>());
    }

    #[test]
    fn unseeded_file_differs_in_that_feature_alone() {
        let unseeded = seeded().without_seeded().text().unwrap();
        let expected = FILE.replace("\"seeded\", ", "");
        assert_eq!(unseeded.parse::<Table>(), expected.parse::<Table>());
    }

    #[test]
    fn without_fixtures_only_address_and_keys_are_told() {
        let bare = seeded().without_fixtures().text().unwrap();
        let names: Vec<String> = bare.parse::<Table>().unwrap().keys().cloned().collect();
        assert_eq!(names, ["base_url", "keys", "name", "profile"]);
    }

    #[test]
    fn file_of_another_form_is_refused() {
        let other = || Target::parse("name = \"x\"").unwrap();
        assert!(other().with_short_links().is_err());
        let (seeded_folder, folder) = (Path::new("/tmp/other"), Path::new("/tmp/copy"));
        assert!(other().in_folder(seeded_folder, folder).is_err());
        assert!(seeded().in_folder(seeded_folder, folder).is_err());
        assert!(Target::parse("name").is_err());
    }
}
