//! A long-lived connection owned by one task. Idle connections are pinged before reuse.

use std::{
    io,
    time::{Duration, Instant},
};

use sqlx::{Connection as _, PgConnection, postgres::PgConnectOptions};

/// After so long without use the connection is pinged; a busy task is spared the round trip.
pub(crate) const IDLE_LIMIT: Duration = Duration::from_secs(1);

/// How long a ping may take, before there is time to open another connection.
pub(crate) const fn ping_limit(acquire_limit: Duration) -> Duration {
    acquire_limit.checked_div(4).expect("4 is not 0")
}

/// Settings of connections whose statements take arrays of keys: each row is found by its index, in
/// the order of the arrays, whatever the tables held when the statement was planned.
pub(crate) const POINT_LOOKUP_SETTINGS: [(&str, &str); 5] = [
    ("enable_hashjoin", "off"),
    ("enable_mergejoin", "off"),
    ("enable_seqscan", "off"),
    ("plan_cache_mode", "force_generic_plan"),
    ("jit", "off"),
];

/// A connection that is opened on first use, and again when it has ended. A connection that is
/// taken and not put back is closed, so an interrupted statement never reaches the next user.
#[derive(Debug)]
pub(crate) struct PersistentConnection {
    options: PgConnectOptions,
    connect_limit: Duration,
    idle: Option<IdleConnection>,
}

#[derive(Debug)]
struct IdleConnection {
    connection: PgConnection,
    since: Instant,
}

impl PersistentConnection {
    /// Opens nothing yet; connecting may take `connect_limit`.
    pub(crate) fn new(options: PgConnectOptions, connect_limit: Duration) -> Self {
        Self { options, connect_limit, idle: None }
    }

    /// Takes the connection, and opens one where there is none.
    pub(crate) async fn take(&mut self) -> Result<PgConnection, sqlx::Error> {
        if let Some(idle) = self.idle.take()
            && let Some(connection) = self.check(idle).await
        {
            return Ok(connection);
        }
        let connect = PgConnection::connect_with(&self.options);
        let connected = tokio::time::timeout(self.connect_limit, connect).await;
        connected.map_err(|_| connect_timed_out())?
    }

    /// Keeps the connection for the next use.
    pub(crate) fn put_back(&mut self, connection: PgConnection) {
        let since = Instant::now();
        self.idle = Some(IdleConnection { connection, since });
    }

    /// Closes the connection; the next use opens another.
    pub(crate) fn discard(&mut self) {
        self.idle = None;
    }

    /// Returns the connection, unless it has ended.
    async fn check(&self, mut idle: IdleConnection) -> Option<PgConnection> {
        if idle.since.elapsed() >= IDLE_LIMIT {
            let ping = tokio::time::timeout(ping_limit(self.connect_limit), idle.connection.ping());
            ping.await.ok()?.ok()?;
        }
        Some(idle.connection)
    }
}

/// Returns the error of a connection that does not open in time.
pub(crate) fn connect_timed_out() -> sqlx::Error {
    io::Error::new(io::ErrorKind::TimedOut, "no connection was opened in time").into()
}
