//! The faults of pages that their parameters cannot carry: a limit beyond the type's bounds, rows of several lists in one.
//!
//! It refuses to read a table: rows in, rows out.

use chrono::{DateTime, Utc};

tokio::task_local! {
    /// How many rows the request means; `None`: as many as its `limit` says.
    static ROWS: Option<usize>;
}

/// How many rows a request means, on its way from the gate to the handler.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MeantRows(pub(crate) usize);

/// Does work that [`rows`] is asked in.
pub(crate) async fn meaning<F: Future>(meant: Option<MeantRows>, work: F) -> F::Output {
    ROWS.scope(meant.map(|MeantRows(rows)| rows), work).await
}

/// How many rows a page holds, where its `limit` says `limit`.
pub(crate) fn rows(limit: usize) -> usize {
    let meant = ROWS.try_with(|rows| *rows).ok().flatten();
    meant.unwrap_or(limit)
}

/// Rows of several lists as one page of `limit` rows, newest first, each once.
pub(crate) fn merged<T>(
    mut rows: Vec<T>,
    limit: i64,
    key: impl Fn(&T) -> (DateTime<Utc>, String),
) -> Vec<T> {
    rows.sort_by_key(|row| std::cmp::Reverse(key(row)));
    rows.dedup_by_key(|row| key(row));
    rows.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    rows
}
