//! How a case ends early. A failure always has the expected and the actual value.

use crate::{exchange::ClientError, verdict::Diagnosis};

pub(crate) type CaseResult<T = ()> = Result<T, CaseOutcome>;

/// The end of a case that did not pass.
#[derive(Clone, Debug)]
pub(crate) enum CaseOutcome {
    Failed(Diagnosis),
    /// Nothing was proved, for instance because a positive control did not succeed.
    Inconclusive(Diagnosis),
    /// Something that the case needs is missing.
    Skipped(Vec<String>),
    /// The suite or the connection to the deployment failed.
    Error(String),
}

impl CaseOutcome {
    /// A failure: what is wrong, the expected and the actual value, and the exchange that shows it.
    pub(crate) fn failed(
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

    /// Nothing proved: what prevented it, as for [`CaseOutcome::failed`].
    pub(crate) fn inconclusive(
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

    pub(crate) fn missing(what: impl Into<String>) -> Self {
        Self::Skipped(vec![what.into()])
    }

    pub(crate) fn missing_if(is_missing: bool, what: impl Into<String>) -> CaseResult {
        if is_missing { Err(Self::missing(what)) } else { Ok(()) }
    }
}

impl From<ClientError> for CaseOutcome {
    fn from(error: ClientError) -> Self {
        match error {
            ClientError::Deadline(why) => Self::missing(why),
            error => Self::Error(error.to_string()),
        }
    }
}
