//! Admission by batches: what has gathered while a lane was busy is decided by one statement, which commits without waiting
//! for the disk; the flusher tells when the verdicts may be told.
//!
//! It refuses to send anything twice of which it does not know whether it was done.

use std::time::{Duration, Instant};

use futures_util::{FutureExt as _, future::BoxFuture};
use prometheus_client::metrics::histogram::Histogram;
use sqlx::{PgConnection, postgres::PgConnectOptions};

use super::{
    admit::{AdmissionError, Admit, Admitted},
    flusher::{Durability, Epoch, Flusher, Flushing},
    grants::RequestGroups,
    measures::Measures,
    store,
    verdict::{AdmissionRequest, Charge, Verdict},
};
use crate::{
    batcher::{Batcher, Lane},
    failure::is_lost_race,
    id::OrganizationId,
    metrics::Metrics,
    persistent_connection::{BY_INDEX, PersistentConnection},
};

/// How often requests that lost a race are submitted again before the service calls itself overloaded.
const ATTEMPTS: usize = 8;
/// A statement that takes longer has lost the database: Postgres itself ends one after 5 s.
const ANSWER_LIMIT: Duration = Duration::from_secs(6);
/// A batch waits no longer than this for company, however slow the disk is.
const PATIENCE_LIMIT: Duration = Duration::from_millis(5);

/// How requests are admitted.
#[derive(Clone, Copy, Debug)]
pub struct AdmissionOptions {
    /// Batcher under way at once, each on a connection of its own.
    pub lanes: u32,
    /// A batch of at most so many requests commits at once: it would wait for the flush as long, and for one more round trip.
    /// A larger one leaves it to the flusher, whose flush serves other lanes as well, and its requests' work begins meanwhile.
    pub at_once: usize,
    /// Requests in one batch at most.
    pub batch_size: usize,
    /// How long a lane waits for its connection; after it: 503.
    pub connect_limit: Duration,
}

/// Admission by batches.
#[derive(Debug)]
pub struct BatchedAdmission {
    requests: Batcher<AdmissionRequest, Result<Admitted, AdmissionError>>,
    taken: Batcher<(OrganizationId, Charge), Result<Durability, AdmissionError>>,
}

impl BatchedAdmission {
    /// Starts lanes to the database that `connect` names, whose role sees keys and meters of all organisations. They end with
    /// this value.
    #[must_use]
    pub fn start(connect: &PgConnectOptions, options: AdmissionOptions, metrics: &Metrics) -> Self {
        let measures = Measures::registered(metrics);
        let flusher = Flusher::start(
            connect.clone(),
            options.connect_limit,
            measures.flush_seconds.clone(),
        );
        let settings = connect.clone().options(BY_INDEX);
        let desk = |synchronous_commit| StatementRunner {
            connection: PersistentConnection::new(
                settings
                    .clone()
                    .options([("synchronous_commit", synchronous_commit)]),
                options.connect_limit,
            ),
            flusher: flusher.clone(),
            epoch: None,
        };
        let lanes = (0..options.lanes).map(|_| AdmissionLane {
            at_once: desk("on"),
            later: desk("off"),
            batch_requests: measures.batch_requests.clone(),
            at_once_limit: options.at_once,
            durability: Durability::reached_already(),
            latest_flush: Duration::ZERO,
        });
        Self {
            requests: Batcher::start(lanes, options.batch_size),
            taken: Batcher::start([RefundLane(desk("off"))], options.batch_size),
        }
    }
}

impl Admit for BatchedAdmission {
    async fn admit(&self, request: AdmissionRequest) -> Result<Admitted, AdmissionError> {
        self.requests.ask(request).await?
    }

    async fn refund(
        &self,
        organization: &OrganizationId,
        charge: Charge,
    ) -> Result<(), AdmissionError> {
        let durability = self.taken.ask((organization.clone(), charge)).await??;
        durability.reached().await
    }
}

/// What a lane works with.
#[derive(Debug)]
struct StatementRunner {
    connection: PersistentConnection,
    flusher: Flusher,
    /// That of the connection: in another one it has most likely ended as well.
    epoch: Option<Epoch>,
}

