//! Reuses connections to the database. A connection that was idle is pinged before its next use. A
//! busy one is not, and none is pinged after its use, as the pool of sqlx does. A connection is
//! closed unless it is put back, so an interrupted statement never reaches the next user.
//!
//! After an outage the pool works again at once: if one connection has ended, those opened before
//! it are not tried, and few connect at a time, because many would delay each other beyond the time
//! limit.

use std::{
    ops::{Deref, DerefMut},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use parking_lot::Mutex;
use sqlx::{Connection as _, PgConnection, postgres::PgConnectOptions};
use tokio::{
    sync::{Notify, OwnedSemaphorePermit, Semaphore},
    time::{Instant, timeout},
};

/// After so long without use a connection is pinged; a busy one is spared the round trip.
const IDLE_LIMIT: Duration = Duration::from_secs(1);
/// A ping may take a quarter of the time for a connection: then another one can still be opened.
const PINGS_PER_ACQUIRE: u32 = 4;
/// Connections that a pool opens at the same time; other callers take those returned meanwhile.
const CONCURRENT_CONNECTS: usize = 2;

/// A pool that opens connections as they are needed, up to its size.
#[derive(Clone, Debug)]
pub struct Connections(Arc<Pool>);

#[derive(Debug)]
struct Pool {
    connect: PgConnectOptions,
    acquire_limit: Duration,
    size: usize,
    /// A permit for each connection in use.
    uses: Arc<Semaphore>,
    waiting: AtomicUsize,
    connects: Semaphore,
    idle: Mutex<Idle>,
    /// Notified when a connection becomes idle.
    returned: Notify,
}

#[derive(Debug, Default)]
struct Idle {
    /// The last one was used last, and is used next.
    connections: Vec<OpenConnection>,
    /// Connections opened before have most likely ended.
    lost_at: Option<Instant>,
}

#[derive(Debug)]
struct OpenConnection {
    connection: PgConnection,
    opened_at: Instant,
    used_at: Instant,
}

/// A connection in use. Dropping it closes it.
pub struct PooledConnection {
    open: OpenConnection,
    pool: Arc<Pool>,
    _use: OwnedSemaphorePermit,
}

/// Numbers of connections and callers at one moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Status {
    pub(crate) used: usize,
    pub(crate) idle: usize,
    pub(crate) waiting: usize,
}

/// Counts a caller that waits until it is dropped.
struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn begin(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Connections {
    /// Creates a pool of at most `size` connections. A caller waits `acquire_limit` for one.
    pub(crate) fn new(connect: PgConnectOptions, size: u32, acquire_limit: Duration) -> Self {
        let size = usize::try_from(size).unwrap_or(Semaphore::MAX_PERMITS);
        Self(Arc::new(Pool {
            connect,
            acquire_limit,
            size,
            waiting: AtomicUsize::new(0),
            uses: Arc::new(Semaphore::new(size)),
            connects: Semaphore::new(CONCURRENT_CONNECTS),
            idle: Mutex::default(),
            returned: Notify::new(),
        }))
    }

    /// Takes a connection that is idle, or opens one.
    pub async fn get(&self) -> Result<PooledConnection, sqlx::Error> {
        let pooled = async {
            let waiting = Waiting::begin(&self.0.waiting);
            let uses = Arc::clone(&self.0.uses).acquire_owned().await;
            drop(waiting);
            let _use = uses.map_err(|_| sqlx::Error::PoolClosed)?;
            let open = self.0.take().await?;
            Ok(PooledConnection { open, pool: Arc::clone(&self.0), _use })
        };
        timeout(self.0.acquire_limit, pooled).await.unwrap_or(Err(sqlx::Error::PoolTimedOut))
    }

    /// Counts connections that are in use or being opened, idle ones, and callers that wait.
    pub(crate) fn status(&self) -> Status {
        Status {
            used: self.0.size - self.0.uses.available_permits(),
            idle: self.0.idle.lock().connections.len(),
            waiting: self.0.waiting.load(Ordering::Relaxed),
        }
    }

    pub(crate) fn connect_options(&self) -> &PgConnectOptions {
        &self.0.connect
    }

    /// Closes every connection that is open now; the next use opens another.
    pub(crate) fn close_open(&self) {
        self.0.idle.lock().lose(Instant::now());
    }
}

impl Pool {
    /// Takes an idle connection or opens one.
    async fn take(&self) -> Result<OpenConnection, sqlx::Error> {
        loop {
            if let Some(open) = self.take_idle().await {
                return Ok(open);
            }
            let connects = tokio::select! {
                biased;
                () = self.returned.notified() => continue,
                connects = self.connects.acquire() => connects,
            };
            let _connects = connects.map_err(|_| sqlx::Error::PoolClosed)?;
            let now = Instant::now();
            let connection = PgConnection::connect_with(&self.connect).await?;
            return Ok(OpenConnection { connection, opened_at: now, used_at: now });
        }
    }

    async fn take_idle(&self) -> Option<OpenConnection> {
        loop {
            let mut open = self.idle.lock().connections.pop()?;
            let now = Instant::now();
            if now - open.used_at < IDLE_LIMIT {
                return Some(open);
            }
            let ping_limit = self.acquire_limit / PINGS_PER_ACQUIRE;
            let ping = timeout(ping_limit, open.connection.ping()).await;
            if let Ok(Ok(())) = ping {
                return Some(open);
            }
            self.idle.lock().lose(now);
        }
    }
}

impl Idle {
    /// Closes connections opened before this time, now or when they are returned.
    fn lose(&mut self, before: Instant) {
        let lost_at = self.lost_at.map_or(before, |lost_at| lost_at.max(before));
        self.lost_at = Some(lost_at);
        self.connections.retain(|open| open.opened_at >= lost_at);
    }

    fn put_back(&mut self, open: OpenConnection) {
        if self.lost_at.is_none_or(|lost_at| open.opened_at >= lost_at) {
            self.connections.push(open);
        }
    }
}

impl PooledConnection {
    /// Keeps the connection for the next user.
    pub(crate) fn put_back(self) {
        let Self { mut open, pool, _use } = self;
        open.used_at = Instant::now();
        pool.idle.lock().put_back(open);
        pool.returned.notify_one();
    }

    /// Returns true if the error has ended the session, perhaps since its last use. Those opened
    /// before have most likely ended as well, and are closed.
    pub(crate) fn note_end(&self, error: &sqlx::Error) -> bool {
        let has_ended = matches!(error, sqlx::Error::Io(_));
        if has_ended {
            self.pool.idle.lock().lose(Instant::now());
        }
        has_ended
    }
}

impl Deref for PooledConnection {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        &self.open.connection
    }
}

impl DerefMut for PooledConnection {
    fn deref_mut(&mut self) -> &mut PgConnection {
        &mut self.open.connection
    }
}

#[cfg(test)]
mod tests;
