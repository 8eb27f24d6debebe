//! `TenantTransaction`: the only way to tenant data. Its organisation is set for row-level security
//! before the first statement, and for the transaction only: a session-level setting would leak to
//! the next user of the connection.

use std::{
    ops::{Deref, DerefMut},
    time::Duration,
};

use sqlx::{
    AssertSqlSafe, PgConnection, PgPool, Postgres, Transaction, postgres::PgConnectOptions,
};

use crate::{
    id::OrganizationId,
    persistent_connection::{POINT_LOOKUP_SETTINGS, PersistentConnection},
};

/// Opens tenants' transactions on a private pool.
#[derive(Clone, Debug)]
pub struct Tenants {
    pool: PgPool,
}

impl Tenants {
    /// Opens transactions on `pool`; row-level security must bind its role.
    #[must_use]
    pub fn new(pool: PgPool) -> Self {
        Self { pool }
    }

    /// A read-only transaction on this organisation's rows.
    pub async fn read(
        &self,
        organization: &OrganizationId,
    ) -> Result<TenantTransaction, sqlx::Error> {
        self.begin("BEGIN READ ONLY", organization).await
    }

    /// A read-only transaction whose statements all see the same snapshot.
    pub async fn snapshot(
        &self,
        organization: &OrganizationId,
    ) -> Result<TenantTransaction, sqlx::Error> {
        self.begin("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", organization).await
    }

    /// A transaction that reads and writes this organisation's rows.
    pub async fn write(
        &self,
        organization: &OrganizationId,
    ) -> Result<TenantTransaction, sqlx::Error> {
        self.begin("BEGIN READ WRITE", organization).await
    }

    /// Reads for several tenants at once, on its own connection.
    #[must_use]
    pub fn batch_reader(&self, connect_limit: Duration) -> BatchReader {
        let options = PgConnectOptions::clone(&self.pool.connect_options());
        let options = options
            .options(POINT_LOOKUP_SETTINGS)
            .options([("default_transaction_read_only", "on")]);
        BatchReader(PersistentConnection::new(options, connect_limit))
    }

    /// One round trip for both statements. `SET LOCAL` takes no parameter, so this one place
    /// formats the id into the SQL text: its type allows only letters, digits and an underscore.
    async fn begin(
        &self,
        begin: &str,
        organization: &OrganizationId,
    ) -> Result<TenantTransaction, sqlx::Error> {
        let statements = format!("{begin}; SET LOCAL app.organization_id = '{organization}'");
        let transaction = self.pool.begin_with(AssertSqlSafe(statements)).await?;
        Ok(TenantTransaction { transaction, organization: organization.clone() })
    }
}

/// A transaction within one organisation. Dropped without `commit`, it is rolled back.
#[derive(Debug)]
pub struct TenantTransaction {
    transaction: Transaction<'static, Postgres>,
    organization: OrganizationId,
}

impl TenantTransaction {
    /// The organisation's id; every statement names it too (`organization_id = $1`).
    #[must_use]
    pub fn organization(&self) -> OrganizationId {
        self.organization.clone()
    }

    /// Makes the changes durable.
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
    /// Takes the connection; put it back after a statement that completed.
    pub async fn take(&mut self) -> Result<BatchConnection, sqlx::Error> {
        self.0.take().await.map(BatchConnection)
    }

    /// Returns the connection for the next batch.
    pub fn put_back(&mut self, connection: BatchConnection) {
        self.0.put_back(connection.0);
    }
}

/// A read-only connection that by itself sees no tenant's rows. Each statement sets its
/// organisations for row-level security itself, by `set_config('app.organization_ids', …, true)`:
/// one round trip in place of three. Its rows are read by a LATERAL sub-select of that setting, so
/// never before it.
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
