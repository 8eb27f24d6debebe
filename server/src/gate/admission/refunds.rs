//! Refunds credits. A refund that the database could not take waits in memory and is sent again. No
//! credit is refunded twice: a commit whose result is unknown is not repeated.

use std::{
    collections::HashMap,
    sync::{Arc, Weak},
    time::{Duration, Instant},
};

use futures_util::future::join_all;
use parking_lot::Mutex;
use prometheus_client::metrics::{counter::Counter, gauge::Gauge};
use sqlx::Connection as _;
use tokio_util::task::TaskTracker;

use super::{store, verdict::Charge};
use crate::{
    id::OrganizationId,
    postgres::{BatchLost, Batcher, Connections, RESPONSE_TIME_LIMIT, Worker, in_time},
    telemetry::Telemetry,
};

/// Pairs of organisation and month whose refunds may wait at once; refunds of others are dropped.
const WAITING_LIMIT: usize = 65_536;
const RETRY_PAUSE: Duration = Duration::from_millis(250);
/// Time for which a server that stops goes on trying.
const STOP_TIME_LIMIT: Duration = Duration::from_secs(2);

#[derive(Clone, Debug)]
pub(super) struct Refund {
    pub(super) organization: OrganizationId,
    pub(super) charge: Charge,
    pub(super) credits: i64,
}

#[derive(Clone, Debug, thiserror::Error)]
pub enum RefundError {
    #[error("the database was lost during the commit, so the credit may not be refunded")]
    InDoubt,
    #[error("the database is away, and too many refunds wait for it")]
    TooManyWait,
}

/// The result of a batch; `Err` if the batch certainly was not committed.
type Sent = Result<Result<(), RefundError>, Arc<sqlx::Error>>;

/// Refunds batches of credits, each in one durable transaction: until its commit is sent, it is
/// certain that nothing was refunded.
struct RefundLane(Connections);

impl Worker for RefundLane {
    type Item = Refund;
    type Output = Sent;

    async fn process(&mut self, refunds: Vec<Refund>) -> Vec<Sent> {
        let sent = self.send(&refunds).await.map_err(Arc::new);
        vec![sent; refunds.len()]
    }
}

impl RefundLane {
    /// Closes the connection after an error, which ends its transaction.
    async fn send(&mut self, refunds: &[Refund]) -> Result<Result<(), RefundError>, sqlx::Error> {
        let mut connection = self.0.get().await?;
        let begun = async {
            let mut transaction = connection.begin().await?;
            store::refund(&mut transaction, refunds).await?;
            Ok(transaction)
        };
        let transaction = in_time(RESPONSE_TIME_LIMIT, begun).await?;
        if in_time(RESPONSE_TIME_LIMIT, transaction.commit()).await.is_err() {
            return Ok(Err(RefundError::InDoubt));
        }
        connection.put_back();
        Ok(Ok(()))
    }
}

pub(super) struct Refunds {
    lane: Arc<Batcher<RefundLane>>,
    waiting: Arc<Waiting>,
    batch_size: usize,
    tasks: TaskTracker,
}

impl Refunds {
    pub(super) fn start(
        connection: impl Fn() -> Connections,
        batch_size: usize,
        telemetry: &Telemetry,
    ) -> Self {
        let credits = Gauge::default();
        let help = "Credits of 5xx responses whose refund waits for the database";
        telemetry.metrics.register("refunds_waiting", help, credits.clone());
        let failed = telemetry.metrics.refunds_failed.clone();
        Self {
            lane: Arc::new(Batcher::start(1, batch_size, || RefundLane(connection()))),
            waiting: Arc::new(Waiting::new(WAITING_LIMIT, credits, failed)),
            batch_size,
            tasks: telemetry.detached_tasks.clone(),
        }
    }

    /// Refunds a credit, now or when the database can take it.
    pub(super) async fn refund(&self, refund: Refund) -> Result<(), RefundError> {
        let error = match self.lane.submit(refund.clone()).await {
            Ok(Ok(sent)) => return sent.inspect_err(|_| self.waiting.count_failed(&refund)),
            Ok(Err(error)) => error,
            Err(BatchLost) => {
                self.waiting.count_failed(&refund);
                return Err(RefundError::InDoubt);
            }
        };
        if self.waiting.add(refund)? {
            let error: &(dyn std::error::Error + 'static) = &error;
            tracing::warn!(error, "refunds of credits wait until the database takes them");
            let (lane, waiting) = (Arc::downgrade(&self.lane), Arc::clone(&self.waiting));
            let resend = resend(lane, waiting, self.batch_size, self.tasks.clone());
            self.tasks.spawn(resend);
        }
        Ok(())
    }
}

/// Sends waiting refunds until none waits, the server is gone, or the time of a server that stops
/// is over.
async fn resend(
    lane: Weak<Batcher<RefundLane>>,
    waiting: Arc<Waiting>,
    batch_size: usize,
    tasks: TaskTracker,
) {
    let mut stops_at = None;
    loop {
        tokio::time::sleep(RETRY_PAUSE).await;
        let Some(lane) = lane.upgrade() else {
            return;
        };
        let Some(refunds) = waiting.next(batch_size) else {
            tracing::info!("all waiting refunds of credits were sent");
            return;
        };
        let sent = join_all(refunds.iter().map(|refund| lane.submit(refund.clone()))).await;
        for (refund, sent) in refunds.iter().zip(sent) {
            match sent {
                Ok(Ok(Ok(()))) => waiting.remove(refund),
                Ok(Ok(Err(_))) | Err(BatchLost) => {
                    waiting.remove(refund);
                    waiting.report_lost(refund);
                }
                Ok(Err(_)) => {}
            }
        }
        if tasks.is_closed() {
            let stops_at = *stops_at.get_or_insert_with(|| Instant::now() + STOP_TIME_LIMIT);
            if Instant::now() >= stops_at {
                return;
            }
        }
    }
}

/// Refunds that certainly were not committed. Dropping it logs the rest, which is lost.
struct Waiting {
    state: Mutex<WaitingState>,
    limit: usize,
    credits: Gauge,
    failed: Counter,
}

#[derive(Debug, Default)]
struct WaitingState {
    refunds: HashMap<(OrganizationId, Charge), i64>,
    /// A task sends the refunds.
    is_sending: bool,
}

impl Waiting {
    fn new(limit: usize, credits: Gauge, failed: Counter) -> Self {
        Self { state: Mutex::default(), limit, credits, failed }
    }

