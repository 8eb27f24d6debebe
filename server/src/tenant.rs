//! `TenantTransaction`: the only way to tenant data. Its organisation is set for row-level security before the first
//! statement runs, and ends with the transaction.
//!
//! It refuses a session-level setting: that would leak to the next user of the connection.

use std::{
    ops::{Deref, DerefMut},
    time::Duration,
};

use sqlx::{
    AssertSqlSafe, PgConnection, PgPool, Postgres, Transaction, postgres::PgConnectOptions,
};

use crate::{
    id::OrganizationId,
    persistent_connection::{BY_INDEX, PersistentConnection},
};

/// Opens tenants' transactions; the pool is private to it.
#[derive(Clone, Debug)]
pub struct Tenants {
    pool: PgPool,
}

impl Tenants {
    /// Opens transactions on `pool`, whose role row-level security must bind.
    #[must_use]
    pub fn new(pool: PgPool) -> Self {
        Self { pool }
    }

    /// A transaction that can only read, and only this organisation's rows.
    ///
    /// # Errors
    /// No connection within the pool's time, or the database is away.
    pub async fn read(
        &self,
        organization: &OrganizationId,
    ) -> Result<TenantTransaction, sqlx::Error> {
        self.begin("BEGIN READ ONLY", organization).await
    }

    /// A transaction that can only read, and sees one instant, however many statements it runs.
    ///
    /// # Errors
    /// No connection within the pool's time, or the database is away.
    pub async fn snapshot(
        &self,
        organization: &OrganizationId,
    ) -> Result<TenantTransaction, sqlx::Error> {
        self.begin(
            "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
            organization,
        )
        .await
    }

    /// A transaction that reads and writes only this organisation's rows; nothing is kept without `commit`.
    ///
    /// # Errors
    /// No connection within the pool's time, or the database is away.
    pub async fn write(
        &self,
        organization: &OrganizationId,
    ) -> Result<TenantTransaction, sqlx::Error> {
        self.begin("BEGIN READ WRITE", organization).await
    }

    /// A way to read for several tenants at once, on a connection of its own.
    #[must_use]
    pub fn batch_reader(&self, connect_limit: Duration) -> BatchReader {
        let options = PgConnectOptions::clone(&self.pool.connect_options());
        let options = options
            .options(BY_INDEX)
            .options([("default_transaction_read_only", "on")]);
        BatchReader(PersistentConnection::new(options, connect_limit))
    }

    /// One round trip for both statements. `SET LOCAL` takes no parameter, so the id is written into the text: its type
    /// admits only letters and digits, and this is the one place that does so.
    async fn begin(
        &self,
        begin: &str,
        organization: &OrganizationId,
    ) -> Result<TenantTransaction, sqlx::Error> {
        let statements = format!("{begin}; SET LOCAL app.organization_id = '{organization}'");
        let transaction = self.pool.begin_with(AssertSqlSafe(statements)).await?;
        Ok(TenantTransaction {
            transaction,
            organization: organization.clone(),
        })
    }
}

/// A transaction within one organisation. Dropped without `commit`, it is rolled back.
#[derive(Debug)]
pub struct TenantTransaction {
    transaction: Transaction<'static, Postgres>,
    organization: OrganizationId,
}

impl TenantTransaction {
    /// The organisation's id, which every statement names as well (`organization_id = $1`): one fence behind the other.
    #[must_use]
    pub fn organization(&self) -> OrganizationId {
        self.organization.clone()
    }

    /// Makes the changes durable.
    ///
    /// # Errors
    /// The database refused or is away; then nothing of the transaction happened, unless the answer alone was lost.
    pub async fn commit(self) -> Result<(), sqlx::Error> {
        self.transaction.commit().await
    }
}

impl Deref for TenantTransaction {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        &self.transaction
    }
}

impl DerefMut for TenantTransaction {
    fn deref_mut(&mut self) -> &mut PgConnection {
        &mut self.transaction
    }
}

/// Reads for several tenants at once.
#[derive(Debug)]
pub struct BatchReader(PersistentConnection);

impl BatchReader {
    /// Takes the connection, which must be put back after a statement that came to its end.
    ///
    /// # Errors
    /// No connection in time, or the database is away.
    pub async fn take(&mut self) -> Result<BatchConnection, sqlx::Error> {
        self.0.take().await.map(BatchConnection)
    }

    /// Keeps the connection for the next batch.
    pub fn put_back(&mut self, connection: BatchConnection) {
        self.0.put_back(connection.0);
    }
}

/// A connection that can only read, and of its own sees no tenant's rows. A statement of a batch names its organisations to
/// row-level security itself, by `set_config('app.organization_ids', …, true)`, which ends with it: one round trip in place
/// of three. Each row is read by a LATERAL sub-select of what that set, so that it is never read before.
#[derive(Debug)]
pub struct BatchConnection(PgConnection);

impl Deref for BatchConnection {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        &self.0
    }
}

impl DerefMut for BatchConnection {
    fn deref_mut(&mut self) -> &mut PgConnection {
        &mut self.0
    }
}
