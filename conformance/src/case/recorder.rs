//! Which responses of a case are held against snapshots: refusals of themselves, others where a case says so.
//!
//! It refuses to compare before the case is content: a broken clause is told in its own words.

use std::sync::{Mutex, PoisonError};

use super::{context::CaseContext, outcome::CaseOutcome};
use crate::{
    exchange::Response,
    snapshot::{Mismatch, Recorded, Subject, kind},
    target::Fixture,
};

/// What a case has taken so far.
#[derive(Debug, Default)]
pub(super) struct Recorder {
    taken: Vec<Recorded>,
    is_closed: bool,
}

impl CaseContext<'_> {
    /// Takes a snapshot of an response that is the same in each run, but for what the document knows to be volatile.
    pub fn snapshot(&self, response: &Response) {
        self.snapshot_of_drawn(response, &[]);
    }

    /// Takes a snapshot of an response about something that each run draws anew: the texts at these JSON pointers differ, or are null.
    pub fn snapshot_of_drawn(&self, response: &Response, drawn: &[&'static str]) {
        let mut recorder = self.recorder();
        let is_taken = |taken: &Recorded| taken.exchange == response.exchange;
        if !recorder.is_closed && !recorder.taken.iter().any(is_taken) {
            recorder.taken.push(Recorded {
                exchange: response.exchange,
                random: drawn.to_vec(),
            });
        }
    }

    /// Forgets the snapshots taken so far: the case begins anew.
    pub fn begin_snapshots(&self) {
        self.recorder().taken.clear();
        self.begin_again();
    }

    /// Takes no snapshot in this case: what is answered how often depends on who is faster.
    pub fn forgo_snapshots(&self) {
        *self.recorder() = Recorder {
            is_closed: true,
            ..Recorder::default()
        };
    }

    /// Holds what was taken against the accepted snapshots. Where an response breaks a invariant, that is told instead.
    ///
    /// # Errors
    /// Failed: an response differs.
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
        // A link's response is not of the API.
        let exchanges = self.exchanges.iter().map(|exchange| {
            let response = exchange.response.as_ref().ok()?;
            exchange
                .address
                .is_none()
                .then_some((&exchange.request, response))
        });
        let judged = deployment.snapshots.judge(Subject {
            case: self.case.id,
            description: &format!("{} ({})", self.case.sentence, self.case.clause),
            invariants: &deployment.invariants,
            redaction: &deployment.redaction(),
            fixtures: &ids.collect::<Vec<_>>(),
            exchanges: &exchanges.collect::<Vec<_>>(),
            taken: &self.recorder().taken,
        });
        judged.map_err(|mismatch| match mismatch {
            Mismatch::Differs(because) => CaseOutcome::Failed(because),
            Mismatch::Missing(what) => CaseOutcome::Error(what),
        })
    }

    fn recorder(&self) -> std::sync::MutexGuard<'_, Recorder> {
        self.recorder.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Shared, for whoever looks at an response has the context only to look at.
pub(super) type SharedRecorder = Mutex<Recorder>;
