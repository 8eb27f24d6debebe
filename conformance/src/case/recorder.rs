//! Which responses of a case are compared with snapshots: errors always, others where a case says
//! so. They are compared at the end of the case, so that a broken clause is reported in its own
//! words.

use parking_lot::Mutex;

use super::{CaseContext, CaseResult};
use crate::{
    exchange::Response,
    snapshot::{Recorded, Subject, kind},
    target::Fixture,
};

/// The recorded responses; `None` if the case takes no snapshots. Behind a lock, because checks of
/// a response borrow the context immutably.
pub(super) type Recorder = Mutex<Option<Vec<Recorded>>>;

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

    /// Compares the recorded responses with the accepted snapshots. Where a response breaks an
    /// invariant, that is reported instead.
    pub(crate) fn judge_snapshots(&self) -> CaseResult {
        let deployment = self.deployment();
        if self.exchanges.iter().any(|exchange| !exchange.violations.is_empty()) {
            return Ok(());
        }
        let ids = Fixture::ALL.iter().filter_map(|fixture| {
            let identity = kind::of_fixture(*fixture)?;
            Some((deployment.fixture(*fixture)?, identity))
        });
        // A link's response is not of the API.
        let exchanges = self.exchanges.iter().map(|exchange| {
            let response = exchange.response.as_ref().ok()?;
            exchange.address.is_none().then_some((&exchange.request, response))
        });
        deployment.snapshots.judge(Subject {
            case: (!self.case.is_derived).then_some(self.case.id),
            description: &format!("{} ({})", self.case.sentence, self.case.clause),
            invariants: &deployment.invariants,
            redaction: &deployment.redaction(),
            fixtures: &ids.collect::<Vec<_>>(),
            exchanges: &exchanges.collect::<Vec<_>>(),
            taken: self.recorder.lock().as_deref().unwrap_or_default(),
        })
    }
}
