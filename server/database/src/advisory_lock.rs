//! One advisory lock at a time, held by a session: Postgres releases it however the holder ends.
//!
//! It refuses to wait inside Postgres. A session blocked in `pg_advisory_lock` keeps a snapshot, and
//! `CREATE INDEX CONCURRENTLY` of the lock's holder would wait for that snapshot for ever.

use std::time::{Duration, Instant};

use sqlx::PgConnection;

const RETRY_INTERVAL: Duration = Duration::from_millis(50);

/// Takes the lock for the rest of the session; `false` when `patience` ran out.
pub(crate) async fn acquire(
    connection: &mut PgConnection,
    key: i64,
    patience: Duration,
) -> Result<bool, sqlx::Error> {
    let deadline = Instant::now() + patience;
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

/// Takes the lock if nobody has it.
pub(crate) async fn try_acquire(
    connection: &mut PgConnection,
    key: i64,
) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar("SELECT pg_try_advisory_lock($1)")
        .bind(key)
        .fetch_one(connection)
        .await
}

/// Gives a lock of this session back.
pub(crate) async fn release(connection: &mut PgConnection, key: i64) -> Result<(), sqlx::Error> {
    sqlx::query("SELECT pg_advisory_unlock($1)")
        .bind(key)
        .execute(connection)
        .await
        .map(drop)
}
