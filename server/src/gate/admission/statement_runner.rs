//! Runs one statement of admission at a time. A statement is repeated only if it certainly was
//! rolled back.

use futures_util::future::BoxFuture;
use sqlx::PgConnection;

use super::{
    error::AdmissionError,
    flusher::{Durability, Epoch, Flusher},
};
use crate::postgres::{Connections, RESPONSE_TIME_LIMIT, in_time, is_lost_race};

/// Attempts of a statement that loses races before the service reports overload.
pub(super) const ATTEMPTS: usize = 8;

type Rows<'c, T> = BoxFuture<'c, Result<T, sqlx::Error>>;

/// A connection, which is opened at its first use, and the flusher that makes its commits durable.
pub(super) struct StatementRunner {
    connection: Connections,
    flusher: Flusher,
    /// The connection's epoch. In another epoch the connection has most likely ended as well.
    epoch: Option<Epoch>,
}

impl StatementRunner {
    pub(super) fn new(connection: Connections, flusher: Flusher) -> Self {
        Self { connection, flusher, epoch: None }
    }

    pub(super) async fn epoch(&mut self) -> Result<Epoch, AdmissionError> {
        let epoch = self.flusher.epoch().await?;
        if self.epoch.replace(epoch) != Some(epoch) {
            self.connection.close_open();
        }
        Ok(epoch)
    }

    pub(super) fn flush(&self, epoch: Epoch) -> Durability {
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
            let mut connection = match self.connection.get().await {
                Ok(connection) => connection,
                Err(error) => return Err(self.lost(error)),
            };
            let rows = statement(&mut connection, argument);
            match in_time(RESPONSE_TIME_LIMIT, rows).await {
                Ok(rows) => {
                    connection.put_back();
                    return Ok(rows);
                }
                Err(error) if is_lost_race(&error) => connection.put_back(),
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
