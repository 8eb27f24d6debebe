//! Connections to the database that are reused. One that was idle is pinged before its next use; a
//! busy one is spared that round trip, and the one that a pool would add after each use.

use std::time::Duration;

use deadpool::{
    Runtime, Status,
    managed::{Manager, Metrics, Object, Pool, PoolConfig, PoolError, RecycleResult, Timeouts},
};
use sqlx::{Connection as _, PgConnection, postgres::PgConnectOptions};

use crate::persistent_connection::IDLE_LIMIT;

/// A connection in use, which is reused once it is dropped. [`Object::take`] takes a broken one
/// out.
pub(crate) type Lease = Object<Connector>;

/// Opens connections as they are needed, up to a number.
#[derive(Clone, Debug)]
pub(crate) struct Connections(Pool<Connector>);

#[derive(Debug)]
pub(crate) struct Connector(PgConnectOptions);

impl Manager for Connector {
    type Type = PgConnection;
    type Error = sqlx::Error;

    async fn create(&self) -> Result<PgConnection, sqlx::Error> {
        PgConnection::connect_with(&self.0).await
    }

    async fn recycle(
        &self,
        connection: &mut PgConnection,
        metrics: &Metrics,
    ) -> RecycleResult<sqlx::Error> {
        if metrics.last_used() >= IDLE_LIMIT {
            connection.ping().await?;
        }
        Ok(())
    }
}

impl Connections {
    /// At most `size` connections. A caller waits `acquire_limit` for one.
    pub(crate) fn new(connect: PgConnectOptions, size: u32, acquire_limit: Duration) -> Self {
        let limit = Some(acquire_limit);
        let pool = Pool::builder(Connector(connect))
            .config(PoolConfig {
                max_size: usize::try_from(size).unwrap_or(usize::MAX),
                timeouts: Timeouts { wait: limit, create: limit, recycle: limit },
                ..PoolConfig::default()
            })
            .runtime(Runtime::Tokio1)
            .build();
        Self(pool.expect("it has a runtime for its time limits"))
    }

    pub(crate) async fn get(&self) -> Result<Lease, sqlx::Error> {
        self.0.get().await.map_err(|error| match error {
            PoolError::Backend(error) => error,
            PoolError::Closed => sqlx::Error::PoolClosed,
            _ => sqlx::Error::PoolTimedOut,
        })
    }

    /// How many connections are open and idle, and how many callers wait for one.
    pub(crate) fn status(&self) -> Status {
        self.0.status()
    }

    pub(crate) fn connect_options(&self) -> &PgConnectOptions {
        &self.0.manager().0
    }
}
