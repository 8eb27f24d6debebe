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
    dedicated::{BY_INDEX, Dedicated},
    gate::OrganizationId,
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
        BatchReader(Dedicated::new(options.options(BY_INDEX), connect_limit))
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
pub struct BatchReader(Dedicated);

impl BatchReader {
    /// A transaction that can only read, and only rows of these organisations, of the tables that batches read.
    ///
    /// # Errors
    /// No connection in time, or the database is away.
    pub async fn read<'a>(
        &mut self,
        organizations: impl Iterator<Item = &'a OrganizationId>,
    ) -> Result<BatchTransaction<'_>, sqlx::Error> {
        let mut begin = "BEGIN READ ONLY; SET LOCAL app.organization_ids = '".to_owned();
        for (index, organization) in organizations.enumerate() {
            // As above: the type admits only letters and digits.
            begin.push_str(if index == 0 { "" } else { "," });
            begin.push_str(organization.as_str());
        }
        begin.push('\'');
        let mut connection = self.0.take().await?;
        sqlx::raw_sql(AssertSqlSafe(begin))
            .execute(&mut connection)
            .await?;
        Ok(BatchTransaction {
            connection,
            reader: &mut self.0,
        })
    }
}

/// A transaction that reads for several tenants. Dropped without `end`, its connection ends with it.
#[derive(Debug)]
pub struct BatchTransaction<'a> {
    connection: PgConnection,
    reader: &'a mut Dedicated,
}

impl BatchTransaction<'_> {
    /// Ends it.
    ///
    /// # Errors
    /// The database is away.
    pub async fn end(mut self) -> Result<(), sqlx::Error> {
        sqlx::raw_sql("COMMIT")
            .execute(&mut self.connection)
            .await?;
        self.reader.put_back(self.connection);
        Ok(())
    }
}

impl Deref for BatchTransaction<'_> {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        &self.connection
    }
}

impl DerefMut for BatchTransaction<'_> {
    fn deref_mut(&mut self) -> &mut PgConnection {
        &mut self.connection
    }
}
