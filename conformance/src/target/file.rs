//! The target file: what a deployment's owner says about it, in TOML. Unknown fields are rejected,
//! as a misspelt fixture would silently skip its cases.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use regex::Regex;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, de::Error as _};

use super::{
    base_url::BaseUrl,
    commands::Commands,
    feature::Feature,
    fixtures::Fixtures,
    hooks::Hooks,
    keys::{KeyVariables, Keys},
    limits::{Budget, Pace, Tls},
    profiles::Profiles,
};
use crate::{
    secret::Redaction,
    toml_file::{self, Fault, line_of},
};

const NAME_LIMIT_CHARACTERS: usize = 100;
/// Keys of either environment (A1).
const KEY_PATTERN: &str = "pcp_(live|test)_[A-Za-z0-9]";

/// A deployment of the Partner and Commission Payout API, to be tested by payout-conformance.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "A target file of payout-conformance")]
pub(crate) struct TargetFile {
    /// The deployment's name in reports.
    #[serde(deserialize_with = "name")]
    #[schemars(length(min = 1, max = NAME_LIMIT_CHARACTERS))]
    pub(crate) name: String,
    /// Its address: http or https, host, perhaps a port and a path; without `/api/v1`, with which
    /// every path of the API begins.
    pub(crate) base_url: BaseUrl,
    /// The capabilities that it has, of those that the document lists in `x-profiles`; `core`
    /// always. Default: all.
    #[serde(default)]
    pub(crate) profiles: Profiles,
    /// Features that only its owner knows about. Default: none.
    #[serde(default)]
    pub(crate) features: BTreeSet<Feature>,
    /// Keys by role, as names of environment variables.
    #[serde(default)]
    pub(crate) keys: KeyVariables,
    /// What is in it.
    #[serde(default)]
    pub(crate) fixtures: Fixtures,
    /// Commands of its owner for what no request of the API can do.
    #[serde(default)]
    pub(crate) hooks: Commands,
    /// Where a run stops.
    #[serde(default)]
    pub(crate) budget: Budget,
    /// How fast a run sends requests.
    #[serde(default)]
    pub(crate) pace: Pace,
    /// How a run checks the server's identity.
    #[serde(default)]
    pub(crate) tls: Tls,
    #[serde(skip)]
    folder: PathBuf,
}

impl TargetFile {
    pub(crate) fn read(path: &Path) -> Result<Self, String> {
        let read_error = |error| {
            format!(
                "the target file {} cannot be read: {error}\nStart from a copy of \
                 conformance/targets/example.toml, which explains every field.",
                path.display()
            )
        };
        let text = toml_file::read_text(path).map_err(read_error)?;
        let whole = std::path::absolute(path).map_err(read_error)?;
        let mut file = Self::parse(&text, path)?;
        file.folder = whole.parent().unwrap_or(Path::new("/")).to_owned();
        Ok(file)
    }

    /// The keys, from the variables that the file names.
    pub(crate) fn keys(
        &self,
        environment: impl Fn(&str) -> Option<String>,
    ) -> Result<Keys, String> {
        Keys::read(&self.keys, environment).map_err(|faults| faults.join("\n"))
    }

    /// The operator hooks. `redaction` removes secrets from their output.
    pub(crate) fn hooks(&self, redaction: Redaction) -> Hooks {
        Hooks::new(self.hooks.clone(), self.folder.clone(), redaction)
    }

    pub(crate) fn has(&self, feature: Feature) -> bool {
        self.features.contains(&feature)
    }

    /// Certificates to trust in addition to the system's.
    pub(crate) fn ca_file(&self) -> Option<PathBuf> {
        self.tls.ca_file.as_ref().map(|file| self.folder.join(file))
    }

    fn parse(text: &str, path: &Path) -> Result<Self, String> {
        let path = path.display();
        // Also in a comment.
        let key = Regex::new(KEY_PATTERN).expect("a sound pattern");
        if let Some(found) = key.find(text) {
            return Err(format!(
                "{path}, line {}: the file contains an API key, but is meant to be committed and \
                 shown. Remove the key, revoke it if anyone else could read the file, and write \
                 the name of an environment variable that holds it.",
                line_of(text, found.start())
            ));
        }
        let form = |Fault { line, what }| {
            format!(
                "{path}, line {line}: {what}\nconformance/targets/example.toml explains every \
                 field."
            )
        };
        let file: Self = toml_file::parse(text).map_err(form)?;
        let Some((hook, what)) = file.hooks.fault() else { return Ok(file) };
        // No other table has names of hooks.
        let entry = Regex::new(&format!(r"(?m)^[ \t]*(hooks\.)?{hook}[ \t]*="));
        let entry = entry.expect("names of hooks have no special characters");
        let at = entry.find(text).map(|found| found.start());
        Err(form(Fault { line: line_of(text, at.unwrap_or(0)), what }))
    }
}

