//! What is counted and measured, for `/metrics`.
//!
//! It refuses labels that name a tenant: no organisation, no key, no address. It refuses a registry that all share as well:
//! two servers in one process count apart.

use std::{
    fmt,
    ops::Deref,
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
/// What stands for the operation where a request asked for none.
const NO_OPERATION: &str = "none";

/// The counters of one server; a clone counts into the same.
#[derive(Clone, Debug, Default)]
pub struct Metrics(Arc<Instruments>);

/// What is counted in more than one room. A room that counts for itself alone registers its own: [`Metrics::register`].
#[derive(Debug)]
pub struct Instruments {
    /// Open connections of the API.
    pub connections_open: Level,
    /// Connections that were closed at once, because their address had too many.
    pub connections_refused: Counter,
    /// Requests between their key and their answer.
    pub requests_in_flight: Level,
    /// Requests that wait for a place among those.
    pub requests_queued: Level,
    /// Requests that were answered 503 because they found no place.
    pub requests_shed: Counter,
    /// Requests that were answered 503 because their time was up.
    pub requests_late: Counter,
    /// Credits of 5xx answers that could not be given back.
    pub credits_not_given_back: Counter,
    answered: Family<Answered, Counter>,
    durations: Family<OfOperation, Histogram, fn() -> Histogram>,
    registry: Mutex<Registry>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Answered {
    operation: &'static str,
    status: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfOperation {
    operation: &'static str,
}

impl Metrics {
    /// Adds a metric of one room. Its name gets our prefix, and a counter's the suffix `_total`.
    pub fn register(&self, name: &str, help: &str, metric: impl Metric) {
        let mut registry = self.registry.lock().unwrap_or_else(PoisonError::into_inner);
        registry.register(name, help, metric);
    }

    /// Counts an answer.
    pub fn answered(&self, operation: Option<&'static str>, status: u16, duration: Duration) {
        let operation = operation.unwrap_or(NO_OPERATION);
        self.answered
            .get_or_create(&Answered { operation, status })
            .inc();
        self.durations
            .get_or_create(&OfOperation { operation })
            .observe(duration.as_secs_f64());
    }

    /// Everything, in the text format that Prometheus reads.
    #[must_use]
    pub fn encode(&self) -> String {
        let registry = self.registry.lock().unwrap_or_else(PoisonError::into_inner);
        let mut text = String::new();
        text::encode(&mut text, &registry).expect("a string takes any text");
        text
    }
}

impl Deref for Metrics {
    type Target = Instruments;

    fn deref(&self) -> &Instruments {
        &self.0
    }
}

impl Default for Instruments {
    fn default() -> Self {
        let instruments = Self {
            connections_open: Level::default(),
            connections_refused: Counter::default(),
            requests_in_flight: Level::default(),
            requests_queued: Level::default(),
            requests_shed: Counter::default(),
            requests_late: Counter::default(),
            credits_not_given_back: Counter::default(),
            answered: Family::default(),
            durations: Family::new_with_constructor(durations),
            registry: Mutex::new(Registry::with_prefix(PREFIX)),
        };
        instruments.register_all();
        instruments
    }
}

impl Instruments {
    fn register_all(&self) {
        let mut registry = self.registry.lock().unwrap_or_else(PoisonError::into_inner);
        let mut gauge = |name: &str, help: &str, level: &Level| {
            registry.register(name, help, level.0.clone());
        };
        gauge(
            "connections_open",
            "Open connections of the API",
            &self.connections_open,
        );
        gauge(
            "requests_in_flight",
            "Requests between their key and their answer",
            &self.requests_in_flight,
        );
        gauge(
            "requests_queued",
            "Requests that wait for a place among those in flight",
            &self.requests_queued,
        );
        let mut counter = |name: &str, help: &str, counter: &Counter| {
            registry.register(name, help, counter.clone());
        };
        counter(
            "connections_refused",
            "Connections closed at once, because their address had too many",
            &self.connections_refused,
        );
        counter(
            "requests_shed",
            "Requests answered 503 because no place in flight was free in time",
            &self.requests_shed,
        );
        counter(
            "requests_late",
            "Requests answered 503 because their time was up",
            &self.requests_late,
        );
        counter(
            "credits_not_given_back",
            "Credits of 5xx answers that could not be given back",
            &self.credits_not_given_back,
        );
        registry.register(
            "requests",
            "Requests answered, by operation and status",
            self.answered.clone(),
        );
        registry.register(
            "request_duration_seconds",
            "Time from a request's head to its answer, by operation",
            self.durations.clone(),
        );
    }
}

/// From half a millisecond to longer than any request may take.
fn durations() -> Histogram {
    Histogram::new([
        0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 15.0, 45.0,
    ])
}

/// How many there are now.
#[derive(Clone, Default)]
pub struct Level(Gauge);

impl Level {
    /// One more, until what is returned is dropped.
    #[must_use]
    pub fn entered(&self) -> Entered {
        self.0.inc();
        Entered(self.0.clone())
    }
}

impl fmt::Debug for Level {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Level({})", self.0.get())
    }
}

/// One of them.
#[derive(Debug)]
pub struct Entered(Gauge);

impl Drop for Entered {
    fn drop(&mut self) {
        self.0.dec();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_counted_is_told_and_what_ended_is_not() {
        let metrics = Metrics::default();
        metrics.answered(Some("getPartner"), 200, Duration::from_millis(3));
        metrics.answered(None, 404, Duration::from_millis(1));
        let open = metrics.connections_open.entered();
        drop(metrics.connections_open.entered());
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
    fn room_adds_its_own_and_two_servers_count_apart() {
        let (one, other) = (Metrics::default(), Metrics::default());
        let batches = Counter::<u64>::default();
        one.register("batches", "Batcher", batches.clone());
        batches.inc();
        assert!(one.encode().contains("payout_batches_total 1\n"));
        assert!(!other.encode().contains("payout_batches"));
    }
}
