//! Counters, gauges and histograms of one server, for `/metrics`. No label names a tenant, a key or
//! an address, and two servers in one process count separately.

use std::{sync::Arc, time::Duration};

use parking_lot::Mutex;
use prometheus_client::{
    collector::Collector,
    encoding::{EncodeLabelSet, text},
    metrics::{counter::Counter, family::Family, gauge::Gauge, histogram::Histogram, info::Info},
    registry::{Metric, Registry},
};
use strum::VariantArray as _;

use self::process::Process;

mod pools;
mod process;

pub(crate) use self::pools::Pools;

/// Begins the name of every metric, except those of the process.
const PREFIX: &str = "payout";

#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum UnavailableCause {
    Overload,
    Timeout,
    Database,
    Storage,
    /// The organisation moves to another cell, or has moved.
    Moving,
    Other,
}

impl UnavailableCause {
    pub(crate) fn as_str(self) -> &'static str {
        self.into()
    }
}

/// Requests are rejected for their key, the minute or the credits of their organisation, the scope
/// of their key, or the minute of their address.
const REJECTIONS: [&str; 5] = ["key", "minute", "credits", "scope", "anonymous"];

/// The metrics that several parts of the server write. A part with metrics of its own registers
/// them: [`Metrics::register`]. Clones count together.
#[derive(Clone)]
pub struct Metrics {
    pub(crate) connections_open: UpDownGauge,
    /// Connections closed at once, because their address had too many.
    pub(crate) connections_refused: Counter,
    pub(crate) requests_in_flight: UpDownGauge,
    pub(crate) requests_queued: UpDownGauge,
    pub(crate) refunds_failed: Counter,
    pub(crate) log_lines_dropped: Counter,
    pub(crate) database_up: Gauge,
    pub(crate) renders_running: UpDownGauge,
    pub(crate) renders_queued: UpDownGauge,
    unavailable: Family<Label, Counter>,
    rejections: Family<Label, Counter>,
    responses: Family<ResponseLabels, Counter>,
    durations: Family<Label, Histogram, fn() -> Histogram>,
    registry: Arc<Mutex<Registry>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ResponseLabels {
    operation: &'static str,
    status: u16,
}

pub(crate) type Label = [(&'static str, &'static str); 1];

impl Metrics {
    /// Adds a metric. Its name gets our prefix, and a counter's the suffix `_total`.
    pub(crate) fn register(&self, name: &str, help: &str, metric: impl Metric) {
        let mut registry = self.registry.lock();
        registry.register(format!("{PREFIX}_{name}"), help, metric);
    }

    /// Adds metrics that are read at each scrape.
    pub(crate) fn register_collector(&self, collector: impl Collector) {
        let mut registry = self.registry.lock();
        registry.register_collector(Box::new(collector));
    }

    /// Shows the operation's responses with this status from the start: an alert does not see a
    /// counter that begins with 1 rise.
    pub(crate) fn expect_response(&self, operation: &'static str, status: u16) {
        drop(self.responses.get_or_create(&ResponseLabels { operation, status }));
        drop(self.durations.get_or_create(&[("operation", operation)]));
    }

    pub(crate) fn count_unavailable(&self, cause: UnavailableCause) {
        let cause = cause.as_str();
        self.unavailable.get_or_create(&[("cause", cause)]).inc();
    }

    /// Counts a request that was rejected for one of [`REJECTIONS`].
    pub(crate) fn count_rejection(&self, kind: &'static str) {
        self.rejections.get_or_create(&[("kind", kind)]).inc();
    }

    pub(crate) fn count_response(&self, operation: &'static str, status: u16, duration: Duration) {
        self.responses.get_or_create(&ResponseLabels { operation, status }).inc();
        self.durations.get_or_create(&[("operation", operation)]).observe(duration.as_secs_f64());
    }

    /// Writes all metrics, in Prometheus's text format.
    pub fn encode(&self) -> String {
        let registry = self.registry.lock();
        let mut text = String::new();
        text::encode(&mut text, &registry).expect("a string takes any text");
        text
    }
}

impl Default for Metrics {
    fn default() -> Self {
        let mut registry = Registry::default();
        let all = &mut registry;
        let connections_open = add(all, "connections_open", "Open connections of the API");
        let help = "Requests between their key and their response";
        let requests_in_flight = add(all, "requests_in_flight", help);
        let requests_queued = add(all, "requests_queued", "Requests that wait for a permit");
        let renders_running = add(all, "renders_running", "Statements that are made");
        let renders_queued = add(all, "renders_queued", "Statements that wait to be made");
        let help = "Connections closed at once, because their address had too many";
        let connections_refused = add(all, "connections_refused", help);
        let help = "Credits of 5xx responses that could not be refunded";
        let refunds_failed = add(all, "refunds_failed", help);
        let help = "Lines of the request log that were dropped, because it was written too slowly";
        let log_lines_dropped = add(all, "log_lines_dropped", help);
        let unavailable: Family<Label, Counter> =
            add(all, "requests_unavailable", "Responses with 503, by cause");
        for cause in UnavailableCause::VARIANTS {
            drop(unavailable.get_or_create(&[("cause", cause.as_str())]));
        }
        let help = "Requests that a limit, a key or its scope did not let pass, by kind";
        let rejections: Family<Label, Counter> = add(all, "requests_rejected", help);
        for kind in REJECTIONS {
            drop(rejections.get_or_create(&[("kind", kind)]));
        }
        let help = "1 while the database can serve requests, as /readyz asks it";
        let database_up = add(all, "database_up", help);
        let version = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
        all.register(format!("{PREFIX}_build"), "The program", version);
        all.register_collector(Box::new(Process::starting()));
        let responses = add(all, "requests", "Responses, by operation and status");
        let durations = Family::new_with_constructor(durations as fn() -> Histogram);
        let help = "Time from a request's head to its response, by operation";
        all.register(format!("{PREFIX}_request_duration_seconds"), help, durations.clone());
        Self {
            connections_open: UpDownGauge(connections_open),
            connections_refused,
            requests_in_flight: UpDownGauge(requests_in_flight),
            requests_queued: UpDownGauge(requests_queued),
            refunds_failed,
            log_lines_dropped,
            database_up,
            renders_running: UpDownGauge(renders_running),
            renders_queued: UpDownGauge(renders_queued),
            unavailable,
            rejections,
            responses,
            durations,
            registry: Arc::new(Mutex::new(registry)),
        }
    }
}

fn add<M: Metric + Clone + Default>(registry: &mut Registry, name: &str, help: &str) -> M {
    let metric = M::default();
    registry.register(format!("{PREFIX}_{name}"), help, metric.clone());
    metric
}

/// Buckets from half a millisecond to longer than any request may take.
fn durations() -> Histogram {
    Histogram::new([
        0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 15.0, 45.0,
    ])
}

/// A gauge that is raised and lowered by guards.
#[derive(Clone, Default)]
pub(crate) struct UpDownGauge(Gauge);

impl UpDownGauge {
    /// Returns the gauge, to register it.
    pub(crate) fn gauge(&self) -> Gauge {
        self.0.clone()
    }

    /// Adds one until the guard is dropped.
    #[must_use]
    pub(crate) fn enter(&self) -> GaugeGuard {
        self.0.inc();
        GaugeGuard(self.0.clone())
    }
}

pub(crate) struct GaugeGuard(Gauge);

impl Drop for GaugeGuard {
    fn drop(&mut self) {
        self.0.dec();
    }
}
