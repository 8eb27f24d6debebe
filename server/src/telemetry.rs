//! What all parts of one server share: its metrics, and the tasks that outlive their requests.

use tokio_util::task::TaskTracker;

use crate::metrics::Metrics;

/// Created once per server; clones share the same metrics and tasks.
#[derive(Clone, Debug, Default)]
pub struct Telemetry {
    /// The server's metrics.
    pub metrics: Metrics,
    /// Work whose client went away or whose deadline passed. A server that stops waits for it.
    pub detached_tasks: TaskTracker,
}
