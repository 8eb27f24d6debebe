//! How a case ended, and why.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{EnumIter, IntoStaticStr};

/// How a case ended, in the order in which people read results.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    JsonSchema,
    EnumIter,
    IntoStaticStr,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub(crate) enum Verdict {
    /// The deployment violates the requirement.
    Fail,
    /// The suite itself, or the connection to the deployment, failed.
    Error,
    /// The positive control did not succeed, so a rejection proves nothing.
    Inconclusive,
    /// Not run.
    Skipped,
    /// The deployment meets the requirement.
    Pass,
}

impl Verdict {
    /// As reports and the expectations file spell it.
    pub(crate) fn name(self) -> &'static str {
        self.into()
    }
}

/// Why a case ended otherwise than with a pass.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Diagnosis {
    /// One sentence.
    pub(crate) what: String,
    /// What should have come; may have several lines.
    pub(crate) expected: Option<String>,
    /// What came; may have several lines.
    pub(crate) actual: Option<String>,
    /// Index of the exchange that shows it.
    pub(crate) exchange: Option<usize>,
    /// What a skipped case needs and did not have: features, fixtures, hooks, consent or keys.
    pub(crate) missing: Vec<String>,
}

impl Diagnosis {
    /// What was missing, or else what happened.
    pub(crate) fn short(&self) -> String {
        if self.missing.is_empty() { self.what.clone() } else { self.missing.join(", ") }
    }

    /// The same as a sentence.
    pub(crate) fn reason(&self) -> String {
        let missing = if self.missing.is_empty() { "" } else { "missing: " };
        format!("{missing}{}", self.short())
    }
}
