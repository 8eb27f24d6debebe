//! The target file, whole: what a deployment's owner tells of it, in TOML.
//!
//! It refuses unknown fields: a misspelt fixture would be cases skipped for ever.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    base_url::BaseUrl,
    commands::Commands,
    error::TargetError,
    feature::{Feature, Profile},
    fixtures::Fixtures,
    hooks::Hooks,
    keys::{KeyVariables, Keys},
    limits::{Budget, Pace, Tls},
};
use crate::{
    secret::Redaction,
    toml_file::{self, Fault, line_of},
};

const NAME_LIMIT_CHARACTERS: usize = 100;
/// How the keys of this project's servers begin, whichever the environment (A1).
const KEY_PREFIXES: [&str; 2] = ["pcp_live_", "pcp_test_"];

/// A deployment of the Partner and Commission Payout API, to be judged by payout-conformance.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "A target file of payout-conformance")]
pub struct TargetFile {
    /// The deployment's name in reports.
    #[schemars(length(min = 1, max = NAME_LIMIT_CHARACTERS))]
    pub name: String,
    /// Where it is: http or https, host, perhaps a port and a path; without `/api/v1`, which every path of the API begins with.
    pub base_url: BaseUrl,
    /// How much of the document it implements.
    pub profile: Profile,
    /// What it has that others lack. Default: nothing.
    #[serde(default)]
    pub features: BTreeSet<Feature>,
    /// Keys by role, as names of environment variables.
    #[serde(default)]
    pub keys: KeyVariables,
    /// What is in it.
    #[serde(default)]
    pub fixtures: Fixtures,
    /// What its owner can do and no request of the API can.
    #[serde(default)]
    pub hooks: Commands,
    /// Where a run stops by itself.
    #[serde(default)]
    pub budget: Budget,
    /// How fast a run asks.
    #[serde(default)]
    pub pace: Pace,
    /// How a run checks the server's identity.
    #[serde(default)]
    pub tls: Tls,
    #[serde(skip)]
    folder: PathBuf,
}

impl TargetFile {
    /// Reads a file.
    ///
    /// # Errors
    /// It cannot be read, is not of the published form, or a key stands in it.
    pub fn read(path: &Path) -> Result<Self, TargetError> {
        let unreadable = |source| TargetError::Unreadable {
            path: path.to_owned(),
            source,
        };
        let text = toml_file::read_text(path).map_err(unreadable)?;
        let whole = std::path::absolute(path).map_err(unreadable)?;
        let mut file = Self::parse(&text, path)?;
        file.folder = whole.parent().unwrap_or(Path::new("/")).to_owned();
        Ok(file)
    }

    /// The keys, from the variables that the file names; a role that it does not name is absent.
    ///
    /// # Errors
    /// A variable is not set, or holds no key that can be sent: all of them at once.
    pub fn keys(&self, environment: impl Fn(&str) -> Option<String>) -> Result<Keys, TargetError> {
        Keys::read(&self.keys, environment).map_err(TargetError::Keys)
    }

    /// The operator hooks, ready to be run. What they print goes through `redaction` before it is shown.
    #[must_use]
    pub fn hooks(&self, redaction: Redaction) -> Hooks {
        Hooks::new(self.hooks.clone(), self.folder.clone(), redaction)
    }

    /// Whether the file names this feature.
    #[must_use]
    pub fn has(&self, feature: Feature) -> bool {
        self.features.contains(&feature)
    }

    /// Certificates to be trusted besides the system's.
    #[must_use]
    pub fn ca_file(&self) -> Option<PathBuf> {
        self.tls.ca_file.as_ref().map(|file| self.folder.join(file))
    }

    fn parse(text: &str, path: &Path) -> Result<Self, TargetError> {
        if let Some(at) = find_key(text) {
            return Err(TargetError::HoldsKey {
                path: path.to_owned(),
                line: line_of(text, at),
            });
        }
        let form = |fault: Fault| TargetError::Form {
            path: path.to_owned(),
            line: fault.line,
            what: fault.what,
        };
        let file: Self = toml_file::parse(text).map_err(form)?;
        match file.fault(text) {
            Some(fault) => Err(form(fault)),
            None => Ok(file),
        }
    }

    /// What no single value shows.
    fn fault(&self, text: &str) -> Option<Fault> {
        let length = self.name.chars().count();
        if !(1..=NAME_LIMIT_CHARACTERS).contains(&length) || self.name.contains(char::is_control) {
            return Some(Fault {
                line: line_of_entry(text, "name"),
                what: format!(
                    "name must have 1 to {NAME_LIMIT_CHARACTERS} characters in one line, such as \"staging\""
                ),
            });
        }
        let (hook, what) = self.hooks.fault()?;
        Some(Fault {
            line: line_of_entry(text, hook.name()),
            what,
        })
    }
}

/// Where a key stands, also in a comment.
fn find_key(text: &str) -> Option<usize> {
    let is_key = |at: usize, prefix: &str| {
        let after = text[at + prefix.len()..].bytes().next();
        after.is_some_and(|byte| byte.is_ascii_alphanumeric())
    };
    KEY_PREFIXES
        .iter()
        .flat_map(|prefix| text.match_indices(prefix))
        .find(|(at, prefix)| is_key(*at, prefix))
        .map(|(at, _)| at)
}