fn name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let name = String::deserialize(deserializer)?;
    if (1..=NAME_LIMIT_CHARACTERS).contains(&name.chars().count())
        && !name.contains(char::is_control)
    {
        return Ok(name);
    }
    Err(D::Error::custom(format!(
        "name must have 1 to {NAME_LIMIT_CHARACTERS} characters in one line, such as \"staging\""
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::{Fixture, Hook, Role};

    const MINIMAL: &str = "name = \"here\"\nbase_url = \"http://localhost:8080/\"\n";

    fn parse(more: &str) -> Result<TargetFile, String> {
        TargetFile::parse(&format!("{MINIMAL}{more}"), Path::new("t.toml"))
    }

    fn error_of(more: &str) -> String {
        parse(more).unwrap_err().to_string()
    }

    #[test]
    fn two_lines_are_a_target() {
        let file = parse("").unwrap();
        assert_eq!(file.base_url.0.as_str(), "http://localhost:8080");
        assert_eq!(file.profiles, Profiles::default());
        assert!(!file.has(Feature::Seeded));
        assert_eq!(file.budget.max_requests.get(), 20_000);
        assert_eq!(file.budget.credits_reserve.get(), 100);
        assert!(file.pace.requests_per_minute.is_none() && file.ca_file().is_none());
        let keys = file.keys(|_| panic!("no variable is named")).unwrap();
        assert!(keys.get(Role::All).is_none());
    }

    /// A block of the file is a whole target where it begins with a name, else it follows a minimal
    /// one.
    #[test]
    fn faulty_files_are_reported_as_they_were_reviewed() {
        let mut reported = String::new();
        for text in include_str!("tests/faulty.txt").split("---\n") {
            let head = if text.starts_with("name") { "" } else { MINIMAL };
            let error = TargetFile::parse(&format!("{head}{text}"), Path::new("t.toml"));
            let error = error.unwrap_err();
            for secret in ["Abc", "hunter2", "swordfish", "tail", "Mixed"] {
                assert!(!error.contains(secret), "{error}");
            }
            let error =
                error.replace("\nconformance/targets/example.toml explains every field.", "");
            reported.push_str(&format!("{text}=> {error}\n\n"));
        }
        insta::assert_snapshot!(reported);
        assert!(parse("# keys begin with pcp_live_\n").is_ok());
        assert!(error_of("base = 1").contains("example.toml"));
    }

    #[test]
    fn missing_file_names_the_example() {
        let error = TargetFile::read(Path::new("no-such-target.toml")).unwrap_err().to_string();
        assert!(error.contains("no-such-target.toml") && error.contains("example.toml"), "{error}");
    }

    #[test]
    fn files_of_a_target_are_found_from_its_folder() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.toml");
        std::fs::write(&path, format!("{MINIMAL}[tls]\nca_file = \"ca.pem\"\n")).unwrap();
        let file = TargetFile::read(&path).unwrap();
        assert_eq!(file.ca_file(), Some(folder.path().join("ca.pem")));
    }

    #[test]
    fn example_names_every_field_and_explains_each() {
        let text = include_str!("../../targets/example.toml");
        let file = TargetFile::parse(text, Path::new("example.toml")).unwrap();
        for role in Role::ALL {
            assert_eq!(file.keys.get(*role).len(), 1, "{role}");
        }
        for fixture in Fixture::ALL {
            assert!(!file.fixtures.get(*fixture).is_empty(), "{fixture}");
        }
        for hook in Hook::ALL {
            assert_eq!(file.hooks.get(*hook).len(), 1, "{hook}");
        }
        for feature in Feature::ALL {
            let name = feature.name();
            assert!(text.contains(&format!("`{name}`")), "{name}");
        }
        let lines: Vec<&str> = text.lines().collect();
        for pair in lines.windows(2) {
            let is_entry =
                pair[1].starts_with(|first: char| first.is_ascii_lowercase() || first == '[');
            assert!(!is_entry || pair[0].starts_with('#'), "not explained: {}", pair[1]);
        }
        let schema = super::super::tests::target_schema();
        let written: toml::Table = toml::from_str(text).unwrap();
        for name in schema["properties"].as_object().unwrap().keys() {
            let Some(members) = schema["properties"][name]["properties"].as_object() else {
                assert!(written.contains_key(name), "{name}");
                continue;
            };
            for member in members.keys() {
                assert!(written[name].as_table().unwrap().contains_key(member), "{name}.{member}");
            }
        }
    }
}
