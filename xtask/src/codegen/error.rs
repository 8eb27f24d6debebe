//! Failures that the command does not only pass on.

use payout_database::testing::TestServerError;

#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    /// The project has to change.
    #[error("{0}")]
    Finding(String),
    #[error("server/.sqlx needs a database: {0}")]
    NoDatabase(TestServerError),
}
