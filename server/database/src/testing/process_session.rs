//! A thread with one session per test process. While the session is open, the process's databases
//! are in use; afterwards any process may drop them.
//!
//! An advisory lock marks the session: process ids are reused, and mean nothing to a server on
//! another machine.

use std::hash::{BuildHasher as _, RandomState};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use sqlx::{AssertSqlSafe, Connection as _, PgConnection};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::advisory_lock;
use crate::connect::owner_connect_options;

/// Beginning of every test database's name; the process' key and a number follow.
const PREFIX: &str = "payout_test_";
const DROP_TIMEOUT: Duration = Duration::from_secs(10);

/// The handle of the thread.
#[derive(Debug)]
pub(super) struct ProcessSession {
    key: i64,
    drops: UnboundedSender<(String, mpsc::Sender<()>)>,
}

impl ProcessSession {
    /// Connects to the maintenance database, marks this process as running, and drops the databases
    /// of ended ones.
    pub(super) fn start(maintenance_url: String) -> Result<Self, sqlx::Error> {
        // The system seeds it for each process; half of the keys are enough.
        let key = i64::try_from(RandomState::new().hash_one(PREFIX) >> 1).unwrap_or(i64::MAX);
        let (drops, requests) = unbounded_channel();
        let (report, reported) = mpsc::channel();
        thread::Builder::new().name("test database keeper".to_owned()).spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            match runtime {
                Ok(runtime) => runtime.block_on(keep(maintenance_url, key, requests, report)),
                // If this fails, the receiver is gone.
                Err(error) => drop(report.send(Err(error.into()))),
            }
        })?;
        reported.recv().unwrap_or(Err(sqlx::Error::WorkerCrashed))?;
        Ok(Self { key, drops })
    }

    /// The name of the process's database with this number.
    pub(super) fn database_name(&self, number: u64) -> String {
        format!("{PREFIX}{:016x}_{number}", self.key)
    }

    /// Drops a database and waits for it; after a timeout it is left to the sweep of the next
    /// process.
    pub(super) fn drop_database(&self, name: &str) {
        let (done, finished) = mpsc::channel();
        if self.drops.send((name.to_owned(), done)).is_ok() {
            // After an error or a timeout, the sweep of a later process drops it.
            let _ = finished.recv_timeout(DROP_TIMEOUT);
        }
    }
}

async fn keep(
    maintenance_url: String,
    key: i64,
    mut requests: UnboundedReceiver<(String, mpsc::Sender<()>)>,
    report: mpsc::Sender<Result<(), sqlx::Error>>,
) {
    let mut connection = match open_session(&maintenance_url, key).await {
        Ok(connection) => connection,
        Err(error) => return drop(report.send(Err(error))),
    };
    drop(report.send(Ok(())));
    while let Some((name, done)) = requests.recv().await {
        if let Err(error) = drop_database(&mut connection, &name).await {
            tracing::warn!(%error, name, "a test database was left to the next sweep");
        }
        drop(done);
    }
}

async fn open_session(maintenance_url: &str, key: i64) -> Result<PgConnection, sqlx::Error> {
    let mut connection =
        PgConnection::connect_with(&owner_connect_options(maintenance_url)?).await?;
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
            drop_database(&mut connection, &name).await?;
            advisory_lock::release(&mut connection, owner).await?;
        }
    }
    Ok(connection)
}

/// The key of the process that created a database.
fn key_of(name: &str) -> Option<i64> {
    let (key, _) = name.strip_prefix(PREFIX)?.split_once('_')?;
    i64::from_str_radix(key, 16).ok()
}

async fn drop_database(connection: &mut PgConnection, name: &str) -> Result<(), sqlx::Error> {
    // Audited: the name is our prefix, a hex number, and a number; the sweep's pattern matches
    // nothing else.
    // FORCE: a test may end with its pool still open.
    sqlx::raw_sql(AssertSqlSafe(format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")))
        .execute(connection)
        .await
        .map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_is_read_back_from_the_name() {
        let (drops, _requests) = unbounded_channel();
        let process_session = ProcessSession { key: 0x1234, drops };
        assert_eq!(process_session.database_name(7), "payout_test_0000000000001234_7");
        assert_eq!(key_of(&process_session.database_name(7)), Some(0x1234));
        assert_eq!(key_of("payout_test_template"), None);
    }
}
