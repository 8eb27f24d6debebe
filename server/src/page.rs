//! One page of a list: where it begins, how many rows it wants, where the next one begins (§2.5, R6–R8).
//!
//! It refuses to count: whether there is a next page is seen from one row more than asked for.

use chrono::{DateTime, Utc};

use crate::{
    contract::{
        Operation,
        types::{Cursor, PageLimit, Pagination},
    },
    cursor::{self, Fingerprint, Position},
    failure::Failure,
    mutants::{self, Mutant},
};

/// A page that was asked for.
#[derive(Clone, Debug)]
pub struct Page {
    /// Behind which row it begins.
    pub position: Position,
    limit: usize,
    fingerprint: Fingerprint,
}

impl Page {
    /// Of the operation's parameters.
    ///
    /// # Errors
    /// The cursor is of no use here; the gate has refused such a one before.
    pub fn of(
        operation: Operation,
        filters: &[(&'static str, String)],
        limit: PageLimit,
        cursor: Option<&Cursor>,
    ) -> Result<Self, Failure> {
        let fingerprint = Fingerprint::of(
            operation.info().id,
            filters.iter().map(|(name, value)| (*name, value.as_str())),
        );
        let position = match cursor {
            Some(cursor) => cursor::decode(cursor.as_str(), fingerprint)
                .map_err(|error| Failure::Internal(format!("a cursor passed the gate: {error}")))?,
            None => Position::start(),
        };
        let limit = usize::try_from(limit.get())
            .map_err(|_| Failure::Internal("a negative limit passed the gate".into()))?;
        #[cfg(feature = "mutants")]
        let limit = mutants::lists::rows(limit);
        Ok(Self {
            position,
            limit,
            fingerprint,
        })
    }

    /// How many rows to read: one more than the page holds.
    #[must_use]
    pub fn rows(&self) -> i64 {
        i64::try_from(self.limit + 1).expect("a limit is at most 100")
    }

    /// Cuts the row that was read ahead, and says where the list goes on.
    pub fn cut<T>(
        &self,
        mut rows: Vec<T>,
        key: impl Fn(&T) -> (DateTime<Utc>, &String),
    ) -> (Vec<T>, Pagination) {
        let is_full = mutants::is(Mutant::NextCursorAtExactMultiple) && rows.len() == self.limit;
        let more = rows.len() > self.limit || is_full;
        rows.truncate(self.limit);
        let last = match rows.as_slice() {
            [.., last, _] if mutants::is(Mutant::ItemRepeated) => Some(last),
            rows => rows.last(),
        };
        let next = last.filter(|_| more).map(|last| {
            let (created_at, id) = key(last);
            let id = if mutants::is(Mutant::TiesLostBetweenPages) {
                // Before every id that there is.
                "0".to_owned()
            } else {
                id.clone()
            };
            Cursor::new(cursor::encode(
                self.fingerprint,
                &Position { created_at, id },
            ))
        });
        if mutants::is(Mutant::OldestFirst) {
            rows.reverse();
        }
        if mutants::is(Mutant::TiesOldestFirst) {
            rows.sort_by(|one, other| {
                let ((one_time, one_id), (other_time, other_id)) = (key(one), key(other));
                other_time.cmp(&one_time).then(one_id.cmp(other_id))
            });
        }
        (
            rows,
            Pagination {
                next_cursor: next.into(),
            },
        )
    }
}
