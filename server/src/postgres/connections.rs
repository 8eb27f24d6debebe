//! Reuses connections to the database. A connection that was idle is pinged before its next use. A
//! busy one is not, and none is pinged after its use, as the pool of sqlx does.
//!
//! After an outage the pool works again at once: if one connection has ended, those opened before
//! it are not tried, and few connect at a time, because many would delay each other beyond the time
//! limit.

use std::{
    ops::{Deref, DerefMut},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use sqlx::{Connection as _, PgConnection, postgres::PgConnectOptions};
use tokio::{
    sync::{Notify, OwnedSemaphorePermit, Semaphore},
    time::{Instant, timeout},
};

use super::persistent_connection::{IDLE_LIMIT, ping_limit};

/// Connections that a pool opens at the same time; other callers take those returned meanwhile.
const CONCURRENT_CONNECTS: usize = 2;

/// A pool that opens connections as they are needed, up to its size.
#[derive(Clone, Debug)]
pub(crate) struct Connections(Arc<Pool>);

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

/// A connection in use. Dropping it returns it to the pool, unless it was closed.
#[derive(Debug)]
pub(crate) struct PooledConnection {
    open: Option<OpenConnection>,
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

    pub(crate) async fn get(&self) -> Result<PooledConnection, sqlx::Error> {
        let pooled = async {
            let waiting = Waiting::begin(&self.0.waiting);
            let uses = Arc::clone(&self.0.uses).acquire_owned().await;
            drop(waiting);
            let _use = uses.map_err(|_| sqlx::Error::PoolClosed)?;
            let open = Some(self.0.take().await?);
            Ok(PooledConnection { open, pool: Arc::clone(&self.0), _use })
        };
        timeout(self.0.acquire_limit, pooled).await.unwrap_or(Err(sqlx::Error::PoolTimedOut))
    }

    /// Counts connections that are in use or being opened, idle ones, and callers that wait.
    pub(crate) fn status(&self) -> Status {
        Status {
            used: self.0.size - self.0.uses.available_permits(),
            idle: self.0.idle().connections.len(),
            waiting: self.0.waiting.load(Ordering::Relaxed),
        }
    }

    pub(crate) fn connect_options(&self) -> &PgConnectOptions {
        &self.0.connect
    }
}

impl Pool {
    fn idle(&self) -> MutexGuard<'_, Idle> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

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
            let mut open = self.idle().connections.pop()?;
            let now = Instant::now();
            if now - open.used_at < IDLE_LIMIT {
                return Some(open);
            }
            let ping = timeout(ping_limit(self.acquire_limit), open.connection.ping()).await;
            if let Ok(Ok(())) = ping {
                return Some(open);
            }
            self.idle().lose(now);
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
    /// Closes the connection.
    pub(crate) fn close(mut self) {
        self.open = None;
    }

    /// Closes the connection after its error. If the session has ended, those opened before have
    /// most likely ended as well.
    pub(crate) fn close_after(self, error: &sqlx::Error) {
        if matches!(error, sqlx::Error::Io(_)) {
            self.pool.idle().lose(Instant::now());
        }
        self.close();
    }
}

impl Drop for PooledConnection {
    fn drop(&mut self) {
        if let Some(mut open) = self.open.take() {
            open.used_at = Instant::now();
            self.pool.idle().put_back(open);
            self.pool.returned.notify_one();
        }
    }
}

impl Deref for PooledConnection {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        &self.open.as_ref().expect(OPEN).connection
    }
}

impl DerefMut for PooledConnection {
    fn deref_mut(&mut self) -> &mut PgConnection {
        &mut self.open.as_mut().expect(OPEN).connection
    }
}

const OPEN: &str = "only its end takes the connection";

#[cfg(test)]
mod tests;