    /// Keeps a refund. Returns true if a task must be started to send it.
    fn add(&self, refund: Refund) -> Result<bool, RefundError> {
        let mut state = self.state.lock();
        let key = (refund.organization.clone(), refund.charge);
        if state.refunds.len() >= self.limit && !state.refunds.contains_key(&key) {
            self.count_failed(&refund);
            return Err(RefundError::TooManyWait);
        }
        *state.refunds.entry(key).or_default() += refund.credits;
        self.credits.inc_by(refund.credits);
        Ok(!std::mem::replace(&mut state.is_sending, true))
    }

    /// Returns some waiting refunds; `None` ends the task that sends them.
    fn next(&self, count: usize) -> Option<Vec<Refund>> {
        let mut state = self.state.lock();
        let refunds = state.refunds.iter().take(count).map(refund).collect::<Vec<_>>();
        state.is_sending = !refunds.is_empty();
        state.is_sending.then_some(refunds)
    }

    /// Removes a refund that was sent; credits added meanwhile stay.
    fn remove(&self, refund: &Refund) {
        let mut state = self.state.lock();
        let key = (refund.organization.clone(), refund.charge);
        if let Some(credits) = state.refunds.get_mut(&key) {
            *credits -= refund.credits;
            if *credits == 0 {
                state.refunds.remove(&key);
            }
        }
        self.credits.dec_by(refund.credits);
    }

    fn count_failed(&self, refund: &Refund) {
        self.failed.inc_by(refund.credits.unsigned_abs());
    }

    fn report_lost(&self, refund: &Refund) {
        self.count_failed(refund);
        tracing::error!(
            organization = %refund.organization,
            month = %refund.charge.month(),
            credits = refund.credits,
            "credits were not refunded: give them back with `payout-server organizations credit`"
        );
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let refunds = std::mem::take(&mut self.state.lock().refunds);
        refunds.iter().map(refund).for_each(|refund| self.report_lost(&refund));
    }
}

fn refund(((organization, charge), credits): (&(OrganizationId, Charge), &i64)) -> Refund {
    Refund { organization: organization.clone(), charge: *charge, credits: *credits }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refund(organization: u32, credits: i64) -> Refund {
        let organization = OrganizationId::parse(&format!("org_{organization:026}")).unwrap();
        let charge = Charge::to("2026-06-01T00:00:00Z".parse().unwrap());
        Refund { organization, charge, credits }
    }

    #[test]
    fn refunds_wait_as_one_number_per_organisation_up_to_a_limit() {
        let (credits, failed) = (Gauge::default(), Counter::default());
        let waiting = Waiting::new(2, credits.clone(), failed.clone());
        assert!(waiting.add(refund(1, 1)).unwrap());
        assert!(!waiting.add(refund(1, 1)).unwrap());
        assert!(!waiting.add(refund(2, 1)).unwrap());
        assert!(matches!(waiting.add(refund(3, 1)), Err(RefundError::TooManyWait)));
        assert!(!waiting.add(refund(2, 1)).unwrap());
        assert_eq!((credits.get(), failed.get()), (4, 1));
        let sent = waiting.next(1).unwrap().remove(0);
        assert_eq!(sent.credits, 2);
        assert!(!waiting.add(Refund { credits: 5, ..sent.clone() }).unwrap());
        waiting.remove(&sent);
        let left: i64 = waiting.next(9).unwrap().iter().map(|refund| refund.credits).sum();
        assert_eq!((left, credits.get()), (7, 7));
        drop(waiting);
        assert_eq!(failed.get(), 8);
    }

    #[test]
    fn task_is_started_again_once_nothing_waits() {
        let waiting = Waiting::new(2, Gauge::default(), Counter::default());
        assert!(waiting.add(refund(1, 1)).unwrap());
        waiting.remove(&refund(1, 1));
        assert!(waiting.next(1).is_none());
        assert!(waiting.add(refund(1, 1)).unwrap());
    }
}
