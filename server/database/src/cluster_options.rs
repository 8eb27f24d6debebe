//! The settings of a private PostgreSQL server.

use std::path::PathBuf;
use std::time::Duration;

/// Enough for two servers and a test suite.
const MAX_CONNECTIONS: u16 = 200;

#[derive(Clone, Debug)]
pub struct ClusterOptions {
    /// Created with mode 0700; as root, owned by `postgres`.
    pub directory: PathBuf,
    /// `false`: no fsync, and the data is removed when the cluster stops. For tests only.
    pub durable: bool,
    /// The time that the server waits for another user after its last; whole seconds.
    pub linger: Duration,
    /// The server's limit of connections; a process that joins a running server gets the existing
    /// limit.
    pub max_connections: u16,
    /// Settings of PostgreSQL, such as `wal_level=replica`; they win over those that it has here.
    pub settings: Vec<String>,
}

impl ClusterOptions {
    /// A durable cluster that stops with its last user.
    pub fn durable(directory: impl Into<PathBuf>) -> Self {
        Self {
            directory: directory.into(),
            durable: true,
            linger: Duration::ZERO,
            max_connections: MAX_CONNECTIONS,
            settings: Vec::new(),
        }
    }

    /// A fast cluster whose data is removed when it stops. For tests only.
    pub fn disposable(directory: impl Into<PathBuf>) -> Self {
        Self { durable: false, ..Self::durable(directory) }
    }
}