impl StatementRunner {
    /// The epoch that the next statement belongs to.
    async fn epoch(&mut self) -> Result<Epoch, AdmissionError> {
        let epoch = self.flusher.epoch().await?;
        if self.epoch.replace(epoch) != Some(epoch) {
            self.connection.discard();
        }
        Ok(epoch)
    }

    /// Runs one statement. A race that was lost rolled it back, so it is run again; after anything else nobody knows whether
    /// it was done.
    async fn run<A: Sync + ?Sized, T>(
        &mut self,
        statement: impl for<'c> Fn(&'c mut PgConnection, &'c A) -> BoxFuture<'c, Result<T, sqlx::Error>>,
        argument: &A,
    ) -> Result<T, AdmissionError> {
        for _ in 0..ATTEMPTS {
            match self.attempt(&statement, argument).await {
                Ok(answer) => return Ok(answer),
                Err(error) if is_lost_race(&error) => {}
                Err(error) => {
                    self.flusher.suspect();
                    return Err(error.into());
                }
            }
        }
        Err(AdmissionError::Contended)
    }

    /// Runs the statement once. The connection is kept where it is known to be sound.
    async fn attempt<A: Sync + ?Sized, T>(
        &mut self,
        statement: impl for<'c> Fn(&'c mut PgConnection, &'c A) -> BoxFuture<'c, Result<T, sqlx::Error>>,
        argument: &A,
    ) -> Result<T, sqlx::Error> {
        let mut connection = self.connection.take().await?;
        let answer = tokio::time::timeout(ANSWER_LIMIT, statement(&mut connection, argument)).await;
        let answer = answer.map_err(|_| std::io::Error::from(std::io::ErrorKind::TimedOut))?;
        if answer.as_ref().err().is_none_or(is_lost_race) {
            self.connection.put_back(connection);
        }
        answer
    }
}

/// A lane of requests.
struct AdmissionLane {
    /// Where a commit waits for the disk.
    at_once: StatementRunner,
    /// Where it does not, and the flusher tells when it has reached it.
    later: StatementRunner,
    /// The largest batch that goes there.
    at_once_limit: usize,
    batch_requests: Histogram,
    /// Of its latest batch.
    durability: Durability,
    /// How long that took.
    latest_flush: Duration,
}

impl Lane for AdmissionLane {
    type Ask = AdmissionRequest;
    type Answer = Result<Admitted, AdmissionError>;

    async fn answer(&mut self, requests: Vec<AdmissionRequest>) -> Vec<Self::Answer> {
        // A batch is far below what a double holds exactly.
        let size = u32::try_from(requests.len()).unwrap_or(u32::MAX);
        self.batch_requests.observe(size.into());
        let mut answers: Vec<Self::Answer> = requests
            .iter()
            .map(|_| Err(AdmissionError::Contended))
            .collect();
        let mut open: Vec<usize> = (0..requests.len()).collect();
        for _ in 0..ATTEMPTS {
            let again: Vec<AdmissionRequest> = open.iter().map(|index| requests[*index]).collect();
            let verdicts = match self.decide(&again).await {
                Ok(verdicts) => verdicts,
                Err(error) => {
                    for index in open {
                        answers[index] = Err(error.clone());
                    }
                    return answers;
                }
            };
            let mut still_open = Vec::new();
            for (index, verdict) in open.into_iter().zip(verdicts) {
                match verdict {
                    Some(admitted) => answers[index] = Ok(admitted),
                    None => still_open.push(index),
                }
            }
            open = still_open;
            if open.is_empty() {
                break;
            }
        }
        answers
    }

    /// The next batch leaves in step with the disk: what comes during a flush would only wait for the next one, and waits
    /// better here, where it becomes one batch.
    async fn settle(&mut self) {
        let durability = std::mem::replace(&mut self.durability, Durability::reached_already());
        if durability.is_reached_already() {
            return;
        }
        let begun = Instant::now();
        // Those who wait for it are told.
        let _ = durability.reached().await;
        self.latest_flush = begun.elapsed();
    }