/// The line that an entry begins on: names of hooks stand in no other table.
fn line_of_entry(text: &str, name: &str) -> usize {
    let begins = |line: &str| {
        let line = line.trim_start();
        let entry = line.strip_prefix("hooks.").unwrap_or(line);
        let after = entry.strip_prefix(name);
        after.is_some_and(|after| after.trim_start().starts_with('='))
    };
    1 + text.lines().position(begins).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::{Fixture, Hook, Role};

    const LEAST: &str =
        "name = \"here\"\nbase_url = \"http://localhost:8080/\"\nprofile = \"core\"\n";

    fn parse(more: &str) -> Result<TargetFile, TargetError> {
        TargetFile::parse(&format!("{LEAST}{more}"), Path::new("t.toml"))
    }

    fn told(more: &str) -> String {
        parse(more).unwrap_err().to_string()
    }

    #[test]
    fn three_lines_are_a_target() {
        let file = parse("").unwrap();
        assert_eq!(file.base_url.as_str(), "http://localhost:8080");
        assert_eq!(file.profile, Profile::Core);
        assert!(!file.has(Feature::Seeded));
        assert_eq!(file.budget.max_requests.get(), 10_000);
        assert_eq!(file.budget.credits_reserve.get(), 100);
        assert!(file.pace.requests_per_minute.is_none() && file.ca_file().is_none());
        let keys = file.keys(|_| panic!("no variable is named")).unwrap();
        assert!(keys.get(Role::All).is_none());
    }

    #[test]
    fn fault_names_file_line_and_what_to_write() {
        for (more, line, instead) in [
            ("base = 1", 4, "`base_url`"),
            ("features = [\"seeded\", \"fast\"]", 4, "`links_local`"),
            ("\n[keys]\nall = \"my key\"", 6, "PAYOUT_KEY_ALL"),
            ("[keys]\nadmin = \"X\"", 5, "`partners_read`"),
            ("[fixtures]\npayout = [\"a\"]", 5, "string"),
            ("keys = \"my key\"", 4, "a text, expected a table"),
            ("[hooks]\n\nset_note = [\"x\", \"{payout}\"]", 6, "{note}"),
            ("[hooks]\ntimeout_seconds = 0", 5, "from 1 to 600"),
            ("[budget]\nmax_requests = 0", 5, "from 1 to 1000000"),
            (
                "[pace]\nrequests_per_minute = \"fast\"",
                5,
                "a whole number from 1",
            ),
        ] {
            let error = told(more);
            assert!(
                error.starts_with(&format!("t.toml, line {line}: ")),
                "{more}: {error}"
            );
            assert!(error.contains(instead), "{more}: {error}");
            assert!(error.contains("example.toml"), "{error}");
        }
    }

    #[test]
    fn first_lines_are_judged_too() {
        for (text, line, instead) in [
            (
                "name = \"\"\nbase_url = \"http://h\"\nprofile = \"core\"",
                1,
                "1 to 100",
            ),
            (
                "name = \"a\"\nbase_url = \"ftp://h\"\nprofile = \"core\"",
                2,
                "https://staging.example.com",
            ),
            (
                "name = \"a\"\nbase_url = \"http://h\"\nprofile = \"all\"",
                3,
                "`extended`",
            ),
            ("name = \"a\"\nprofile = \"core\"", 1, "`base_url`"),
        ] {
            let error = TargetFile::parse(text, Path::new("t.toml"))
                .unwrap_err()
                .to_string();
            assert!(error.contains(&format!("line {line}: ")), "{text}: {error}");
            assert!(error.contains(instead), "{text}: {error}");
        }
    }

    #[test]
    fn key_anywhere_in_the_file_is_refused_and_not_shown() {
        for more in [
            "# pcp_live_Abc\n",
            "[keys]\nall = \"pcp_live_Abc\"",
            "[hooks]\nset_note = [\"x\", \"pcp_live_Abc\"]",
        ] {
            let error = told(more);
            assert!(error.contains("environment variable"), "{error}");
            assert!(!error.contains("Abc"), "{error}");
        }
        assert!(parse("# keys begin with pcp_live_\n").is_ok());
    }

    #[test]
    fn missing_file_names_the_example() {
        let error = TargetFile::read(Path::new("no-such-target.toml"))
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("no-such-target.toml") && error.contains("example.toml"),
            "{error}"
        );
    }

    #[test]
    fn every_missing_variable_is_told_at_once() {
        let file = parse("[keys]\nall = \"ONE\"\nexpired = \"TWO\"").unwrap();
        let error = file.keys(|_| None).unwrap_err().to_string();
        assert!(
            error.contains("export ONE=") && error.contains("export TWO="),
            "{error}"
        );
    }

    #[test]
    fn files_of_a_target_are_found_from_its_folder() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.toml");
        std::fs::write(&path, format!("{LEAST}[tls]\nca_file = \"ca.pem\"\n")).unwrap();
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
            assert!(text.contains(&format!("`{feature}`")), "{feature}");
        }
        let lines: Vec<&str> = text.lines().collect();
        for pair in lines.windows(2) {
            let is_entry =
                pair[1].starts_with(|first: char| first.is_ascii_lowercase() || first == '[');
            assert!(
                !is_entry || pair[0].starts_with('#'),
                "not explained: {}",
                pair[1]
            );
        }
        let schema = super::super::schema::target_schema();
        let written: toml::Table = toml::from_str(text).unwrap();
        for name in schema["properties"].as_object().unwrap().keys() {
            let Some(members) = schema["properties"][name]["properties"].as_object() else {
                assert!(written.contains_key(name), "{name}");
                continue;
            };
            for member in members.keys() {
                assert!(
                    written[name].as_table().unwrap().contains_key(member),
                    "{name}.{member}"
                );
            }
        }
    }
}
