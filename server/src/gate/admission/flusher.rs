//! Durability of what was committed without waiting for the disk: one flush serves every batch that came before it.
//!
//! It refuses to call a commit durable that another life of the database made: what a crash has forgotten, no later flush
//! can bring back.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use prometheus_client::metrics::histogram::Histogram;
use sqlx::{Connection as _, PgConnection, postgres::PgConnectOptions};
use tokio::sync::{mpsc, watch};

use super::{admit::AdmissionError, store};

/// Batcher that one flush serves at most.
const BATCHES_LIMIT: usize = 1_024;
/// How often the connection is asked for a sign of life while there is nothing to flush, so that a restart of the database
/// is noticed before a request needs it.
const IDLE_LIMIT: Duration = Duration::from_secs(1);
/// A flush or a sign of life that takes longer has lost the database.
const ANSWER_LIMIT: Duration = Duration::from_secs(5);
/// Between two attempts to connect.
const RECONNECT_PAUSE: Duration = Duration::from_millis(50);

/// When a verdict may be told.
#[derive(Debug)]
pub struct Durability(Option<watch::Receiver<Flush>>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flush {
    Due,
    Done,
    Failed,
}

impl Durability {
    /// Of what is durable already, or of what nothing was written for.
    #[must_use]
    pub fn reached_already() -> Self {
        Self(None)
    }

    /// Whether there is nothing to wait for.
    #[must_use]
    pub fn is_reached_already(&self) -> bool {
        self.0.is_none()
    }

    /// Waits until it is reached.
    ///
    /// # Errors
    /// [`AdmissionError::NotDurable`]: the database was lost before.
    pub async fn reached(self) -> Result<(), AdmissionError> {
        let Some(mut flush) = self.0 else {
            return Ok(());
        };
        let flush = flush.wait_for(|flush| *flush != Flush::Due).await;
        match flush.as_deref() {
            Ok(Flush::Done) => Ok(()),
            _ => Err(AdmissionError::NotDurable),
        }
    }
}

/// One life of the flusher's connection, and so at most one of the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Epoch(u64);

/// The way to the flusher's task, which ends with the last of them.
#[derive(Clone, Debug)]
pub(super) struct Flusher {
    epoch: Arc<watch::Sender<Option<Epoch>>>,
    queue: mpsc::UnboundedSender<Job>,
    connect_limit: Duration,
}

#[derive(Debug)]
enum Job {
    /// Make durable what was committed in this epoch.
    Flush(Epoch, Arc<watch::Sender<Flush>>),
    /// Look whether the database is still there.
    Check,
}

/// What a batch gives to each of its verdicts.
#[derive(Debug)]
pub(super) struct Flushing(Arc<watch::Sender<Flush>>);

impl Flushing {
    pub(super) fn durability(&self) -> Durability {
        Durability(Some(self.0.subscribe()))
    }
}

impl Flusher {
    /// Starts the task on a connection with these options.
    pub(super) fn start(
        options: PgConnectOptions,
        connect_limit: Duration,
        flush_seconds: Histogram,
    ) -> Self {
        let epoch = Arc::new(watch::Sender::new(None));
        let (queue, jobs) = mpsc::unbounded_channel();
        let options = options.options([("synchronous_commit", "on")]);
        let task = Task {
            options,
            connect_limit,
            jobs,
            epoch: Arc::clone(&epoch),
            flush_seconds,
        };
        tokio::spawn(task.run());
        Self {
            epoch,
            queue,
            connect_limit,
        }
    }

    /// The present epoch. Whoever commits without waiting asks for it before: if it ends before the flush, nobody can tell
    /// whether the commit outlived the database.
    ///
    /// # Errors
    /// The database is away.
    pub(super) async fn epoch(&self) -> Result<Epoch, AdmissionError> {
        let mut epoch = self.epoch.subscribe();
        let known = epoch.wait_for(Option::is_some);
        let epoch = tokio::time::timeout(self.connect_limit, known).await;
        let epoch = epoch.ok().and_then(Result::ok).and_then(|epoch| *epoch);
        epoch.ok_or_else(|| sqlx::Error::PoolTimedOut.into())
    }

    /// Another connection has broken: until the flusher has looked after its own, there is no epoch.
    pub(super) fn suspect(&self) {
        self.epoch.send_replace(None);
        // The task ends after us.
        let _ = self.queue.send(Job::Check);
    }

    /// Asks for a flush of what was committed since `epoch` was asked for.
    pub(super) fn flush(&self, epoch: Epoch) -> Flushing {
        let flush = Arc::new(watch::Sender::new(Flush::Due));
        if self
            .queue
            .send(Job::Flush(epoch, Arc::clone(&flush)))
            .is_err()
        {
            flush.send_replace(Flush::Failed);
        }
        Flushing(flush)
    }
}

/// The flusher itself.
struct Task {
    options: PgConnectOptions,
    connect_limit: Duration,
    jobs: mpsc::UnboundedReceiver<Job>,
    epoch: Arc<watch::Sender<Option<Epoch>>>,
    flush_seconds: Histogram,
}

impl Task {
    /// A connection, and another when that has ended.
    async fn run(mut self) {
        let mut number = 0;
        while !self.jobs.is_closed() || !self.jobs.is_empty() {
            let connect = PgConnection::connect_with(&self.options);
            let Ok(Ok(connection)) = tokio::time::timeout(self.connect_limit, connect).await else {
                tokio::time::sleep(RECONNECT_PAUSE).await;
                continue;
            };
            number += 1;
            self.epoch.send_replace(Some(Epoch(number)));
            let ended = self.flush_until_it_fails(connection, Epoch(number)).await;
            self.epoch.send_replace(None);
            match ended {
                Ok(()) => return,
                Err(error) => tracing::warn!(%error, "the flusher has lost its connection"),
            }
        }
    }

    /// Flushes what is asked for, until nobody can ask any more.
    async fn flush_until_it_fails(
        &mut self,
        mut connection: PgConnection,
        epoch: Epoch,
    ) -> Result<(), sqlx::Error> {
        let mut batch = Vec::new();
        loop {
            let asked = self.jobs.recv_many(&mut batch, BATCHES_LIMIT);
            if tokio::time::timeout(IDLE_LIMIT, asked).await == Ok(0) {
                return Ok(());
            }
            let is_due = batch.iter().any(|job| matches!(job, Job::Flush(..)));
            let answer = if is_due {
                let begun = Instant::now();
                let flushed = in_time(store::flush(&mut connection)).await;
                self.flush_seconds.observe(begun.elapsed().as_secs_f64());
                flushed
            } else {
                in_time(connection.ping()).await
            };
            for job in batch.drain(..) {
                self.tell(job, epoch, answer.is_ok());
            }
            answer?;
        }
    }

    fn tell(&self, job: Job, epoch: Epoch, is_alive: bool) {
        match job {
            Job::Flush(asked, flush) => {
                let is_durable = is_alive && asked == epoch;
                flush.send_replace(if is_durable {
                    Flush::Done
                } else {
                    Flush::Failed
                });
            }
            Job::Check if is_alive => {
                self.epoch.send_replace(Some(epoch));
            }
            Job::Check => {}
        }
    }
}

async fn in_time(answer: impl Future<Output = Result<(), sqlx::Error>>) -> Result<(), sqlx::Error> {
    let late = |_| std::io::Error::from(std::io::ErrorKind::TimedOut);
    tokio::time::timeout(ANSWER_LIMIT, answer)
        .await
        .map_err(late)?
}
