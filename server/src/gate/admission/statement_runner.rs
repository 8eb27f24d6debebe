//! Runs one statement of admission at a time. A statement is repeated only if it certainly was
//! rolled back.

use std::{io, time::Duration};

use futures_util::future::BoxFuture;
use sqlx::PgConnection;

use super::{
    error::AdmissionError,
    flusher::{Epoch, Flusher, PendingFlush},
};
use crate::postgres::{PersistentConnection, is_lost_race};

/// Attempts of a statement that loses races before the service reports overload.
pub(super) const ATTEMPTS: usize = 8;
/// Time after which a statement has lost the database: PostgreSQL itself ends it after 5 s.
pub(super) const RESPONSE_TIME_LIMIT: Duration = Duration::from_secs(6);

/// The future of a statement.
type Rows<'c, T> = BoxFuture<'c, Result<T, sqlx::Error>>;

/// A connection, and the flusher that makes its commits durable.
#[derive(Debug)]
pub(super) struct StatementRunner {
    connection: PersistentConnection,
    flusher: Flusher,
    /// The connection's epoch. In another epoch the connection has most likely ended as well.
    epoch: Option<Epoch>,
}

impl StatementRunner {
    pub(super) fn new(connection: PersistentConnection, flusher: Flusher) -> Self {
        Self { connection, flusher, epoch: None }
    }

    /// Returns the epoch of the next statement.
    pub(super) async fn epoch(&mut self) -> Result<Epoch, AdmissionError> {
        let epoch = self.flusher.epoch().await?;
        if self.epoch.replace(epoch) != Some(epoch) {
            self.connection.discard();
        }
        Ok(epoch)
    }

    /// Requests a flush of the commits of `epoch`.
    pub(super) fn flush(&self, epoch: Epoch) -> PendingFlush {
        self.flusher.flush(epoch)
    }

    /// Runs one statement. A lost race rolled it back, so it is repeated. After any other error its
    /// result is unknown, so it is not.
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
