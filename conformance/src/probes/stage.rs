//! How far a request got, by the decided order of checks (A.order): a response that only a later
//! check gives proves that the earlier ones were passed.

use crate::{
    case::errors::{Error, VALIDATION_FAILED},
    exchange::Response,
};

/// The check that ended a request, in the order of the checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stage {
    Route,
    Key,
    Minute,
    Scope,
    Form,
    Credits,
    Resource,
    State,
    Done,
}

impl Stage {
    /// The check that gives this error to a request of an operation.
    pub(super) fn of((status, code): Error) -> Option<Self> {
        Some(match status {
            200..=299 => Self::Done,
            400 | 408 | 413 | 415 => Self::Form,
            401 => Self::Key,
            402 => Self::Credits,
            403 => Self::Scope,
            404 => Self::Resource,
            405 => Self::Route,
            409 => Self::State,
            422 if code == VALIDATION_FAILED.1 => Self::Form,
            422 => Self::State,
            429 => Self::Minute,
            _ => return None,
        })
    }

    pub(super) fn reached(response: &Response) -> Option<Self> {
        let status = response.status.as_u16();
        let code = response.text("/error/code");
        // `Error` has a static code; only one of them matters here.
        let code = if code == VALIDATION_FAILED.1 { VALIDATION_FAILED.1 } else { "" };
        Self::of((status, code))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::errors::*;

    #[test]
    fn later_checks_are_later_stages() {
        let order = [
            METHOD_NOT_ALLOWED,
            UNAUTHORIZED,
            RATE_LIMITED,
            INSUFFICIENT_SCOPE,
            VALIDATION_FAILED,
            API_CREDITS_EXHAUSTED,
            NOT_FOUND,
            LINE_NOT_IN_PAYOUT,
            (200, ""),
        ];
        let stages: Vec<Stage> = order.into_iter().map(|error| Stage::of(error).unwrap()).collect();
        assert!(stages.is_sorted_by(|before, after| before < after), "{stages:?}");
        assert_eq!(Stage::of((500, "")), None);
    }
}
