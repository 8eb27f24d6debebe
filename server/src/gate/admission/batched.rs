//! Admission by batches: one statement decides the requests that have gathered, and commits without
//! waiting for the disk; the flusher reports when its verdicts are durable.

use std::time::Duration;

use sqlx::postgres::PgConnectOptions;

use super::{
    error::AdmissionError,
    flusher::{Durability, Flusher},
    lanes::{AdmissionLane, RefundLane},
    metrics::AdmissionMetrics,
    statement_runner::StatementRunner,
    verdict::{AdmissionRequest, Charge, Verdict},
};
use crate::{
    batcher::Batcher,
    id::OrganizationId,
    metrics::Metrics,
    persistent_connection::{POINT_LOOKUP_SETTINGS, PersistentConnection},
};

/// What was charged is joined to the requests by hash: a nested loop would compare each request
/// with every organisation of its batch. Where the meters are found by hash as well, they are still
/// updated in the order of their ids: both sides of that join are read in it.
const SETTINGS: [(&str, &str); 1] = [("enable_hashjoin", "on")];

/// How requests are admitted.
#[derive(Clone, Copy, Debug)]
pub struct AdmissionOptions {
    /// Batches in progress at once, each on a connection of its own.
    pub lanes: usize,
    /// A batch of at most so many requests waits for its own commit, which saves a round trip. A
    /// larger one leaves that to the flusher, whose flush serves other lanes as well, and its
    /// handlers start meanwhile.
    pub at_once: usize,
    /// Requests in one batch at most.
    pub batch_size: usize,
    /// How long a lane waits for its connection; after it: 503.
    pub connect_limit: Duration,
}

/// A verdict. Handlers may start on it at once, but no response leaves before it is durable (A8).
#[derive(Debug)]
pub struct Admitted {
    /// The gate's decision.
    pub verdict: Verdict,
    /// When a response may report it.
    pub durability: Durability,
}

#[derive(Debug)]
pub struct BatchedAdmission {
    requests: Batcher<AdmissionLane>,
    refunds: Batcher<RefundLane>,
}

impl BatchedAdmission {
    /// Starts lanes to the database, whose role sees keys and meters of all organisations. They end
    /// with this value.
    #[must_use]
    pub fn start(connect: &PgConnectOptions, options: AdmissionOptions, metrics: &Metrics) -> Self {
        let AdmissionMetrics { batch_requests, flush_seconds } =
            AdmissionMetrics::registered(metrics);
        let flusher = Flusher::start(connect.clone(), options.connect_limit, flush_seconds);
        let connect = connect.clone().options(POINT_LOOKUP_SETTINGS).options(SETTINGS);
        let runner = |synchronous_commit| {
            let setting = [("synchronous_commit", synchronous_commit)];
            let connect = connect.clone().options(setting);
            let connection = PersistentConnection::new(connect, options.connect_limit);
            StatementRunner::new(connection, flusher.clone())
        };
        let lane = || {
            let (durable, deferred) = (runner("on"), runner("off"));
            AdmissionLane::new(durable, deferred, options.at_once, batch_requests.clone())
        };
        Self {
            requests: Batcher::start(options.lanes, options.batch_size, lane),
            refunds: Batcher::start(1, options.batch_size, || RefundLane(runner("off"))),
        }
    }

    /// Decides, counts and charges.
    ///
    /// # Errors
    /// See [`AdmissionError`].
    pub async fn admit(&self, request: AdmissionRequest) -> Result<Admitted, AdmissionError> {
        self.requests.submit(request).await?
    }

    /// Refunds a credit after a 5xx, durably, to the month it was taken from. After that month it
    /// is dropped (A7).
    ///
    /// # Errors
    /// See [`AdmissionError`].
    pub async fn refund(
        &self,
        organization: &OrganizationId,
        charge: Charge,
    ) -> Result<(), AdmissionError> {
        let refund = (organization.clone(), charge);
        self.refunds.submit(refund).await??.wait().await
    }
}
