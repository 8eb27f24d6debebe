//! One page of a list: where it begins, how many rows it wants, where the next one begins (§2.5, R6–R8).
//!
//! It refuses to count: whether there is a next page is seen from one row more than asked for.

use chrono::{DateTime, Utc};

use crate::{
    contract::types::{Cursor, PageLimit, Pagination},
    cursor::{self, Fingerprint, Position},
    failure::Failure,
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
        operation: &str,
        filters: &[(&'static str, String)],
        limit: PageLimit,
        cursor: Option<&Cursor>,
    ) -> Result<Self, Failure> {
        let fingerprint = Fingerprint::of(
            operation,
            filters.iter().map(|(name, value)| (*name, value.as_str())),
        );
        let position = match cursor {
            Some(cursor) => cursor::decode(cursor.as_str(), fingerprint)
                .map_err(|error| Failure::Internal(format!("a cursor passed the gate: {error}")))?,
            None => Position::start(),
        };
        let limit = usize::try_from(limit.get())
            .map_err(|_| Failure::Internal("a negative limit passed the gate".into()))?;
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
        let has_more = rows.len() > self.limit;
        rows.truncate(self.limit);
        let next = rows.last().filter(|_| has_more).map(|last| {
            let (created_at, id) = key(last);
            let id = id.clone();
            Cursor::new(cursor::encode(
                self.fingerprint,
                &Position { created_at, id },
            ))
        });
        let next_cursor = next.into();
        (rows, Pagination { next_cursor })
    }
}
