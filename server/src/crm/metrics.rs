//! Metrics of syncs: how many wait and run, and how they and their tries end.

use prometheus_client::metrics::{counter::Counter, family::Family, gauge::Gauge};

use super::{hubspot::ReadError, model::Failure};
use crate::telemetry::{Label, Metrics, UpDownGauge};

/// How a sync ends, besides the codes of failures.
const SUCCEEDED: &str = "SUCCEEDED";
const CODES: [&str; 5] =
    ["OBJECT_NOT_FOUND", "CRM_UNAUTHORIZED", "CRM_RATE_LIMITED", "CRM_UNAVAILABLE", "NO_PARTNER"];
const TRIES: [&str; 6] =
    ["read", "not-found", "unauthorized", "rate-limited", "unavailable", "unusable"];

#[derive(Clone)]
pub(crate) struct SyncMetrics {
    pub(super) running: UpDownGauge,
    queued: Gauge,
    oldest_seconds: Gauge,
    ended: Family<Label, Counter>,
    tries: Family<Label, Counter>,
}

impl SyncMetrics {
    pub(crate) fn register(metrics: &Metrics) -> Self {
        let own = Self {
            running: UpDownGauge::default(),
            queued: Gauge::default(),
            oldest_seconds: Gauge::default(),
            ended: Family::default(),
            tries: Family::default(),
        };
        for outcome in CODES.into_iter().chain([SUCCEEDED]) {
            drop(own.ended.get_or_create(&[("outcome", outcome)]));
        }
        for result in TRIES {
            drop(own.tries.get_or_create(&[("result", result)]));
        }
        let help = "Syncs with CRMs that this server runs";
        metrics.register("crm_syncs_running", help, own.running.gauge());
        let help = "Syncs with CRMs that wait to be run, of all servers";
        metrics.register("crm_syncs_queued", help, own.queued.clone());
        let help = "How long the oldest of them has waited";
        metrics.register("crm_oldest_queued_seconds", help, own.oldest_seconds.clone());
        metrics.register("crm_syncs", "Syncs with CRMs that ended, by outcome", own.ended.clone());
        let help = "Requests to CRMs, by what became of them";
        metrics.register("crm_tries", help, own.tries.clone());
        own
    }

    pub(super) fn set_waiting(&self, queued: i64, oldest_seconds: i64) {
        self.queued.set(queued);
        self.oldest_seconds.set(oldest_seconds);
    }

    pub(super) fn count_try(&self, error: Option<&ReadError>) {
        let result = match error {
            None => TRIES[0],
            Some(ReadError::NotFound) => TRIES[1],
            Some(ReadError::Unauthorized) => TRIES[2],
            Some(ReadError::RateLimited(_)) => TRIES[3],
            Some(ReadError::Unavailable(_)) => TRIES[4],
            Some(ReadError::Unusable(_)) => TRIES[5],
        };
        self.tries.get_or_create(&[("result", result)]).inc();
    }

    pub(super) fn count_end(&self, failure: Option<Failure>) {
        let outcome = failure.map_or(SUCCEEDED, |failure| failure.code);
        self.ended.get_or_create(&[("outcome", outcome)]).inc();
    }
}
