//! One advisory lock of a session; PostgreSQL releases it however the session ends.
//!
//! Waiting polls instead of blocking in `pg_advisory_lock`: a blocked session keeps a snapshot, and
//! `CREATE INDEX CONCURRENTLY` of the lock's holder would wait for that snapshot for ever.

use std::time::{Duration, Instant};

use sqlx::PgConnection;

const RETRY_INTERVAL: Duration = Duration::from_millis(50);

/// Takes the lock for the rest of the session; `false` after `timeout`.
pub(crate) async fn acquire(
    connection: &mut PgConnection,
    key: i64,
    timeout: Duration,
) -> Result<bool, sqlx::Error> {
    let deadline = Instant::now() + timeout;
    loop {
        if try_acquire(&mut *connection, key).await? {
            return Ok(true);
        }
        if Instant::now() >= deadline {
            return Ok(false);
        }
        tokio::time::sleep(RETRY_INTERVAL).await;
    }
}

/// Takes the lock if it is free.
pub(crate) async fn try_acquire(
    connection: &mut PgConnection,
    key: i64,
) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar("SELECT pg_try_advisory_lock($1)").bind(key).fetch_one(connection).await
}

/// Releases a lock of this session.
pub(crate) async fn release(connection: &mut PgConnection, key: i64) -> Result<(), sqlx::Error> {
    sqlx::query("SELECT pg_advisory_unlock($1)").bind(key).execute(connection).await.map(drop)
}