    /// Who comes too late for this batch waits for its flush: to wait as long for company makes nobody slower than that.
    fn patience(&self) -> Duration {
        self.latest_flush.min(PATIENCE_LIMIT)
    }
}

impl AdmissionLane {
    /// One statement; `None` for what must be asked again.
    async fn decide(
        &mut self,
        requests: &[AdmissionRequest],
    ) -> Result<Vec<Option<Admitted>>, AdmissionError> {
        let commits_at_once = requests.len() <= self.at_once_limit;
        let desk = if commits_at_once {
            &mut self.at_once
        } else {
            &mut self.later
        };
        let epoch = desk.epoch().await?;
        let grouped = RequestGroups::new(requests);
        let begun = Instant::now();
        let decided = desk.run(
            |connection, groups| store::decide(connection, groups).boxed(),
            grouped.groups.as_slice(),
        );
        let verdicts = grouped.verdicts(decided.await?);
        #[cfg(feature = "mutants")]
        charge_refusals(desk, &verdicts).await?;
        // What a refusal says of a meter must be durable as well, also where another batch has written it. A commit that waits
        // for the disk takes all that was written before it along; a statement that wrote nothing does not wait.
        let says_of_a_meter = verdicts.iter().flatten().any(Verdict::says_of_a_meter);
        let is_durable = commits_at_once && verdicts.iter().flatten().any(Verdict::has_counted);
        let flushing = (says_of_a_meter && !is_durable).then(|| desk.flusher.flush(epoch));
        if let Some(flushing) = &flushing {
            self.durability = flushing.durability();
        } else if is_durable {
            self.latest_flush = begun.elapsed();
        }
        let admitted = verdicts.into_iter().map(|verdict| {
            let durability = match (&verdict, &flushing) {
                (Some(Verdict::ValidKey(_)), Some(flushing)) => flushing.durability(),
                _ => Durability::reached_already(),
            };
            verdict.map(|verdict| Admitted {
                verdict,
                durability,
            })
        });
        Ok(admitted.collect())
    }
}

/// The faults that charge what was refused.
#[cfg(feature = "mutants")]
async fn charge_refusals(
    desk: &mut StatementRunner,
    verdicts: &[Option<Verdict>],
) -> Result<(), AdmissionError> {
    use super::verdict::Outcome;
    use crate::mutants::{self, Mutant};
    let is_charged = |outcome| match outcome {
        Outcome::RateLimited => mutants::is(Mutant::RateLimitedCharged),
        Outcome::InsufficientScope => mutants::is(Mutant::ForbiddenCharged),
        _ => false,
    };
    let refused = verdicts.iter().filter_map(|verdict| match verdict {
        Some(Verdict::ValidKey(admission)) if is_charged(admission.outcome) => {
            Some(admission.organization.clone())
        }
        _ => None,
    });
    let refused: Vec<OrganizationId> = refused.collect();
    if refused.is_empty() {
        return Ok(());
    }
    let charged = desk.run(
        |connection, refused| store::charge(connection, refused).boxed(),
        refused.as_slice(),
    );
    charged.await
}

/// The lane of credits that go back.
struct RefundLane(StatementRunner);

impl Lane for RefundLane {
    type Ask = (OrganizationId, Charge);
    type Answer = Result<Durability, AdmissionError>;

    async fn answer(&mut self, taken: Vec<(OrganizationId, Charge)>) -> Vec<Self::Answer> {
        let given_back = self.refund(&taken).await;
        let answer = |_| match &given_back {
            Ok(flushing) => Ok(flushing.durability()),
            Err(error) => Err(error.clone()),
        };
        taken.iter().map(answer).collect()
    }
}

impl RefundLane {
    async fn refund(
        &mut self,
        taken: &[(OrganizationId, Charge)],
    ) -> Result<Flushing, AdmissionError> {
        let epoch = self.0.epoch().await?;
        let given = self.0.run(
            |connection, taken| store::refund(connection, taken).boxed(),
            taken,
        );
        given.await?;
        Ok(self.0.flusher.flush(epoch))
    }
}
