//! The session of a test process. While it is open, the databases that have the process's key in
//! their names are in use; afterwards any process may drop them.
//!
//! An advisory lock marks the session: process ids are reused, and mean nothing to a server on
//! another machine.

use std::hash::{BuildHasher as _, RandomState};
use std::thread;
use std::time::Duration;

use sqlx::{Connection as _, PgConnection};

use crate::advisory_lock;
use crate::connect::{execute, owner_connect_options};

/// Beginning of every test database's name; the process' key and a number follow.
const PREFIX: &str = "payout_test_";
const DROP_TIMEOUT: Duration = Duration::from_secs(10);

/// Marks this process as running for as long as it runs, and drops the databases of ended ones;
/// returns its key.
pub(super) async fn open(maintenance_url: &str) -> Result<i64, sqlx::Error> {
    // The system seeds it for each process; half of the keys are enough.
    let key = i64::try_from(RandomState::new().hash_one(PREFIX) >> 1).unwrap_or(i64::MAX);
    let mut connection = connect(maintenance_url).await?;
    advisory_lock::try_acquire(&mut connection, key).await?;
    let names: Vec<String> = sqlx::query_scalar(
        "SELECT datname::text FROM pg_database WHERE datname ~ '^payout_test_[0-9a-f]{16}_[0-9]+$'",
    )
    .fetch_all(&mut connection)
    .await?;
    for name in names {
        let Some(owner) = key_of(&name).filter(|owner| *owner != key) else {
            continue;
        };
        if advisory_lock::try_acquire(&mut connection, owner).await? {
            drop_in(&mut connection, &name).await?;
            advisory_lock::release(&mut connection, owner).await?;
        }
    }
    // Never closed: the session ends with the process.
    Box::leak(Box::new(connection));
    Ok(key)
}

pub(super) fn database_name(key: i64, number: u64) -> String {
    format!("{PREFIX}{key:016x}_{number}")
}

fn key_of(name: &str) -> Option<i64> {
    let (key, _) = name.strip_prefix(PREFIX)?.split_once('_')?;
    i64::from_str_radix(key, 16).ok()
}

/// Drops a database and waits for it, in a thread: the caller may be in an async runtime. After an
/// error or a timeout it is left to the next process.
pub(super) fn drop_database(maintenance_url: &str, name: &str) {
    let work = || -> Result<(), sqlx::Error> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            let dropped = async { drop_in(&mut connect(maintenance_url).await?, name).await };
            let dropped = tokio::time::timeout(DROP_TIMEOUT, dropped).await;
            dropped.unwrap_or(Err(sqlx::Error::PoolTimedOut))
        })
    };
    let dropped = thread::scope(|scope| scope.spawn(work).join());
    if let Ok(Err(error)) = dropped {
        tracing::warn!(%error, name, "a test database was left to the next sweep");
    }
}

async fn connect(url: &str) -> Result<PgConnection, sqlx::Error> {
    PgConnection::connect_with(&owner_connect_options(url)?).await
}

async fn drop_in(connection: &mut PgConnection, name: &str) -> Result<(), sqlx::Error> {
    // FORCE: a test may end with its pool still open.
    execute(connection, format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_is_read_back_from_the_name() {
        assert_eq!(database_name(0x1234, 7), "payout_test_0000000000001234_7");
        assert_eq!(key_of("payout_test_0000000000001234_7"), Some(0x1234));
        assert_eq!(key_of("payout_test_template"), None);
    }
}
