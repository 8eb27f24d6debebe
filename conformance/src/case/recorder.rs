//! Which responses of a case are compared with snapshots: errors always, others where a case says
//! so. They are compared at the end of the case, so that a broken clause is reported in its own
//! words.

use parking_lot::Mutex;

use super::{Case, CaseContext, CaseResult};
use crate::{
    exchange::Response,
    snapshot::{KnownCase, Recorded, Subject, kind},
    target::Fixture,
};

/// The recorded responses; `None` if the case takes no snapshots. Behind a lock, because checks of
/// a response borrow the context immutably.
pub(super) type Recorder = Mutex<Option<Vec<Recorded>>>;

impl Case {
    /// This case as snapshots know it.
    pub(crate) fn known(&self) -> KnownCase {
        let description = format!("{} ({})", self.sentence, self.clause);
        KnownCase { id: self.id, description, is_derived: self.is_derived }
    }
}

impl CaseContext<'_> {
    /// Takes a snapshot of a response that is the same in each run, except values that the document
    /// knows to be volatile.
    pub(crate) fn snapshot(&self, response: &Response) {
        self.snapshot_of_random(response, &[]);
    }

    /// Takes a snapshot of a response about something that each run chooses at random: the texts at
    /// these JSON pointers differ, or are null.
    pub(crate) fn snapshot_of_random(&self, response: &Response, random: &[&'static str]) {
        let mut recorder = self.recorder.lock();
        let exchange = response.exchange;
        if let Some(recorded) = &mut *recorder
            && !recorded.iter().any(|recorded| recorded.exchange == exchange)
        {
            recorded.push(Recorded { exchange, random: random.to_vec() });
        }
    }

    /// Takes no snapshot in this case: which responses come depends on which request is faster.
    pub(crate) fn forgo_snapshots(&self) {
        *self.recorder.lock() = None;
    }

    /// Compares the recorded responses with the accepted snapshots if the case has passed, or keeps
    /// them, however it has ended.
    pub(crate) fn end_snapshots(&self, outcome: CaseResult) -> CaseResult {
        let deployment = self.deployment();
        let recorder = self.recorder.lock();
        let is_used = deployment.snapshots.is_used() && !self.case.is_generated;
        let (Some(taken), true) = (&*recorder, is_used) else { return outcome };
        let ids = Fixture::ALL.iter().filter_map(|fixture| {
            let identity = kind::of_fixture(*fixture)?;
            Some((deployment.fixture(*fixture)?, identity))
        });
        // A link's response is not of the API.
        let exchanges = self.exchanges.iter().map(|exchange| {
            let response = exchange.response.as_ref().ok()?;
            exchange.address.is_none().then_some((&exchange.request, response))
        });
        let mut redaction = deployment.redaction();
        self.exchanges.iter().for_each(|exchange| exchange.hide_secrets(&mut redaction));
        let subject = Subject {
            case: &self.case.known(),
            has_passed: outcome.is_ok(),
            base_url: &deployment.client.base_url,
            invariants: &deployment.invariants,
            redaction: &redaction,
            fixtures: &ids.collect::<Vec<_>>(),
            exchanges: &exchanges.collect::<Vec<_>>(),
            taken,
            unsteady: &self.unsteady,
        };
        let has_violations = self.exchanges.iter().any(|one| !one.violations.is_empty());
        outcome.and(deployment.snapshots.end_case(subject, has_violations))
    }
}
