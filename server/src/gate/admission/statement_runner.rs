//! Runs one statement of admission at a time. A statement is only repeated where it is known to be
//! rolled back.

use std::{io, time::Duration};

use futures_util::future::BoxFuture;
use sqlx::PgConnection;

use super::{
    error::AdmissionError,
    flusher::{Epoch, Flusher, PendingFlush},
};
use crate::postgres::{PersistentConnection, is_lost_race};

/// How often what lost a race is submitted again before the service reports overload.
pub(super) const ATTEMPTS: usize = 8;
/// What takes longer has lost the database: PostgreSQL itself ends a statement after 5 s.
pub(super) const RESPONSE_TIME_LIMIT: Duration = Duration::from_secs(6);

/// What a statement returns.
type Rows<'c, T> = BoxFuture<'c, Result<T, sqlx::Error>>;

/// A connection, and the flusher that makes its commits durable.
#[derive(Debug)]
pub(super) struct StatementRunner {
    connection: PersistentConnection,
    flusher: Flusher,
    /// The connection's epoch: in another one it has most likely ended as well.
    epoch: Option<Epoch>,
}

impl StatementRunner {
    pub(super) fn new(connection: PersistentConnection, flusher: Flusher) -> Self {
        Self { connection, flusher, epoch: None }
    }

    /// The epoch that the next statement belongs to.
    pub(super) async fn epoch(&mut self) -> Result<Epoch, AdmissionError> {
        let epoch = self.flusher.epoch().await?;
        if self.epoch.replace(epoch) != Some(epoch) {
            self.connection.discard();
        }
        Ok(epoch)
    }

    /// Makes durable what was committed in `epoch`.
    pub(super) fn flush(&self, epoch: Epoch) -> PendingFlush {
        self.flusher.flush(epoch)
    }

    /// Runs one statement. A lost race rolled it back, so it is repeated; after any other error
    /// nothing is known, and it is not.
    pub(super) async fn run<A: Sync + ?Sized, T>(
        &mut self,
        statement: impl for<'c> Fn(&'c mut PgConnection, &'c A) -> Rows<'c, T>,
        argument: &A,
    ) -> Result<T, AdmissionError> {
        for _ in 0..ATTEMPTS {
            let mut connection = match self.connection.take().await {
                Ok(connection) => connection,
                Err(error) => return Err(self.lost(error)),
            };
            let rows = statement(&mut connection, argument);
            let rows = tokio::time::timeout(RESPONSE_TIME_LIMIT, rows).await;
            let late = |_| Err(io::Error::from(io::ErrorKind::TimedOut).into());
            let rows = rows.unwrap_or_else(late);
            if rows.as_ref().err().is_none_or(is_lost_race) {
                self.connection.put_back(connection);
            }
            match rows {
                Ok(rows) => return Ok(rows),
                Err(error) if is_lost_race(&error) => {}
                Err(error) => return Err(self.lost(error)),
            }
        }
        Err(AdmissionError::Contended)
    }

    fn lost(&self, error: sqlx::Error) -> AdmissionError {
        self.flusher.check_connection();
        error.into()
    }
}
