//! Counters, gauges and histograms of one server, for `/metrics`. No label names a tenant, a key or
//! an address, and two servers in one process count separately.

use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use prometheus_client::{
    encoding::{EncodeLabelSet, text},
    metrics::{counter::Counter, family::Family, gauge::Gauge, histogram::Histogram},
    registry::{Metric, Registry},
};

/// Begins the name of every metric.
const PREFIX: &str = "payout";
/// The label of requests that match no operation.
const NO_OPERATION: &str = "none";

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
    /// Requests that got a 503 because no permit was free in time.
    pub(crate) requests_shed: Counter,
    /// Requests that got a 503 because they took too long.
    pub(crate) requests_late: Counter,
    /// Credits of 5xx responses that could not be refunded.
    pub(crate) refunds_failed: Counter,
    /// Lines of the request log that were not written.
    pub(crate) log_lines_dropped: Counter,
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
struct OperationLabel {
    operation: &'static str,
}

impl Metrics {
    /// Adds a metric. Its name gets our prefix, and a counter's the suffix `_total`.
    pub(crate) fn register(&self, name: &str, help: &str, metric: impl Metric) {
        let mut registry = self.registry.lock().unwrap_or_else(PoisonError::into_inner);
        registry.register(name, help, metric);
    }

    pub(crate) fn count_response(
        &self,
        operation: Option<&'static str>,
        status: u16,
        duration: Duration,
    ) {
        let operation = operation.unwrap_or(NO_OPERATION);
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
            requests_shed: Counter::default(),
            requests_late: Counter::default(),
            refunds_failed: Counter::default(),
            log_lines_dropped: Counter::default(),
            responses: Family::default(),
            durations: Family::new_with_constructor(durations),
            registry: Arc::new(Mutex::new(Registry::with_prefix(PREFIX))),
        };
        for (name, help, gauge) in [
            ("connections_open", "Open connections of the API", &metrics.connections_open),
            (
                "requests_in_flight",
                "Requests between their key and their response",
                &metrics.requests_in_flight,
            ),
            ("requests_queued", "Requests that wait for a permit", &metrics.requests_queued),
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
                "requests_shed",
                "Requests that got a 503 because no permit was free in time",
                &metrics.requests_shed,
            ),
            (
                "requests_late",
                "Requests that got a 503 because they took too long",
                &metrics.requests_late,
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
        metrics.count_response(Some("getPartner"), 200, Duration::from_millis(3));
        metrics.count_response(None, 404, Duration::from_millis(1));
        let open = metrics.connections_open.enter();
        drop(metrics.connections_open.enter());
        let text = metrics.encode();
        for line in [
            "payout_requests_total{operation=\"getPartner\",status=\"200\"} 1",
            "payout_requests_total{operation=\"none\",status=\"404\"} 1",
            "payout_request_duration_seconds_bucket{le=\"0.002\",operation=\"getPartner\"} 0",
            "payout_request_duration_seconds_bucket{le=\"0.005\",operation=\"getPartner\"} 1",
            "payout_connections_open 1",
            "payout_requests_shed_total 0",
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
