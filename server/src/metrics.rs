//! Counters, gauges and histograms of one server, for `/metrics`. No label names a tenant, a key or
//! an address, and two servers in one process count separately.

use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use prometheus_client::{
    collector::Collector,
    encoding::{EncodeLabelSet, text},
    metrics::{counter::Counter, family::Family, gauge::Gauge, histogram::Histogram, info::Info},
    registry::{Metric, Registry},
};

use self::process::Process;

mod pools;
mod process;

pub(crate) use self::pools::Pools;

/// Begins the name of every metric, except those of the process.
const PREFIX: &str = "payout";

/// Why requests get a 503.
pub(crate) const CAUSES: [&str; 5] = ["overload", "timeout", "database", "storage", "other"];
/// What requests are rejected for: their key, the minute or the credits of their organisation, the
/// scope of their key, the minute of their address.
pub(crate) const REJECTIONS: [&str; 5] = ["key", "minute", "credits", "scope", "anonymous"];

/// The metrics that several parts of the server write. A part with metrics of its own registers
/// them: [`Metrics::register`]. Clones count together.
#[derive(Clone, Debug)]
pub struct Metrics {
    /// Open connections of the API.
    pub(crate) connections_open: UpDownGauge,
    /// Connections closed at once, because their address had too many.
    pub(crate) connections_refused: Counter,
    /// Requests between their key and their response.
    pub(crate) requests_in_flight: UpDownGauge,
    /// Requests that wait for a permit.
    pub(crate) requests_queued: UpDownGauge,
    /// Credits of 5xx responses that could not be refunded.
    pub(crate) refunds_failed: Counter,
    /// Lines of the request log that were not written.
    pub(crate) log_lines_dropped: Counter,
    /// Whether the database can serve requests.
    pub(crate) database_up: Gauge,
    /// Statements that are made.
    pub(crate) renders_running: UpDownGauge,
    /// Statements that wait to be made.
    pub(crate) renders_queued: UpDownGauge,
    unavailable: Family<CauseLabel, Counter>,
    rejections: Family<KindLabel, Counter>,
    responses: Family<ResponseLabels, Counter>,
    durations: Family<OperationLabel, Histogram, fn() -> Histogram>,
    registry: Arc<Mutex<Registry>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ResponseLabels {
    operation: &'static str,
    status: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(crate) struct OperationLabel {
    pub(crate) operation: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CauseLabel {
    cause: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct KindLabel {
    kind: &'static str,
}

impl Metrics {
    /// Adds a metric. Its name gets our prefix, and a counter's the suffix `_total`.
    pub(crate) fn register(&self, name: &str, help: &str, metric: impl Metric) {
        let mut registry = self.registry.lock().unwrap_or_else(PoisonError::into_inner);
        registry.register(format!("{PREFIX}_{name}"), help, metric);
    }

    /// Adds metrics that are read at each scrape.
    pub(crate) fn register_collector(&self, collector: impl Collector) {
        let mut registry = self.registry.lock().unwrap_or_else(PoisonError::into_inner);
        registry.register_collector(Box::new(collector));
    }

    /// Shows the operation's responses with this status from the start: an alert does not see a
    /// counter that begins with 1 rise.
    pub(crate) fn expect_response(&self, operation: &'static str, status: u16) {
        drop(self.responses.get_or_create(&ResponseLabels { operation, status }));
    }

    /// Counts a 503 for one of [`CAUSES`].
    pub(crate) fn count_unavailable(&self, cause: &'static str) {
        self.unavailable.get_or_create(&CauseLabel { cause }).inc();
    }

    /// Counts a request that was rejected for one of [`REJECTIONS`].
    pub(crate) fn count_rejection(&self, kind: &'static str) {
        self.rejections.get_or_create(&KindLabel { kind }).inc();
    }

    pub(crate) fn count_response(&self, operation: &'static str, status: u16, duration: Duration) {
        self.responses.get_or_create(&ResponseLabels { operation, status }).inc();
        self.durations.get_or_create(&OperationLabel { operation }).observe(duration.as_secs_f64());
    }

    /// All metrics, in Prometheus's text format.
    #[must_use]
    pub fn encode(&self) -> String {
        let registry = self.registry.lock().unwrap_or_else(PoisonError::into_inner);
        let mut text = String::new();
        text::encode(&mut text, &registry).expect("a string takes any text");
        text
    }
}

impl Default for Metrics {
    fn default() -> Self {
        let metrics = Self {
            connections_open: UpDownGauge::default(),
            connections_refused: Counter::default(),
            requests_in_flight: UpDownGauge::default(),
            requests_queued: UpDownGauge::default(),
            refunds_failed: Counter::default(),
            log_lines_dropped: Counter::default(),
            database_up: Gauge::default(),
            renders_running: UpDownGauge::default(),
            renders_queued: UpDownGauge::default(),
            unavailable: Family::default(),
            rejections: Family::default(),
            responses: Family::default(),
            durations: Family::new_with_constructor(durations),
            registry: Arc::new(Mutex::new(Registry::default())),
        };
        for (name, help, gauge) in [
            ("connections_open", "Open connections of the API", &metrics.connections_open),
            (
                "requests_in_flight",
                "Requests between their key and their response",
                &metrics.requests_in_flight,
            ),
            ("requests_queued", "Requests that wait for a permit", &metrics.requests_queued),
            ("renders_running", "Statements that are made", &metrics.renders_running),
            ("renders_queued", "Statements that wait to be made", &metrics.renders_queued),
        ] {
            metrics.register(name, help, gauge.0.clone());
        }
        for (name, help, counter) in [
            (
                "connections_refused",
                "Connections closed at once, because their address had too many",
                &metrics.connections_refused,
            ),
            (
                "refunds_failed",
                "Credits of 5xx responses that could not be refunded",
                &metrics.refunds_failed,
            ),
            (
                "log_lines_dropped",
                "Lines of the request log that were dropped, because it was written too slowly",
                &metrics.log_lines_dropped,
            ),
        ] {
            metrics.register(name, help, counter.clone());
        }
        for cause in CAUSES {
            drop(metrics.unavailable.get_or_create(&CauseLabel { cause }));
        }
        for kind in REJECTIONS {
            drop(metrics.rejections.get_or_create(&KindLabel { kind }));
        }
        let help = "Responses with 503, by cause";
        metrics.register("requests_unavailable", help, metrics.unavailable.clone());
        let help = "Requests that a limit, a key or its scope did not let pass, by kind";
        metrics.register("requests_rejected", help, metrics.rejections.clone());
        let help = "1 while the database can serve requests, as /readyz asks it";
        metrics.register("database_up", help, metrics.database_up.clone());
        let version = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
        metrics.register("build", "The program", version);
        metrics.register_collector(Process::starting());
        let help = "Responses, by operation and status";
        metrics.register("requests", help, metrics.responses.clone());
        let help = "Time from a request's head to its response, by operation";
        metrics.register("request_duration_seconds", help, metrics.durations.clone());
        metrics
    }
}

/// From half a millisecond to longer than any request may take.
fn durations() -> Histogram {
    Histogram::new([
        0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 15.0, 45.0,
    ])
}

/// A gauge that is raised and lowered by guards.
#[derive(Clone, Default)]
pub(crate) struct UpDownGauge(Gauge);

impl UpDownGauge {
    /// Adds one until the guard is dropped.
    #[must_use]
    pub(crate) fn enter(&self) -> GaugeGuard {
        self.0.inc();
        GaugeGuard(self.0.clone())
    }
}

impl fmt::Debug for UpDownGauge {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "UpDownGauge({})", self.0.get())
    }
}

/// One unit of an [`UpDownGauge`].
#[derive(Debug)]
pub(crate) struct GaugeGuard(Gauge);

impl Drop for GaugeGuard {
    fn drop(&mut self) {
        self.0.dec();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encoded_metrics_show_responses_and_what_is_open_now() {
        let metrics = Metrics::default();
        metrics.count_response("getPartner", 200, Duration::from_millis(3));
        metrics.count_response("unknown", 404, Duration::from_millis(1));
        let open = metrics.connections_open.enter();
        drop(metrics.connections_open.enter());
        let text = metrics.encode();
        for line in [
            "payout_requests_total{operation=\"getPartner\",status=\"200\"} 1",
            "payout_requests_total{operation=\"unknown\",status=\"404\"} 1",
            "payout_request_duration_seconds_bucket{le=\"0.002\",operation=\"getPartner\"} 0",
            "payout_request_duration_seconds_bucket{le=\"0.005\",operation=\"getPartner\"} 1",
            "payout_connections_open 1",
            "payout_requests_unavailable_total{cause=\"overload\"} 0",
        ] {
            assert!(text.contains(&format!("{line}\n")), "{line} in {text}");
        }
        drop(open);
        assert!(metrics.encode().contains("payout_connections_open 0\n"));
    }

    #[test]
    fn registered_metric_belongs_to_one_server() {
        let (one, other) = (Metrics::default(), Metrics::default());
        let batches = Counter::<u64>::default();
        one.register("batches", "Batches", batches.clone());
        batches.inc();
        assert!(one.encode().contains("payout_batches_total 1\n"));
        assert!(!other.encode().contains("payout_batches"));
    }
}
