//! Why admission fails.

use std::sync::Arc;

use crate::{postgres::BatchLost, problem::Failure, telemetry::UnavailableCause};

/// Why the gate could not decide.
#[derive(Clone, Debug, thiserror::Error)]
pub enum AdmissionError {
    /// The database did not respond, or reported an error.
    #[error("the database did not admit the request")]
    Database(#[source] Arc<sqlx::Error>),
    /// The request lost every race for its meter.
    #[error("the organisation's meter was too busy")]
    Contended,
    /// The database was lost before the verdict was durable: whether the request was charged is not
    /// known. Without an error, the verdict was committed before the database restarted.
    #[error("the database was lost before the verdict was durable")]
    NotDurable(#[source] Option<Arc<sqlx::Error>>),
    /// A defect of ours: whether the request was charged is not known.
    #[error(transparent)]
    Lost(#[from] BatchLost),
}

impl From<sqlx::Error> for AdmissionError {
    fn from(error: sqlx::Error) -> Self {
        Self::Database(Arc::new(error))
    }
}

impl From<AdmissionError> for Failure {
    fn from(error: AdmissionError) -> Self {
        let cause = match error {
            AdmissionError::Contended => UnavailableCause::Overload,
            AdmissionError::Database(_) | AdmissionError::NotDurable(_) => {
                UnavailableCause::Database
            }
            AdmissionError::Lost(_) => UnavailableCause::Other,
        };
        Self::unavailable(cause, error)
    }
}
