//! How a case ends before its end.
//!
//! It refuses a failure without what was expected and what came.

use crate::{exchange::ClientError, target::HookError, verdict::Diagnosis};

/// The end of a case that is no pass.
#[derive(Clone, Debug)]
pub enum CaseOutcome {
    /// The clause was broken.
    Failed(Diagnosis),
    /// Nothing was proved: a control did not succeed.
    Inconclusive(Diagnosis),
    /// Something that was needed turned out to be missing.
    Skipped(Vec<String>),
    /// The suite, or the way to the deployment, failed.
    Error(String),
}

impl CaseOutcome {
    /// A failure: what is wrong, what should have come, what came, and the exchange that shows it.
    #[must_use]
    pub fn failed(
        what: impl Into<String>,
        expected: impl Into<String>,
        actual: impl Into<String>,
        exchange: Option<usize>,
    ) -> Self {
        Self::Failed(Diagnosis {
            what: what.into(),
            expected: Some(expected.into()),
            actual: Some(actual.into()),
            exchange,
            missing: Vec::new(),
        })
    }

    /// Nothing proved, because of what came.
    #[must_use]
    pub fn inconclusive(
        what: impl Into<String>,
        expected: impl Into<String>,
        actual: impl Into<String>,
        exchange: Option<usize>,
    ) -> Self {
        match Self::failed(what, expected, actual, exchange) {
            Self::Failed(because) => Self::Inconclusive(because),
            other => other,
        }
    }

    /// Something is missing.
    #[must_use]
    pub fn missing(what: impl Into<String>) -> Self {
        Self::Skipped(vec![what.into()])
    }
}

impl From<ClientError> for CaseOutcome {
    fn from(error: ClientError) -> Self {
        Self::Error(error.to_string())
    }
}

impl From<HookError> for CaseOutcome {
    fn from(error: HookError) -> Self {
        Self::Error(error.to_string())
    }
}
