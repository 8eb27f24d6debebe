//! The changes that were accepted, each with its reason, in a file of this form:
//!
//! ```toml
//! accepted = [
//!     { fingerprint = "0a1b2c3d4e5f", reason = "No client has used it since May." },
//!     { rule = "response-property-removed", path = "/loans/*", reason = "…", until = 2027-01-31 },
//! ]
//! ```

use std::{fs, path::Path};

use chrono::{NaiveDate, Utc};
use serde::Deserialize;

use super::{change::Change, lifecycle::date, rule::RULES};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    accepted: Vec<Accepted>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Accepted {
    #[serde(default)]
    fingerprint: String,
    #[serde(default)]
    rule: String,
    /// The path of operations, also with the method before it; `*` at the end stands for any rest.
    #[serde(default)]
    path: String,
    reason: String,
    /// The last day on which the changes are accepted.
    until: Option<toml::Value>,
    #[serde(skip)]
    end: Option<NaiveDate>,
}

/// Reads the file.
pub(super) fn read(path: &Path) -> Result<Vec<Accepted>, String> {
    let invalid = |problem: String| format!("{}: {problem}", path.display());
    let text = fs::read_to_string(path).map_err(|error| invalid(error.to_string()))?;
    let file: File = toml::from_str(&text).map_err(|error| invalid(error.to_string()))?;
    file.accepted.into_iter().map(|entry| entry.checked().map_err(invalid)).collect()
}

/// Marks the accepted changes.
pub(super) fn apply(entries: &[Accepted], changes: &mut [Change]) {
    for entry in entries.iter().filter(|entry| !entry.has_ended()) {
        for change in changes.iter_mut().filter(|change| entry.matches(change)) {
            change.accepted = Some(entry.reason.clone());
        }
    }
}

/// Returns the entries that match no change, and those that match one but have ended.
pub(super) fn without_effect(
    entries: &[Accepted],
    changes: &[Change],
) -> (Vec<String>, Vec<String>) {
    let matches = |entry: &&Accepted| changes.iter().any(|change| entry.matches(change));
    let (matching, unmatched): (Vec<_>, Vec<_>) = entries.iter().partition(matches);
    let ended = matching.into_iter().filter(|entry| entry.has_ended());
    (unmatched.into_iter().map(Accepted::name).collect(), ended.map(Accepted::name).collect())
}

impl Accepted {
    fn checked(mut self) -> Result<Self, String> {
        let name = self.name();
        let is_by_rule = !self.rule.is_empty() && !self.path.is_empty();
        let is_one_of_both = self.rule.is_empty() && self.path.is_empty() || is_by_rule;
        if self.fingerprint.is_empty() != is_by_rule || !is_one_of_both {
            return Err(format!("`{name}`: write a `fingerprint`, or `rule` and `path`"));
        }
        if let Some((method, path)) = self.path.split_once(' ') {
            self.path = format!("{} {path}", method.to_ascii_uppercase());
        }
        if is_by_rule && !RULES.contains_key(self.rule.as_str()) {
            return Err(format!("`{name}`: there is no such rule; the report names them"));
        }
        if self.reason.trim().is_empty() {
            return Err(format!("{name} has no reason; say why the change is fine"));
        }
        if let Some(until) = &self.until {
            let text = until.as_str().map_or_else(|| until.to_string(), str::to_owned);
            let end = date(&text).ok_or_else(|| {
                format!("`until` of {name} is `{text}`, not a date such as 2030-01-31")
            })?;
            self.end = Some(end);
        }
        Ok(self)
    }

    fn name(&self) -> String {
        let parts = [&self.fingerprint, &self.rule, &self.path].map(String::as_str);
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    }

    fn has_ended(&self) -> bool {
        self.end.is_some_and(|end| end < Utc::now().date_naive())
    }

    /// Returns true if it is about this change, and by rule and path about all that it reaches.
    fn matches(&self, change: &Change) -> bool {
        if self.rule.is_empty() {
            return change.fingerprint == self.fingerprint;
        }
        change.rule == self.rule && change.locations.keys().all(|operation| self.reaches(operation))
    }

    fn reaches(&self, operation: &str) -> bool {
        let (_, path) = operation.split_once(' ').unwrap_or(("", operation));
        [operation, path].iter().any(|text| match self.path.strip_suffix('*') {
            Some(start) => text.starts_with(start),
            None => *text == self.path,
        })
    }
}
