//! How a case ended, and why.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{EnumIter, IntoStaticStr};

use crate::exchange::ClientError;

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

pub(crate) type CaseResult<T = ()> = Result<T, CaseOutcome>;

/// The end of a case that did not pass. A failure always has the expected and the actual value.
#[derive(Clone, Debug)]
pub(crate) struct CaseOutcome {
    pub(crate) verdict: Verdict,
    pub(crate) because: Diagnosis,
}

impl CaseOutcome {
    /// A failure: what is wrong, the expected and the actual value, and the exchange that shows it.
    pub(crate) fn failed(
        what: impl Into<String>,
        expected: impl Into<String>,
        actual: impl Into<String>,
        exchange: Option<usize>,
    ) -> Self {
        let because = Diagnosis {
            what: what.into(),
            expected: Some(expected.into()),
            actual: Some(actual.into()),
            exchange,
            missing: Vec::new(),
        };
        Self { verdict: Verdict::Fail, because }
    }

    /// Nothing proved: what prevented it, as for [`CaseOutcome::failed`].
    pub(crate) fn inconclusive(
        what: impl Into<String>,
        expected: impl Into<String>,
        actual: impl Into<String>,
        exchange: Option<usize>,
    ) -> Self {
        Self { verdict: Verdict::Inconclusive, ..Self::failed(what, expected, actual, exchange) }
    }

    /// The suite or the connection to the deployment failed.
    pub(crate) fn error(what: impl Into<String>) -> Self {
        let because = Diagnosis { what: what.into(), ..Diagnosis::default() };
        Self { verdict: Verdict::Error, because }
    }

    /// Skips the case, which lacks this.
    pub(crate) fn skipped(missing: Vec<String>) -> Self {
        let what = "Not run.".to_owned();
        let because = Diagnosis { what, missing, ..Diagnosis::default() };
        Self { verdict: Verdict::Skipped, because }
    }

    pub(crate) fn missing(what: impl Into<String>) -> Self {
        Self::skipped(vec![what.into()])
    }

    pub(crate) fn missing_if(is_missing: bool, what: impl Into<String>) -> CaseResult {
        if is_missing { Err(Self::missing(what)) } else { Ok(()) }
    }
}

pub(crate) fn ended<T>(outcome: &CaseResult<T>, verdict: Verdict) -> bool {
    outcome.as_ref().err().map_or(Verdict::Pass, |ended| ended.verdict) == verdict
}

impl From<ClientError> for CaseOutcome {
    fn from(error: ClientError) -> Self {
        match error {
            ClientError::Deadline(why) => Self::missing(why),
            error => Self::error(error.to_string()),
        }
    }
}
