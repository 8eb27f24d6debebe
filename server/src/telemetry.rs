//! What the rooms of one server share beside the database: its counters, and the work that its requests left behind.
//!
//! It refuses to be global: two servers in one process have two.

use tokio_util::task::TaskTracker;

use crate::metrics::Metrics;

/// Made once for each server; a clone is the same.
#[derive(Clone, Debug, Default)]
pub struct Telemetry {
    /// What is counted and measured.
    pub metrics: Metrics,
    /// Work that goes on without its request: a client went away, or a deadline passed. A server that stops waits for it.
    pub detached_tasks: TaskTracker,
}
