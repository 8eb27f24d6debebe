//! `TenantTransaction`: the only way to tenant data. Its organisation is set for row-level security
//! before the first statement, and for the transaction only: a session-level setting would leak to
//! the next user of the connection.

use std::{
    ops::{Deref, DerefMut},
    sync::Arc,
    time::Duration,
};

use parking_lot::Mutex;
use sqlx::{
    AssertSqlSafe, Executor as _, PgConnection, PgPool, Row as _,
    postgres::{PgConnectOptions, PgRow},
};
use tokio::runtime::Handle;

use super::{
    connections::{Connections, PooledConnection},
    error::is_unavailable,
};
use crate::id::{OrganizationId, PartnerId};

const OPEN: &str = "only its end takes the connection";

/// Settings of connections whose statements take arrays of keys: each row is found by its index, in
/// the order of the arrays, whatever the tables held when the statement was planned.
pub(crate) const POINT_LOOKUP_SETTINGS: [(&str, &str); 5] = [
    ("enable_hashjoin", "off"),
    ("enable_mergejoin", "off"),
    ("enable_seqscan", "off"),
    ("plan_cache_mode", "force_generic_plan"),
    ("jit", "off"),
];

/// Settings of connections that read lists: each statement is planned once, for an index that has
/// the rows in their order.
pub const LIST_SETTINGS: [(&str, &str); 8] = [
    ("default_transaction_read_only", "on"),
    ("enable_bitmapscan", "off"),
    ("enable_hashjoin", "off"),
    ("enable_mergejoin", "off"),
    ("enable_seqscan", "off"),
    ("enable_sort", "off"),
    ("plan_cache_mode", "force_generic_plan"),
    ("jit", "off"),
];

/// Settings of the portal's connections: of no partner, until a statement names one. So one that
/// names none sees no partner's rows.
pub(crate) const PORTAL_SETTINGS: [(&str, &str); 1] = [("app.partner_id", "none")];

/// Opens tenants' transactions on connections of its own.
#[derive(Clone, Debug)]
pub struct Tenants {
    connections: Connections,
    /// Read lists; opened as they are needed.
    list_connections: Connections,
}

/// Tenants' transactions on connections with the settings of a pool, whose role is bound by
/// row-level security.
impl From<&PgPool> for Tenants {
    fn from(pool: &PgPool) -> Self {
        let options = pool.options();
        let connect = PgConnectOptions::clone(&pool.connect_options());
        Self::new(connect, options.get_max_connections(), options.get_acquire_timeout())
    }
}

impl Tenants {
    /// Opens transactions on at most `size` connections, and reads lists on as many; row-level
    /// security must bind their role. A caller waits `acquire_limit` for one.
    pub(crate) fn new(connect: PgConnectOptions, size: u32, acquire_limit: Duration) -> Self {
        let for_lists = connect.clone().options(LIST_SETTINGS);
        Self {
            connections: Connections::new(connect, size, acquire_limit),
            list_connections: Connections::new(for_lists, size, acquire_limit),
        }
    }

    /// Returns the pool for handlers, and the one for lists.
    pub(crate) fn pools(&self) -> [Connections; 2] {
        [self.connections.clone(), self.list_connections.clone()]
    }

    pub async fn read(
        &self,
        organization: &OrganizationId,
    ) -> Result<TenantTransaction, sqlx::Error> {
        self.begin("BEGIN READ ONLY", organization).await
    }

    /// Begins a read-only transaction whose statements all see the same snapshot.
    pub async fn snapshot(
        &self,
        organization: &OrganizationId,
    ) -> Result<TenantTransaction, sqlx::Error> {
        self.begin("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", organization).await
    }

    pub async fn write(
        &self,
        organization: &OrganizationId,
    ) -> Result<TenantTransaction, sqlx::Error> {
        self.begin("BEGIN READ WRITE", organization).await
    }

    /// Begins a transaction that reads and writes, alone with this lock until it ends; `None` where
    /// another one has the lock.
    pub(crate) async fn write_alone(
        &self,
        organization: &OrganizationId,
        lock: i64,
    ) -> Result<Option<TenantTransaction>, sqlx::Error> {
        let then = format!("; SELECT pg_try_advisory_xact_lock({lock})");
        let (transaction, row) = self.begin_then("BEGIN READ WRITE", organization, &then).await?;
        let is_locked: bool = row.ok_or(sqlx::Error::RowNotFound)?.try_get(0)?;
        Ok(is_locked.then_some(transaction))
    }

