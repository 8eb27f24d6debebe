//! A connection to the database that belongs to one task for good.
//!
//! It refuses to hand out a connection that has ended unnoticed: one that was idle is asked first whether it still lives.

use std::time::{Duration, Instant};

use sqlx::{Connection as _, PgConnection, postgres::PgConnectOptions};

/// After so long without use a connection may have ended unnoticed. Asking costs a round trip, which a busy task is spared.
const IDLE_LIMIT: Duration = Duration::from_secs(1);

/// Settings of a connection whose statements take arrays of keys: each row is found by its index, in the order that was asked
/// for, whatever the tables held when the statement was planned.
pub const BY_INDEX: [(&str, &str); 5] = [
    ("enable_hashjoin", "off"),
    ("enable_mergejoin", "off"),
    ("enable_seqscan", "off"),
    ("plan_cache_mode", "force_generic_plan"),
    ("jit", "off"),
];

/// A connection that is made when it is first needed, and anew when it has ended. Whoever takes it and does not put it back
/// ends it: so what was broken off half-way can never be met by the next.
#[derive(Debug)]
pub struct PersistentConnection {
    options: PgConnectOptions,
    connect_limit: Duration,
    kept: Option<Kept>,
}

#[derive(Debug)]
struct Kept {
    connection: PgConnection,
    since: Instant,
}

impl PersistentConnection {
    /// A connection with these options, made within `connect_limit`.
    #[must_use]
    pub fn new(options: PgConnectOptions, connect_limit: Duration) -> Self {
        Self {
            options,
            connect_limit,
            kept: None,
        }
    }

    /// Takes the connection.
    ///
    /// # Errors
    /// The database is away, or did not answer in time.
    pub async fn take(&mut self) -> Result<PgConnection, sqlx::Error> {
        if let Some(kept) = self.kept.take()
            && let Some(connection) = self.look_after(kept).await
        {
            return Ok(connection);
        }
        let connect = PgConnection::connect_with(&self.options);
        let connected = tokio::time::timeout(self.connect_limit, connect).await;
        connected.map_err(|_| sqlx::Error::PoolTimedOut)?
    }

    /// Keeps the connection for the next use.
    pub fn put_back(&mut self, connection: PgConnection) {
        let since = Instant::now();
        self.kept = Some(Kept { connection, since });
    }

    /// Ends the connection: the next use makes another.
    pub fn discard(&mut self) {
        self.kept = None;
    }

    /// The connection, if it lives.
    async fn look_after(&self, mut kept: Kept) -> Option<PgConnection> {
        if kept.since.elapsed() >= IDLE_LIMIT {
            let ping = tokio::time::timeout(self.connect_limit, kept.connection.ping());
            ping.await.ok()?.ok()?;
        }
        Some(kept.connection)
    }
}
