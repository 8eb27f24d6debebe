//! Why a deployment could not be started or used.

use std::io;

use payout_database::{BootstrapError, ClusterError, binaries::BinariesError};

#[derive(Debug, thiserror::Error)]
pub(crate) enum DeploymentError {
    #[error(transparent)]
    Cluster(#[from] ClusterError),
    #[error(transparent)]
    Binaries(#[from] BinariesError),
    #[error(transparent)]
    Bootstrap(#[from] BootstrapError),
    #[error("a statement failed in the deployment's PostgreSQL: {0}")]
    Database(#[from] sqlx::Error),
    #[error("could not {0}: {1}")]
    Io(&'static str, io::Error),
    #[error("`{command}` failed:\n{output}")]
    Command { command: String, output: String },
    #[error("the server did not start; the end of its log:\n{0}")]
    Server(String),
}

pub(crate) fn failed(action: &'static str) -> impl FnOnce(io::Error) -> DeploymentError {
    move |error| DeploymentError::Io(action, error)
}
