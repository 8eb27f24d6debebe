//! Which answers of a case are held against snapshots: refusals of themselves, others where a case says so.
//!
//! It refuses to compare before the case is content: a broken clause is told in its own words.

use std::sync::{Mutex, PoisonError};

use super::{scene::Scene, stop::Stop};
use crate::{
    exchange::Answer,
    snapshot::{Taken, judge::Subject, kind},
    target::Fixture,
};

/// What a case has taken so far.
#[derive(Debug, Default)]
pub(super) struct Album {
    taken: Vec<Taken>,
    is_closed: bool,
}

impl Scene<'_> {
    /// Takes a snapshot of an answer that is the same in each run, but for what the document knows to be volatile.
    pub fn snapshot(&self, answer: &Answer) {
        self.snapshot_of_drawn(answer, &[]);
    }

    /// Takes a snapshot of an answer about something that each run draws anew: the texts at these JSON pointers differ, or are null.
    pub fn snapshot_of_drawn(&self, answer: &Answer, drawn: &[&'static str]) {
        let mut album = self.album();
        let is_taken = |taken: &Taken| taken.exchange == answer.exchange;
        if !album.is_closed && !album.taken.iter().any(is_taken) {
            album.taken.push(Taken {
                exchange: answer.exchange,
                drawn: drawn.to_vec(),
            });
        }
    }

    /// Forgets the snapshots taken so far: the case begins anew.
    pub fn begin_snapshots(&self) {
        self.album().taken.clear();
    }

    /// Takes no snapshot in this case: what is answered how often depends on who is faster.
    pub fn forgo_snapshots(&self) {
        *self.album() = Album {
            is_closed: true,
            ..Album::default()
        };
    }

    /// Holds what was taken against the accepted snapshots. Where an answer breaks a law, that is told instead.
    ///
    /// # Errors
    /// Failed: an answer differs.
    pub fn judge_snapshots(&self) -> Result<(), Stop> {
        let deployment = self.deployment();
        let mut breaches = self
            .exchanges
            .iter()
            .flat_map(|exchange| &exchange.breaches);
        if breaches.any(|breach| self.with_decisions() || breach.clause.starts_with('§')) {
            return Ok(());
        }
        let ids = Fixture::ALL.iter().filter_map(|fixture| {
            let identity = kind::of_fixture(*fixture)?;
            Some((deployment.fixture(*fixture)?, identity))
        });
        deployment.snapshots.judge(Subject {
            case: self.case,
            laws: &deployment.laws,
            redaction: &deployment.redaction(),
            fixtures: &ids.collect::<Vec<_>>(),
            exchanges: &self.exchanges,
            taken: &self.album().taken,
        })
    }

    fn album(&self) -> std::sync::MutexGuard<'_, Album> {
        self.album.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Shared, for whoever looks at an answer has the scene only to look at.
pub(super) type SharedAlbum = Mutex<Album>;
