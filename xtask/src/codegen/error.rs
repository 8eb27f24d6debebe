//! Why the command failed.

use std::error::Error;

#[derive(Debug)]
pub(crate) enum Failure {
    /// The project has to change.
    Finding(String),
    /// PostgreSQL, which describes the queries, is missing.
    NoDatabase(String),
    Other(Box<dyn Error + Send + Sync>),
}

impl<E: Error + Send + Sync + 'static> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::Other(error.into())
    }
}