    /// Begins a transaction that reads and writes what belongs to one partner.
    pub(crate) async fn write_as_partner(
        &self,
        organization: &OrganizationId,
        partner: &PartnerId,
    ) -> Result<TenantTransaction, sqlx::Error> {
        let then = format!("; SET LOCAL app.partner_id = '{partner}'");
        let (transaction, _) = self.begin_then("BEGIN READ WRITE", organization, &then).await?;
        Ok(transaction)
    }

    pub(crate) async fn run<S: SingleStatement>(
        &self,
        statement: &S,
    ) -> Result<S::Output, sqlx::Error> {
        let mut connection = self.connections.get().await?;
        let output = statement.run(&mut connection).await;
        let is_usable =
            |error: &sqlx::Error| error.as_database_error().is_some() && !is_unavailable(error);
        match output.as_ref().err().filter(|error| !is_usable(error)) {
            // It may be broken, or in the middle of its answer.
            Some(error) => _ = connection.note_end(error),
            None => connection.put_back(),
        }
        output
    }

    pub(crate) async fn list<S: SingleStatement>(
        &self,
        list: &S,
    ) -> Result<S::Output, sqlx::Error> {
        let mut is_repeated = false;
        loop {
            let mut connection = self.list_connections.get().await?;
            match list.run(&mut connection).await {
                Ok(rows) => {
                    connection.put_back();
                    return Ok(rows);
                }
                // Reading again changes nothing.
                Err(error) if !connection.note_end(&error) || is_repeated => return Err(error),
                Err(_) => is_repeated = true,
            }
        }
    }

    /// Returns a connection that by itself sees no tenant's rows, and writes for several tenants at
    /// once.
    pub(crate) fn writing_batch_connection(&self, acquire_limit: Duration) -> Connections {
        let options = self.connections.connect_options().clone();
        Connections::new(options.options(POINT_LOOKUP_SETTINGS), 1, acquire_limit)
    }

    /// Returns a read-only connection that by itself sees no tenant's rows: it reads for several
    /// tenants at once, see [`PointRead`](super::PointRead).
    pub fn batch_connection(&self, acquire_limit: Duration) -> Connections {
        let options = self.connections.connect_options().clone();
        let options = options
            .options(POINT_LOOKUP_SETTINGS)
            .options([("default_transaction_read_only", "on")]);
        Connections::new(options, 1, acquire_limit)
    }

    async fn begin(
        &self,
        begin: &str,
        organization: &OrganizationId,
    ) -> Result<TenantTransaction, sqlx::Error> {
        let (transaction, _) = self.begin_then(begin, organization, "").await?;
        Ok(transaction)
    }

    /// Sends all statements in one round trip; returns the first row of `then`. `SET LOCAL` takes
    /// no parameter, so this file formats ids into SQL text: their type allows only letters, digits
    /// and an underscore.
    async fn begin_then(
        &self,
        begin: &str,
        organization: &OrganizationId,
        then: &str,
    ) -> Result<(TenantTransaction, Option<PgRow>), sqlx::Error> {
        let statements = format!("{begin}; SET LOCAL app.organization_id = '{organization}'{then}");
        let mut is_repeated = false;
        loop {
            let mut connection = self.connections.get().await?;
            let begin = sqlx::raw_sql(AssertSqlSafe(statements.as_str()));
            match begin.fetch_optional(&mut *connection).await {
                Ok(row) => {
                    return Ok((TenantTransaction::on(connection, organization.clone()), row));
                }
                // Nothing has begun.
                Err(error) if !connection.note_end(&error) || is_repeated => return Err(error),
                Err(_) => is_repeated = true,
            }
        }
    }
}

/// One statement on rows of one organisation, without a transaction around it: one round trip in
/// place of three.
///
/// It names the organisation to row-level security itself, by
/// `set_config('app.organization_id', …, true)` in a CTE that is materialized, and touches rows
/// only in what reads that CTE, so never before it.
pub trait SingleStatement: Sync {
    type Output: Send;

    fn run(
        &self,
        connection: &mut PgConnection,
    ) -> impl Future<Output = Result<Self::Output, sqlx::Error>> + Send;
}

/// A transaction within one organisation. Dropped without `commit`, it is rolled back.
pub struct TenantTransaction {
    /// Until the transaction ends.
    connection: Option<PooledConnection>,
    organization: OrganizationId,
    /// Who ends the transaction, where that is not the holder.
    owner: Option<BorrowedTransaction>,
}

