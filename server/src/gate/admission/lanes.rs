//! Decides one batch of requests at a time.

use std::time::{Duration, Instant};

use futures_util::FutureExt as _;
use prometheus_client::metrics::histogram::Histogram;

use super::{
    batched::Admitted,
    error::AdmissionError,
    flusher::Durability,
    grants::{RequestGroups, organizations_ahead},
    statement_runner::{ATTEMPTS, StatementRunner},
    store,
    verdict::{AdmissionRequest, Verdict},
};
use crate::{id::OrganizationId, postgres::Worker};

/// Longest time that a batch waits for its peers, however slow the disk is.
const MAX_WAIT: Duration = Duration::from_millis(5);

pub(super) struct AdmissionLane {
    /// Commits of this runner wait for the disk.
    durable: StatementRunner,
    /// Commits of this runner do not; the flusher reports when they are on disk.
    deferred: StatementRunner,
    /// Largest batch that is committed durably.
    durable_limit: usize,
    batch_requests: Histogram,
    /// Durability of the latest batch.
    durability: Durability,
    latest_flush: Duration,
}

impl Worker for AdmissionLane {
    type Item = AdmissionRequest;
    type Output = Result<Admitted, AdmissionError>;

    async fn process(&mut self, requests: Vec<AdmissionRequest>) -> Vec<Self::Output> {
        let size = u32::try_from(requests.len()).unwrap_or(u32::MAX);
        self.batch_requests.observe(size.into());
        let contended = |_| Err(AdmissionError::Contended);
        let mut results: Vec<Self::Output> = requests.iter().map(contended).collect();
        let mut open: Vec<usize> = (0..requests.len()).collect();
        for _ in 0..ATTEMPTS {
            let batch: Vec<AdmissionRequest> = open.iter().map(|index| requests[*index]).collect();
            let decided = match self.decide(&batch).await {
                Ok(decided) => decided,
                Err(error) => {
                    for index in open {
                        results[index] = Err(error.clone());
                    }
                    return results;
                }
            };
            let mut undecided = Vec::new();
            for (index, admitted) in open.into_iter().zip(decided) {
                match admitted {
                    Some(admitted) => results[index] = Ok(admitted),
                    None => undecided.push(index),
                }
            }
            open = undecided;
            if open.is_empty() {
                break;
            }
        }
        results
    }

    /// Delays the next batch until the latest is on disk. Requests that arrive during a flush would
    /// only wait for the next flush, and so become one batch.
    async fn after_batch(&mut self) {
        let durability = std::mem::replace(&mut self.durability, Durability::immediate());
        if durability.is_immediate() {
            return;
        }
        let begun = Instant::now();
        // The requests of the batch report a failure.
        let _ = durability.wait().await;
        self.latest_flush = begun.elapsed();
    }

    /// A request that misses this batch waits for its flush, so waiting that long for peers delays
    /// no request more.
    fn max_wait(&self) -> Duration {
        self.latest_flush.min(MAX_WAIT)
    }
}

impl AdmissionLane {
    pub(super) fn new(
        durable: StatementRunner,
        deferred: StatementRunner,
        durable_limit: usize,
        batch_requests: Histogram,
    ) -> Self {
        Self {
            durable,
            deferred,
            durable_limit,
            batch_requests,
            durability: Durability::immediate(),
            latest_flush: Duration::ZERO,
        }
    }

    /// Runs one statement, and returns `None` for requests that must be submitted again.
    async fn decide(
        &mut self,
        requests: &[AdmissionRequest],
    ) -> Result<Vec<Option<Admitted>>, AdmissionError> {
        let commits_durably = requests.len() <= self.durable_limit;
        let runner = if commits_durably { &mut self.durable } else { &mut self.deferred };
        let epoch = runner.epoch().await?;
        let groups = RequestGroups::new(requests);
        let begun = Instant::now();
        let decided = runner
            .run(|connection, groups| store::decide(connection, groups).boxed(), groups.as_slice());
        let decided = decided.await?;
        let ahead = organizations_ahead(&decided);
        let verdicts = groups.verdicts(decided);
        if !ahead.is_empty() {
            set_clock_back(runner, &ahead).await;
        }
        // A rejection that reports a meter must be durable as well, because another batch may have
        // written that meter. A commit that waits for the disk takes earlier commits along; a
        // statement that wrote nothing does not wait.
        let reports_meter = verdicts.iter().flatten().any(Verdict::reports_meter);
        let is_durable = commits_durably && verdicts.iter().flatten().any(Verdict::is_counted);
        let flush = (reports_meter && !is_durable).then(|| runner.flush(epoch));
        if let Some(flush) = &flush {
            self.durability = flush.clone();
        } else if is_durable {
            self.latest_flush = begun.elapsed();
        }
        let admitted = |verdict: Verdict| {
            let flush = flush.clone().filter(|_| verdict.reports_meter());
            Admitted { durability: flush.unwrap_or_else(Durability::immediate), verdict }
        };
        let verdicts = verdicts.into_iter();
        Ok(verdicts.map(|verdict| verdict.map(admitted)).collect())
    }
}

/// Sets the meters back before their requests are submitted again, which fail if this fails.
async fn set_clock_back(runner: &mut StatementRunner, organizations: &[OrganizationId]) {
    let set_back = runner.run(
        |connection, organizations| store::set_clock_back(connection, organizations).boxed(),
        organizations,
    );
    for meter in set_back.await.unwrap_or_default() {
        tracing::warn!(
            organization = meter.organization_id,
            minute = %meter.minute,
            minute_used = meter.minute_used,
            month = %meter.month,
            month_used = meter.month_used,
            "a meter was ahead of the clock and counts as now: check the clocks of the database's \
             machines"
        );
    }
}
