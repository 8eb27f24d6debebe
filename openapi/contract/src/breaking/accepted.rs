//! The changes that were accepted, each with its reason, in a file of this form:
//!
//! ```toml
//! accepted = [
//!     { fingerprint = "0a1b2c3d4e5f", reason = "No client has used it since May." },
//! ]
//! ```

use std::{fs, path::Path};

use serde::Deserialize;

use super::change::Change;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    accepted: Vec<Accepted>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Accepted {
    fingerprint: String,
    reason: String,
}

/// Marks the accepted changes, and returns the fingerprints that match no change.
pub(super) fn apply(path: &Path, changes: &mut [Change]) -> Result<Vec<String>, String> {
    let invalid = |problem: String| format!("{}: {problem}", path.display());
    let text = fs::read_to_string(path).map_err(|error| invalid(error.to_string()))?;
    let file: File = toml::from_str(&text).map_err(|error| invalid(error.to_string()))?;
    let mut unmatched = Vec::new();
    for Accepted { fingerprint, reason } in file.accepted {
        if reason.trim().is_empty() {
            return Err(invalid(format!(
                "{fingerprint} has no reason; say why the change is fine"
            )));
        }
        let mut is_matched = false;
        for change in changes.iter_mut().filter(|change| change.fingerprint == fingerprint) {
            change.accepted = Some(reason.clone());
            is_matched = true;
        }
        if !is_matched {
            unmatched.push(fingerprint);
        }
    }
    Ok(unmatched)
}
