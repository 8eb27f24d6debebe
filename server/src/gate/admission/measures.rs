//! What admission measures of itself: how many requests a batch holds, and how long a flush takes.
//!
//! It refuses to tell whose requests they were.

use prometheus_client::metrics::histogram::Histogram;

use crate::metrics::Metrics;

/// Measures of one server's admission; a clone measures into the same.
#[derive(Clone, Debug)]
pub(super) struct Measures {
    /// Requests in each batch.
    pub(super) batch_requests: Histogram,
    /// Seconds that each flush took.
    pub(super) flush_seconds: Histogram,
}

impl Measures {
    /// Measures that `metrics` tells of.
    pub(super) fn registered(metrics: &Metrics) -> Self {
        let measures = Self {
            batch_requests: Histogram::new([1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0]),
            flush_seconds: Histogram::new([
                0.000_5, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.2, 1.0,
            ]),
        };
        metrics.register(
            "admission_batch_requests",
            "Requests admitted by one statement",
            measures.batch_requests.clone(),
        );
        metrics.register(
            "admission_flush_seconds",
            "Time that one flush of the database's log took",
            measures.flush_seconds.clone(),
        );
        measures
    }
}
