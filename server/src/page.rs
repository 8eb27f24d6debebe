//! One page of a list: where it begins, how many rows it has, where the next one begins (§2.5,
//! R6–R8). One row more than the page is read, to see whether there is a next page.

use chrono::{DateTime, Utc};

use openapi_runtime::{Cursor, ListFingerprint, Position};

use crate::{
    contract::{
        Operation,
        types::{PageLimit, Pagination},
    },
    id::OrganizationId,
};

/// The organisation's rows that `filters` select, newest first (R7): at most `limit` of those
/// behind `position`.
pub struct List<'a, F> {
    pub organization: &'a OrganizationId,
    pub filters: F,
    pub position: &'a Position,
    pub limit: i64,
}

#[derive(Clone, Debug)]
pub(crate) struct Page {
    /// The row after which it begins.
    position: Position,
    limit: usize,
    list: ListFingerprint,
}

impl Page {
    /// Returns the page of a list with these filters, which are sorted by name.
    pub(crate) fn of(
        operation: Operation,
        filters: &[(&'static str, String)],
        limit: PageLimit,
        cursor: Option<Cursor>,
    ) -> Self {
        let filters = filters.iter().map(|(name, value)| (*name, value.as_str()));
        let list = ListFingerprint::of(operation.info().id, filters);
        let limit = usize::try_from(limit.get()).expect("a limit is at least 1");
        Self::behind(cursor, list, limit)
    }

    /// Returns a page of `limit` rows; without a cursor, the list's first one.
    pub(crate) fn behind(cursor: Option<Cursor>, list: ListFingerprint, limit: usize) -> Self {
        let first = || Cursor { list, position: Position::start() };
        let Cursor { list, position } = cursor.unwrap_or_else(first);
        Self { position, limit, list }
    }

    /// Returns the list to read: one row more than the page has.
    pub(crate) fn list<'a, F>(
        &'a self,
        organization: &'a OrganizationId,
        filters: F,
    ) -> List<'a, F> {
        let limit = i64::try_from(self.limit + 1).expect("a limit is at most 100");
        List { organization, filters, position: &self.position, limit }
    }

    /// Removes the extra row; returns the page and the cursor of the next one.
    pub(crate) fn cut<T>(
        &self,
        rows: Vec<T>,
        key: impl Fn(&T) -> (DateTime<Utc>, &String),
    ) -> (Vec<T>, Pagination) {
        let (rows, next) = self.split(rows, key);
        (rows, Pagination { next_cursor: next.into() })
    }

    /// Removes the extra row; returns the page, and the cursor of the next one if there is one.
    pub(crate) fn split<T>(
        &self,
        mut rows: Vec<T>,
        key: impl Fn(&T) -> (DateTime<Utc>, &String),
    ) -> (Vec<T>, Option<Cursor>) {
        let has_more = rows.len() > self.limit;
        rows.truncate(self.limit);
        let next = rows.last().filter(|_| has_more).map(|last| {
            let (created_at, id) = key(last);
            let id = id.clone();
            Cursor { list: self.list, position: Position { created_at, id } }
        });
        (rows, next)
    }
}
