//! The error of a private PostgreSQL server.

use std::io;

#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct ClusterError(pub(crate) String);

pub(crate) fn io_error(action: &str) -> impl FnOnce(io::Error) -> ClusterError {
    move |source| ClusterError(format!("could not {action}: {source}"))
}
