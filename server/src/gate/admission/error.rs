//! The errors of admission.

use std::sync::Arc;

use crate::{postgres::BatchLost, problem::Failure, telemetry::UnavailableCause};

#[derive(Clone, Debug, thiserror::Error)]
pub enum AdmissionError {
    #[error("the database did not admit the request")]
    Database(#[source] Arc<sqlx::Error>),
    #[error("the organisation's meter was too busy")]
    Contended,
    /// The database was lost before the verdict was durable, so it is not known whether the request
    /// was charged. Without an error, the verdict was committed before the database restarted.
    #[error("the database was lost before the verdict was durable")]
    NotDurable(#[source] Option<Arc<sqlx::Error>>),
    /// A worker panicked, so it is not known whether the request was charged.
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
