//! Admits requests in batches. One statement decides the requests that have gathered and commits
//! without waiting for the disk; the flusher reports when its verdicts are durable.

use std::time::Duration;

use prometheus_client::metrics::histogram::Histogram;
use sqlx::postgres::PgConnectOptions;

use super::{
    error::AdmissionError,
    flusher::{Durability, Flusher},
    lanes::AdmissionLane,
    refunds::{Refund, RefundError, Refunds},
    statement_runner::StatementRunner,
    verdict::{AdmissionRequest, Charge, Verdict},
};
use crate::{
    id::OrganizationId,
    postgres::{Batcher, Connections, POINT_LOOKUP_SETTINGS},
    telemetry::Telemetry,
};

/// A hash join connects grants with requests: a nested loop would compare each request with every
/// organisation of its batch. If a hash join also finds the meters, they are still updated in the
/// order of their ids, because both sides of that join are read in it.
const SETTINGS: [(&str, &str); 1] = [("enable_hashjoin", "on")];

#[derive(Clone, Copy, Debug)]
pub struct AdmissionOptions {
    /// Concurrent batches, each on a connection of its own.
    pub lanes: usize,
    /// Largest batch that waits for its own commit, which saves a round trip. A larger batch leaves
    /// that to the flusher, whose flush serves other lanes as well, and its handlers start
    /// meanwhile.
    pub at_once: usize,
    pub batch_size: usize,
    /// Time that a lane waits for its connection before its requests get a 503.
    pub connect_limit: Duration,
}

/// A verdict. Handlers may start at once, but no response leaves before the verdict is durable
/// (A8).
pub struct Admitted {
    pub verdict: Verdict,
    pub durability: Durability,
}

pub struct BatchedAdmission {
    requests: Batcher<AdmissionLane>,
    refunds: Refunds,
}

impl BatchedAdmission {
    /// Starts lanes to the database, whose role sees keys and meters of all organisations. The
    /// lanes end with this value.
    pub fn start(
        connect: &PgConnectOptions,
        options: AdmissionOptions,
        telemetry: &Telemetry,
    ) -> Self {
        let metrics = &telemetry.metrics;
        let batch_requests = Histogram::new([1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0]);
        let help = "Requests admitted by one statement";
        metrics.register("admission_batch_requests", help, batch_requests.clone());
        let seconds = [0.000_5, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.2, 1.0];
        let flush_seconds = Histogram::new(seconds);
        let help = "Time that one flush of the database's log took";
        metrics.register("admission_flush_seconds", help, flush_seconds.clone());
        let flusher = Flusher::start(connect.clone(), options.connect_limit, flush_seconds);
        let connect = connect.clone().options(POINT_LOOKUP_SETTINGS).options(SETTINGS);
        let connection = |synchronous_commit| {
            let setting = [("synchronous_commit", synchronous_commit)];
            let connect = connect.clone().options(setting);
            Connections::new(connect, 1, options.connect_limit)
        };
        let runner = |synchronous_commit| {
            StatementRunner::new(connection(synchronous_commit), flusher.clone())
        };
        let lane = || {
            let (durable, deferred) = (runner("on"), runner("off"));
            AdmissionLane::new(durable, deferred, options.at_once, batch_requests.clone())
        };
        Self {
            requests: Batcher::start(options.lanes, options.batch_size, lane),
            refunds: Refunds::start(|| connection("on"), options.batch_size, telemetry),
        }
    }

    /// Decides, counts and charges.
    pub async fn admit(&self, request: AdmissionRequest) -> Result<Admitted, AdmissionError> {
        self.requests.submit(request).await?
    }

    /// Durably returns a credit after a 5xx to the month it was taken from. After that month the
    /// refund is dropped (A7). If the database cannot take it now, it is sent later.
    pub async fn refund(
        &self,
        organization: &OrganizationId,
        charge: Charge,
    ) -> Result<(), RefundError> {
        self.refunds.refund(Refund { organization: organization.clone(), charge, credits: 1 }).await
    }
}
