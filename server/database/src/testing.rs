//! One database per test, on any PostgreSQL, without set-up.
//!
//! The server is `DATABASE_URL`, a superuser's of any PostgreSQL 15 or later; else one embedded
//! cluster per user of the machine, shared by every test process, started by the first and ended
//! shortly after the last. Only roles and databases whose names begin with `payout_test_` are
//! touched.

mod process_session;
mod server;

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use sqlx::migrate::{Migration, Migrator};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};

use crate::bootstrap::{DatabaseUrls, database_urls};
use crate::connect::owner_connect_options;
use crate::migrator::{MigrateError, Migrated, Report, migrate_with, plan_with, released};
use crate::roles::{Role, Roles};
use server::TestServer;
pub use server::TestServerError;

pub const TEST_OWNER: &str = "payout_test_owner";
pub const TEST_APP: &str = "payout_test_app";
/// Fixed, because several test processes share the roles, which can access only test databases.
const TEST_PASSWORD: &str = "payout_test";

static NEXT_NUMBER: AtomicU64 = AtomicU64::new(0);

/// A migrated, empty database of its own, dropped with this value.
#[derive(Debug)]
pub struct TestDatabase {
    server: &'static TestServer,
    name: String,
    urls: DatabaseUrls,
}

impl TestDatabase {
    /// A new database.
    ///
    /// # Panics
    /// There is no usable PostgreSQL; the message says how to install one.
    pub async fn create() -> Self {
        match Self::try_create().await {
            Ok(database) => database,
            Err(error) => panic!("no database for this test: {error}"),
        }
    }

    pub async fn try_create() -> Result<Self, TestServerError> {
        let server = server::shared().await?;
        let number = NEXT_NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = server.create_database(number).await?;
        let urls = database_urls(server.superuser_url(), &name, &test_roles())?;
        Ok(Self { server, name, urls })
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn app_url(&self) -> &str {
        &self.urls.app
    }

    /// URL for set-up, and for invariants across tenants. Row-level security binds the owner too.
    pub fn owner_url(&self) -> &str {
        &self.urls.owner
    }

    /// URL of the superuser in this database, for what row-level security would hide from a test.
    ///
    /// # Panics
    /// Never: the URL was parsed when the server was found.
    pub fn superuser_url(&self) -> String {
        crate::connect::url_in_database(self.server.superuser_url(), &self.name)
            .expect("the URL was parsed when the server was found")
    }

    /// Stops `payout.service_now()` at an instant, such as `2026-02-01T00:00:00Z`, in this database
    /// alone, for every connection.
    pub async fn set_clock(&self, instant: &str) -> Result<(), sqlx::Error> {
        stop_clock(&self.urls.owner, instant).await
    }

    /// Stops the clock at its present instant plus this duration.
    pub async fn advance_clock(&self, by: Duration) -> Result<(), sqlx::Error> {
        let options = owner_connect_options(&self.urls.owner)?;
        let mut connection = PgConnection::connect_with(&options).await?;
        let instant: String = sqlx::query_scalar(
            "SELECT (payout.service_now() + $1 * interval '1 millisecond')::text",
        )
        .bind(i64::try_from(by.as_millis()).unwrap_or(i64::MAX))
        .fetch_one(&mut connection)
        .await?;
        connection.close().await?;
        self.set_clock(&instant).await
    }
}

/// Stops `payout.service_now()` in a database that is not a [`TestDatabase`], such as one of the
/// test's own cluster.
pub async fn stop_clock(owner_url: &str, instant: &str) -> Result<(), sqlx::Error> {
    let mut connection = PgConnection::connect_with(&owner_connect_options(owner_url)?).await?;
    // The server parses and formats the instant, so that no text of a caller reaches a statement.
    let literal: String = sqlx::query_scalar("SELECT quote_literal($1::text::timestamptz(3))")
        .bind(instant)
        .fetch_one(&mut connection)
        .await?;
    // Audited: our text around a literal quoted by the server.
    let statement = AssertSqlSafe(format!(
        "CREATE OR REPLACE FUNCTION payout.service_now() RETURNS timestamptz(3)
         LANGUAGE sql STABLE PARALLEL SAFE RETURN {literal}::timestamptz(3)"
    ));
    sqlx::raw_sql(statement).execute(&mut connection).await?;
    connection.close().await
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        self.server.drop_database(&self.name);
    }
}

/// The released migrations, and after them those of a folder.
async fn with_later(folder: &Path) -> Result<Vec<Migration>, MigrateError> {
    let later = Migrator::new(folder).await?;
    Ok(released().iter().chain(later.iter()).cloned().collect())
}

/// Replaces the schema by that of the first migration, without rows.
pub async fn reset_to_first_migration(owner_url: &str) -> Result<(), MigrateError> {
    let mut connection = PgConnection::connect_with(&owner_connect_options(owner_url)?).await?;
    sqlx::raw_sql("DROP SCHEMA payout CASCADE").execute(&mut connection).await?;
    connection.close().await?;
    migrate_with(owner_url, TEST_APP, &released()[..1], &|_| ()).await.map(drop)
}

/// Applies the migrations of a folder after the released ones.
pub async fn migrate_later(
    owner_url: &str,
    folder: &Path,
    report: Report<'_>,
) -> Result<Migrated, MigrateError> {
    migrate_with(owner_url, TEST_APP, &with_later(folder).await?, report).await
}

/// Describes what [`migrate_later`] would do.
pub async fn plan_later(owner_url: &str, folder: &Path) -> Result<Option<String>, MigrateError> {
    plan_with(owner_url, &with_later(folder).await?).await
}

fn test_roles() -> Roles {
    let role =
        |name: &str| Role { name: name.to_owned(), password: Some(TEST_PASSWORD.to_owned()) };
    Roles { owner: role(TEST_OWNER), app: role(TEST_APP) }
}
