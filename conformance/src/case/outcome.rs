//! The early end of a case. A failure always has the expected and the actual value.

use crate::{
    exchange::ClientError,
    verdict::{Diagnosis, Verdict},
};

pub(crate) type CaseResult<T = ()> = Result<T, CaseOutcome>;

/// The end of a case that did not pass.
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

/// Returns true if a case ended with this verdict.
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
