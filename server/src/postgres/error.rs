//! Classifies the errors of the database: unavailable, lost race, or a statement that is wrong.

use std::{io, sync::Arc, time::Duration};

use sqlx::error::DatabaseError;

use super::batcher::BatchLost;

/// A row could not be read in a batch.
#[derive(Debug, thiserror::Error)]
pub enum BatchReadError {
    #[error(transparent)]
    Lost(#[from] BatchLost),
    #[error(transparent)]
    Database(#[from] Arc<sqlx::Error>),
}

/// Time after which a statement has lost the database: PostgreSQL itself ends it after 5 s.
pub(crate) const RESPONSE_TIME_LIMIT: Duration = Duration::from_secs(6);

/// Does work that may be done twice: again if its connection had ended since its last use. After a
/// time-out the database is slow, and does not get the work again.
pub(crate) async fn again_if_lost<T, F>(work: impl Fn() -> F) -> Result<T, sqlx::Error>
where
    F: Future<Output = Result<T, sqlx::Error>>,
{
    match work().await {
        Err(sqlx::Error::Io(error)) if error.kind() != io::ErrorKind::TimedOut => work().await,
        done => done,
    }
}

/// Fails work that takes longer than `limit`.
pub(crate) async fn in_time<T>(
    limit: Duration,
    work: impl Future<Output = Result<T, sqlx::Error>>,
) -> Result<T, sqlx::Error> {
    let done = tokio::time::timeout(limit, work).await;
    done.map_err(|_| io::Error::from(io::ErrorKind::TimedOut))?
}

/// Returns true if the database is away, overloaded or too slow, and false if the statement is
/// wrong.
pub(crate) fn is_unavailable(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(_) | sqlx::Error::Tls(_) | sqlx::Error::Protocol(_) => true,
        sqlx::Error::PoolTimedOut | sqlx::Error::PoolClosed | sqlx::Error::WorkerCrashed => true,
        sqlx::Error::Database(error) => is_unavailable_state(error.as_ref()),
        _ => false,
    }
}

/// Returns true if the organisation is stopped, because it moves to another cell: its trigger
/// `refuse_if_stopped` has ended the transaction.
pub(crate) fn is_stopped(error: &sqlx::Error) -> bool {
    let state = error.as_database_error().and_then(DatabaseError::code);
    state.is_some_and(|state| state == "MV001")
}

/// Returns true if the statement lost a race and was rolled back (40P01, 40001), so that a retry
/// may succeed. Class 40 has other states: after 40003 nobody knows whether the statement was done.
pub(crate) fn is_lost_race(error: &sqlx::Error) -> bool {
    let state = error.as_database_error().and_then(DatabaseError::code);
    state.is_some_and(|state| ["40P01", "40001"].contains(&&*state))
}

/// Classes of SQLSTATE: connection lost (08), login refused (28), lost race (40), out of resources
/// (53), stopped by an operator or a deadline (57), failure of the machine (58).
const UNAVAILABLE_CLASSES: [&str; 6] = ["08", "28", "40", "53", "57", "58"];
/// Single ones: a transaction that begins to write on a standby, or a plan from before a migration;
/// a standby or a read-only database, a session that idled too long in a transaction, a database
/// that is gone, lock not available.
const UNAVAILABLE_STATES: [&str; 6] = ["0A000", "25006", "25P03", "25P04", "3D000", "55P03"];

fn is_unavailable_state(error: &dyn DatabaseError) -> bool {
    error.code().is_some_and(|state| {
        UNAVAILABLE_STATES.contains(&&*state)
            || UNAVAILABLE_CLASSES.iter().any(|class| state.starts_with(class))
    })
}
