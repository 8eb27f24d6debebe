//! Flushes batches that were committed without waiting for the disk: one flush makes every earlier
//! batch durable. A commit from before a restart of the database is never reported durable, because
//! a later flush cannot recover it.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use futures_util::{FutureExt as _, future::Shared};
use prometheus_client::metrics::histogram::Histogram;
use sqlx::{Connection as _, PgConnection, postgres::PgConnectOptions};
use tokio::sync::{mpsc, oneshot, watch};

use super::{error::AdmissionError, store};
use crate::postgres::in_time;

const JOBS_LIMIT: usize = 1_024;
/// Interval of pings on an idle connection, which notice a restart of the database before a request
/// needs it.
const PING_INTERVAL: Duration = Duration::from_secs(1);
/// Time after which a flush counts as lost. A ping is lost after the time for a connection.
const RESPONSE_TIME_LIMIT: Duration = Duration::from_secs(5);
const RECONNECT_PAUSE: Duration = Duration::from_millis(50);

/// Resolves once a response may report a verdict. Clones share one flush.
#[derive(Clone)]
pub struct Durability(Option<Shared<oneshot::Receiver<Flushed>>>);

/// The end of a flush. Its error is `None` if the commit is from an earlier epoch.
type Flushed = Result<(), Option<Arc<sqlx::Error>>>;

impl Durability {
    /// For verdicts that are already durable or wrote nothing.
    pub(super) fn immediate() -> Self {
        Self(None)
    }

    pub(super) fn is_immediate(&self) -> bool {
        self.0.is_none()
    }

    /// Waits until the verdict is durable.
    ///
    /// # Errors
    /// [`AdmissionError::NotDurable`] if the database was lost before.
    pub async fn wait(self) -> Result<(), AdmissionError> {
        let Some(flushed) = self.0 else {
            return Ok(());
        };
        flushed.await.unwrap_or(Err(None)).map_err(AdmissionError::NotDurable)
    }
}

/// The lifetime of one connection of the flusher, during which the database did not restart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Epoch(u64);

/// The current epoch, or the error that ended the latest or prevents the next.
type CurrentEpoch = Result<Epoch, Option<Arc<sqlx::Error>>>;

/// Sends jobs to the flusher's task, which ends with the last `Flusher`.
#[derive(Clone, Debug)]
pub(super) struct Flusher {
    epoch: Arc<watch::Sender<CurrentEpoch>>,
    jobs: mpsc::UnboundedSender<Job>,
    connect_limit: Duration,
}

enum Job {
    /// Flush the commits of this epoch.
    Flush(Epoch, oneshot::Sender<Flushed>),
    Check,
}

impl Flusher {
    pub(super) fn start(
        connect: PgConnectOptions,
        connect_limit: Duration,
        flush_seconds: Histogram,
    ) -> Self {
        let epoch = Arc::new(watch::Sender::new(Err(None)));
        let (sender, receiver) = mpsc::unbounded_channel();
        let task = Task {
            connect: connect.options([("synchronous_commit", "on")]),
            connect_limit,
            jobs: receiver,
            epoch: Arc::clone(&epoch),
            flush_seconds,
        };
        tokio::spawn(task.run());
        Self { epoch, jobs: sender, connect_limit }
    }

    /// Returns the current epoch. It is read before a commit that does not wait: if the epoch ends
    /// before the flush, it is not known whether the commit survived.
    pub(super) async fn epoch(&self) -> Result<Epoch, AdmissionError> {
        let mut epoch = self.epoch.subscribe();
        let known = epoch.wait_for(Result::is_ok);
        let _ = tokio::time::timeout(self.connect_limit, known).await;
        let epoch = epoch.borrow().clone();
        epoch.map_err(|error| {
            AdmissionError::Database(error.unwrap_or_else(|| sqlx::Error::PoolTimedOut.into()))
        })
    }

    /// Suspends the epoch until the flusher has checked its connection, because another one broke.
    pub(super) fn check_connection(&self) {
        let _ = self.epoch.send_replace(Err(None));
        // The task outlives this value.
        let _ = self.jobs.send(Job::Check);
    }

    /// Flushes the commits of this epoch; each verdict of a batch waits for that.
    pub(super) fn flush(&self, epoch: Epoch) -> Durability {
        let (sender, flushed) = oneshot::channel();
        // Where the task has ended, the dropped sender reports it.
        let _ = self.jobs.send(Job::Flush(epoch, sender));
        Durability(Some(flushed.shared()))
    }
}

struct Task {
    connect: PgConnectOptions,
    connect_limit: Duration,
    jobs: mpsc::UnboundedReceiver<Job>,
    epoch: Arc<watch::Sender<CurrentEpoch>>,
    flush_seconds: Histogram,
}

impl Task {
    /// Connects, and connects again when the connection ends.
    async fn run(mut self) {
        let mut number = 0;
        while !self.jobs.is_closed() || !self.jobs.is_empty() {
            let connect = PgConnection::connect_with(&self.connect);
            // Requests wait for the whole limit, so an attempt that hangs leaves time for another.
            let connection = match in_time(self.connect_limit / 2, connect).await {
                Ok(connection) => connection,
                Err(error) => {
                    let _ = self.epoch.send_replace(Err(Some(Arc::new(error))));
                    tokio::time::sleep(RECONNECT_PAUSE).await;
                    continue;
                }
            };
            number += 1;
            let _ = self.epoch.send_replace(Ok(Epoch(number)));
            match self.serve(connection, Epoch(number)).await {
                Ok(()) => return,
                Err(error) => {
                    tracing::warn!(%error, "the flusher has lost its connection");
                    let _ = self.epoch.send_replace(Err(Some(error)));
                }
            }
        }
    }

    /// Does jobs until their senders are gone or the connection breaks.
    async fn serve(
        &mut self,
        mut connection: PgConnection,
        epoch: Epoch,
    ) -> Result<(), Arc<sqlx::Error>> {
        let mut jobs = Vec::new();
        loop {
            let received = self.jobs.recv_many(&mut jobs, JOBS_LIMIT);
            if tokio::time::timeout(PING_INTERVAL, received).await == Ok(0) {
                return Ok(());
            }
            let response = if jobs.iter().any(|job| matches!(job, Job::Flush(..))) {
                let begun = Instant::now();
                let flushed = in_time(RESPONSE_TIME_LIMIT, store::flush(&mut connection)).await;
                self.flush_seconds.observe(begun.elapsed().as_secs_f64());
                flushed
            } else {
                in_time(self.connect_limit, connection.ping()).await
            };
            let response = response.map_err(Arc::new);
            for job in jobs.drain(..) {
                self.complete(job, epoch, &response);
            }
            response?;
        }
    }

    fn complete(&self, job: Job, epoch: Epoch, response: &Result<(), Arc<sqlx::Error>>) {
        match job {
            Job::Flush(committed, sender) => {
                // The requests of the batch may have ended.
                let _ = sender.send(match response {
                    Err(error) => Err(Some(Arc::clone(error))),
                    Ok(()) if committed == epoch => Ok(()),
                    Ok(()) => Err(None),
                });
            }
            Job::Check if response.is_ok() => {
                let _ = self.epoch.send_replace(Ok(epoch));
            }
            Job::Check => {}
        }
    }
}
