//! Which responses of a case are compared with snapshots: errors always, others where a case says
//! so. They are compared at the end of the case, so that a broken clause is reported in its own
//! words.

use std::sync::{Mutex, PoisonError};

use super::{context::CaseContext, outcome::CaseOutcome};
use crate::{
    exchange::Response,
    snapshot::{Recorded, judge::Subject, kind},
    target::Fixture,
};

/// What a case has recorded so far.
#[derive(Debug, Default)]
pub(super) struct Recorder {
    recorded: Vec<Recorded>,
    is_closed: bool,
}

impl CaseContext<'_> {
    /// Takes a snapshot of a response that is the same in each run, except values that the document
    /// knows to be volatile.
    pub fn snapshot(&self, response: &Response) {
        self.snapshot_of_random(response, &[]);
    }

    /// Takes a snapshot of a response about something that each run chooses at random: the texts at
    /// these JSON pointers differ, or are null.
    pub fn snapshot_of_random(&self, response: &Response, random: &[&'static str]) {
        let mut recorder = self.recorder();
        let is_known = |recorded: &Recorded| recorded.exchange == response.exchange;
        if !recorder.is_closed && !recorder.recorded.iter().any(is_known) {
            recorder.recorded.push(Recorded {
                exchange: response.exchange,
                random: random.to_vec(),
            });
        }
    }

    /// Discards the snapshots taken so far: the case begins again.
    pub fn begin_snapshots(&self) {
        self.recorder().recorded.clear();
    }

    /// Takes no snapshot in this case: which responses come depends on which request is faster.
    pub fn forgo_snapshots(&self) {
        *self.recorder() = Recorder {
            is_closed: true,
            ..Recorder::default()
        };
    }

    /// Compares the recorded responses with the accepted snapshots. Where a response breaks an
    /// invariant, that is reported instead.
    pub fn judge_snapshots(&self) -> Result<(), CaseOutcome> {
        let deployment = self.deployment();
        let mut violations = self
            .exchanges
            .iter()
            .flat_map(|exchange| &exchange.violations);
        if violations.any(|violation| self.with_decisions() || violation.clause.starts_with('§')) {
            return Ok(());
        }
        let ids = Fixture::ALL.iter().filter_map(|fixture| {
            let identity = kind::of_fixture(*fixture)?;
            Some((deployment.fixture(*fixture)?, identity))
        });
        deployment.snapshots.judge(Subject {
            case: self.case,
            invariants: &deployment.invariants,
            redaction: &deployment.redaction(),
            fixtures: &ids.collect::<Vec<_>>(),
            exchanges: &self.exchanges,
            taken: &self.recorder().recorded,
        })
    }

    fn recorder(&self) -> std::sync::MutexGuard<'_, Recorder> {
        self.recorder.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Shared, because checks of a response borrow the context immutably.
pub(super) type SharedRecorder = Mutex<Recorder>;
