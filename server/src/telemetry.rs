//! What all parts of one server share: its metrics, its request log, and the tasks that outlive
//! their requests.

use tokio_util::task::TaskTracker;

use crate::{http::access_log::AccessLog, metrics::Metrics};

/// Created once per server; clones share the same metrics, log and tasks.
#[derive(Clone, Debug, Default)]
pub struct Telemetry {
    /// The server's metrics.
    pub metrics: Metrics,
    /// Where a line of each request goes.
    pub access_log: AccessLog,
    /// Work whose client went away or whose deadline passed. A server that stops waits for it.
    pub detached_tasks: TaskTracker,
}
