//! The failure of a handler, and the [`Problem`] that its caller gets. A resource states its own
//! problems beside its types. The reports of the database are logged and never sent.

use std::{error::Error, sync::Arc, time::Duration};

use serde::Serialize;

use openapi_runtime::{Issue, IssueCode, MoneyError, References, UnknownValue};

use crate::{
    contract::{Problem, types::ErrorCode},
    postgres::{BatchReadError, is_stopped, is_unavailable},
    telemetry::UnavailableCause,
};

#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The organisation has no such resource; a foreign one looks exactly alike (A10).
    #[error("the organisation has no {0} with this id")]
    NotFound(&'static str),
    /// The body names things that the organisation does not have (R2): their pointers and names.
    #[error("the body names things that do not exist")]
    InvalidReferences(Vec<(&'static str, &'static str)>),
    /// A rule of a resource forbids the request.
    #[error("{}", .0.message)]
    Rejected(Box<Problem>),
    /// Another request with this idempotency key is still running (X9).
    #[error("another request with this idempotency key is still running")]
    IdempotencyInProgress,
    /// A later request may be served.
    #[error("{error}")]
    Unavailable {
        cause: UnavailableCause,
        #[source]
        error: Box<dyn Error + Send + Sync>,
    },
    #[error("the database rejected a statement")]
    Database(#[source] Arc<sqlx::Error>),
    /// The gate did not admit the request, and responds with its own reason.
    #[error("the request was not admitted")]
    NotAdmitted,
    /// A defect of this server.
    #[error("{0}")]
    Internal(String),
}

#[derive(Debug, thiserror::Error)]
#[error("the database is not available")]
struct DatabaseUnavailable(#[source] Arc<sqlx::Error>);

impl Failure {
    pub(crate) fn rejected(
        code: ErrorCode,
        message: impl Into<String>,
        details: impl Serialize,
    ) -> Self {
        Self::Rejected(Box::new(Problem::new(code, message).with_details(details)))
    }

    pub(crate) fn unavailable(
        cause: UnavailableCause,
        error: impl Into<Box<dyn Error + Send + Sync>>,
    ) -> Self {
        Self::Unavailable { cause, error: error.into() }
    }

    /// The work did not end within this time; it continues, and a later request may find it done.
    pub(crate) fn too_late(limit: Duration) -> Self {
        Self::unavailable(UnavailableCause::Timeout, format!("the work took longer than {limit:?}"))
    }

    /// Too many of these requests of the organisation wait already.
    pub(crate) fn queue_full(requests: &str) -> Self {
        let message = format!("too many {requests} of the organisation wait");
        Self::unavailable(UnavailableCause::Overload, message)
    }

    /// The limit of concurrent ones is reached.
    pub(crate) fn overloaded(requests: &str) -> Self {
        Self::unavailable(UnavailableCause::Overload, format!("too many {requests} at once"))
    }

    /// The organisation moves to another cell, or has moved: nothing may change here.
    pub(crate) fn stopped() -> Self {
        let message = "the organisation is stopped, because it moves to another cell";
        Self::unavailable(UnavailableCause::Moving, message)
    }

    /// Reports all unknown references together.
    pub(crate) fn unless_found(references: impl References) -> Result<(), Self> {
        let unknown = references.unknown();
        if unknown.is_empty() { Ok(()) } else { Err(Self::InvalidReferences(unknown)) }
    }
}

impl From<sqlx::Error> for Failure {
    fn from(error: sqlx::Error) -> Self {
        Arc::new(error).into()
    }
}

impl From<Arc<sqlx::Error>> for Failure {
    fn from(error: Arc<sqlx::Error>) -> Self {
        if is_stopped(&error) {
            Self::unavailable(UnavailableCause::Moving, error)
        } else if is_unavailable(&error) {
            Self::unavailable(UnavailableCause::Database, DatabaseUnavailable(error))
        } else {
            Self::Database(error)
        }
    }
}

impl From<BatchReadError> for Failure {
    fn from(error: BatchReadError) -> Self {
        match error {
            BatchReadError::Lost(lost) => Self::Internal(lost.to_string()),
            BatchReadError::Database(error) => error.into(),
        }
    }
}

impl From<MoneyError> for Failure {
    fn from(error: MoneyError) -> Self {
        Self::Internal(format!("the database holds an amount that the API cannot carry: {error}"))
    }
}

impl From<UnknownValue> for Failure {
    fn from(error: UnknownValue) -> Self {
        Self::Internal(format!("the database holds a value outside its set: {error}"))
    }
}

impl From<Failure> for Problem {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::NotFound(resource) => Self::new(
                ErrorCode::NotFound,
                format!("The organisation has no {resource} with this id."),
            ),
            Failure::InvalidReferences(unknown) => invalid_references(&unknown),
            Failure::Rejected(problem) => *problem,
            Failure::IdempotencyInProgress => Self::new(
                ErrorCode::IdempotencyInProgress,
                "Another request with this idempotency-key is still running. \
                 Send this one again in a moment.",
            ),
            failure @ Failure::Unavailable { cause: UnavailableCause::Moving, .. } => {
                let message = "The organisation is being moved to another database, and nothing \
                               was changed. Send the request again in a moment.";
                Self::new(ErrorCode::ServiceUnavailable, message).with_cause(failure)
            }
            failure @ Failure::Unavailable { .. } => unavailable().with_cause(failure),
            failure @ (Failure::NotAdmitted | Failure::Database(_) | Failure::Internal(_)) => {
                Self::internal().with_cause(failure)
            }
        }
    }
}

/// 503: overload, shutdown, or no database.
fn unavailable() -> Problem {
    let message = "The service is not available now. Try again later.";
    Problem::new(ErrorCode::ServiceUnavailable, message)
}

/// 422: the request names things that the organisation does not have (R2).
fn invalid_references(unknown: &[(&str, &str)]) -> Problem {
    let issue = |(path, what): &(&str, &str)| {
        let message = format!("the organisation has no such {what}");
        Issue::body(*path, IssueCode::InvalidReference, message)
    };
    let issues: Vec<Issue> = unknown.iter().map(issue).collect();
    let what = "something that the organisation does not have";
    let verbs = [format!("names {what}"), format!("name {what}")];
    Problem::of_issues(ErrorCode::InvalidReference, &issues, [&verbs[0], &verbs[1]])
}
