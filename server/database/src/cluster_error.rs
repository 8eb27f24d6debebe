//! The errors of a private PostgreSQL server.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

pub use crate::account::FolderError;
use crate::binaries::BinariesError;

/// The time limit of starting, joining, or stopping.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(60);

/// A cluster cannot be started, joined or stopped.
#[derive(Debug, thiserror::Error)]
pub enum ClusterError {
    #[error(transparent)]
    Binaries(#[from] BinariesError),
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error("initdb could not create the cluster in {}:\n{output}", directory.display())]
    Initdb { directory: PathBuf, output: String },
    #[error("PostgreSQL did not start; the end of its log:\n{log}")]
    Start { log: String },
    #[error(
        "PostgreSQL did not respond within {} s; the end of its log:\n{log}",
        TIMEOUT.as_secs()
    )]
    Timeout { log: String },
    #[error("there is no folder to keep the database in: set XDG_DATA_HOME or HOME, or name one")]
    NoHome,
    #[error("could not {action}: {source}")]
    Io { action: &'static str, source: io::Error },
}

impl ClusterError {
    pub(crate) fn io(action: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { action, source }
    }
}
