//! Histograms of admission: the size of batches, and the time of flushes.

use prometheus_client::metrics::histogram::Histogram;

use crate::telemetry::Metrics;

/// Histograms of one server's admission.
#[derive(Debug)]
pub(super) struct AdmissionMetrics {
    pub(super) batch_requests: Histogram,
    /// Seconds that each flush took.
    pub(super) flush_seconds: Histogram,
}

impl AdmissionMetrics {
    pub(super) fn registered(metrics: &Metrics) -> Self {
        let batch_requests = Histogram::new([1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0]);
        let help = "Requests admitted by one statement";
        metrics.register("admission_batch_requests", help, batch_requests.clone());
        let seconds = [0.000_5, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.2, 1.0];
        let flush_seconds = Histogram::new(seconds);
        let help = "Time that one flush of the database's log took";
        metrics.register("admission_flush_seconds", help, flush_seconds.clone());
        Self { batch_requests, flush_seconds }
    }
}
