//! Why a deployment could not be started or used.

use std::io;

use payout_database::{BootstrapError, ClusterError, binaries::BinariesError};

/// Why there is no deployment.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DeploymentError {
    /// No PostgreSQL.
    #[error(transparent)]
    Cluster(#[from] ClusterError),
    /// No programs of PostgreSQL.
    #[error(transparent)]
    Binaries(#[from] BinariesError),
    /// No database on it.
    #[error(transparent)]
    Bootstrap(#[from] BootstrapError),
    /// A statement of ours failed.
    #[error("the deployment's PostgreSQL refused: {0}")]
    Database(#[from] sqlx::Error),
    /// The folder, or a program, cannot be used.
    #[error("could not {0}: {1}")]
    Io(&'static str, io::Error),
    /// A command of the server failed.
    #[error("`payout-server {command}` failed; it said:\n{output}")]
    Command { command: String, output: String },
    /// The server ended instead of serving.
    #[error("the server did not start; the end of its log:\n{0}")]
    Server(String),
}

pub(crate) fn failed(action: &'static str) -> impl FnOnce(io::Error) -> DeploymentError {
    move |error| DeploymentError::Io(action, error)
}
