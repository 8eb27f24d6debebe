//! Metrics and log of one server, which all its parts share.

mod access_log;
mod causes;
pub(crate) mod log_context;
mod log_escape;
mod log_lines;
mod metrics;
mod spans;
mod trace_parent;

use tokio_util::{sync::CancellationToken, task::TaskTracker};

pub use access_log::{AccessLog, AccessLogWriter, LINES_LIMIT};
pub(crate) use access_log::{FailureReport, Line};
pub(crate) use causes::{sqlstate, with_causes};
pub(crate) use log_context::LogContext;
pub use log_lines::lines;
pub(crate) use log_lines::{begin, request_level};
pub(crate) use metrics::{GaugeGuard, Label, Pools, UpDownGauge};
pub use metrics::{Metrics, UnavailableCause};
pub(crate) use spans::RequestSpan;
pub use spans::{Spans, SpansError};
pub(crate) use trace_parent::TraceParent;

/// Created once per server; clones share the same metrics, log and tasks.
#[derive(Clone, Default)]
pub struct Telemetry {
    pub metrics: Metrics,
    pub access_log: AccessLog,
    pub spans: Spans,
    /// Work whose client went away or whose deadline passed. A server that stops waits for it.
    pub detached_tasks: TaskTracker,
    /// Cancelled when the server stops: work in the background takes up nothing more.
    pub stopping: CancellationToken,
}