/// A transaction that a request's work borrows. The work commits or drops it as any other; then
/// its owner takes it back, with the work's outcome, and ends it. Dropped before that, it is rolled
/// back.
#[derive(Clone)]
pub(crate) struct BorrowedTransaction {
    /// Only one transaction has it at a time.
    lock: i64,
    state: Arc<Mutex<Loan>>,
}

enum Loan {
    NotBegun,
    Borrowed,
    Returned { transaction: TenantTransaction, is_committed: bool },
}

impl BorrowedTransaction {
    /// Returns a transaction that begins when it is first borrowed, and then has this lock until it
    /// ends.
    pub(crate) fn new(lock: i64) -> Self {
        Self { lock, state: Arc::new(Mutex::new(Loan::NotBegun)) }
    }

    /// Returns the transaction, for the work; `None` where another one has the lock.
    pub(crate) async fn borrow(
        &self,
        tenants: &Tenants,
        organization: &OrganizationId,
    ) -> Result<Option<TenantTransaction>, sqlx::Error> {
        let loan = std::mem::replace(&mut *self.state.lock(), Loan::Borrowed);
        let mut transaction = match loan {
            Loan::NotBegun => tenants.write_alone(organization, self.lock).await?,
            Loan::Borrowed => return Err(sqlx::Error::BeginFailed),
            Loan::Returned { transaction, .. } => Some(transaction),
        };
        if let Some(transaction) = &mut transaction {
            transaction.owner = Some(self.clone());
        }
        Ok(transaction)
    }

    /// Returns the transaction, and whether the work committed it; `None` where it has not begun.
    pub(crate) fn take_back(&self) -> Result<Option<(TenantTransaction, bool)>, sqlx::Error> {
        match std::mem::replace(&mut *self.state.lock(), Loan::Borrowed) {
            Loan::NotBegun => Ok(None),
            Loan::Borrowed => Err(sqlx::Error::BeginFailed),
            Loan::Returned { transaction, is_committed } => Ok(Some((transaction, is_committed))),
        }
    }

    fn give_back(&self, transaction: TenantTransaction, is_committed: bool) {
        *self.state.lock() = Loan::Returned { transaction, is_committed };
    }
}

impl TenantTransaction {
    fn on(connection: PooledConnection, organization: OrganizationId) -> Self {
        Self { connection: Some(connection), organization, owner: None }
    }

    /// Returns the organisation's id; every statement names it too (`organization_id = $1`).
    pub fn organization(&self) -> OrganizationId {
        self.organization.clone()
    }

    pub async fn commit(mut self) -> Result<(), sqlx::Error> {
        if let Some(owner) = self.owner.take() {
            let connection = self.connection.take().expect(OPEN);
            owner.give_back(Self::on(connection, self.organization.clone()), true);
            return Ok(());
        }
        // On an error, the transaction is rolled back as it is dropped.
        self.execute("COMMIT").await?;
        self.connection.take().expect(OPEN).put_back();
        Ok(())
    }

    /// Lets each statement of this transaction run, and wait for locks, for so long. PostgreSQL
    /// compiles none of them, which takes longer than it saves.
    pub(crate) async fn allow(&mut self, limit: Duration) -> Result<(), sqlx::Error> {
        let milliseconds = limit.as_millis();
        let settings = format!(
            "SET LOCAL statement_timeout = {milliseconds}; \
             SET LOCAL lock_timeout = {milliseconds}; SET LOCAL jit = off"
        );
        self.execute(AssertSqlSafe(settings)).await.map(drop)
    }
}

impl Drop for TenantTransaction {
    fn drop(&mut self) {
        let Some(mut connection) = self.connection.take() else {
            return;
        };
        if let Some(owner) = self.owner.take() {
            owner.give_back(Self::on(connection, self.organization.clone()), false);
            return;
        }
        // Without a runtime the connection closes, which rolls back as well.
        let Ok(runtime) = Handle::try_current() else { return };
        runtime.spawn(async move {
            match connection.execute("ROLLBACK").await {
                Ok(_) => connection.put_back(),
                Err(error) => _ = connection.note_end(&error),
            }
        });
    }
}

impl Deref for TenantTransaction {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        self.connection.as_ref().expect(OPEN)
    }
}

impl DerefMut for TenantTransaction {
    fn deref_mut(&mut self) -> &mut PgConnection {
        self.connection.as_mut().expect(OPEN)
    }
}
