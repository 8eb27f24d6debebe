//! The server of the test databases, found or started once per process, and the template they are
//! copied from. A template is used only after it was marked finished.

use std::time::Duration;

use sqlx::{Connection as _, PgConnection};
use tokio::sync::OnceCell;

use super::{TEST_APP, TEST_OWNER, process_session, test_roles};
use crate::account::Account;
use crate::address::AddressError;
use crate::advisory_lock;
use crate::bootstrap::{BootstrapError, ensure_roles_and_database};
use crate::cluster::Cluster;
use crate::cluster_error::ClusterError;
use crate::cluster_options::ClusterOptions;
use crate::connect::{execute, owner_connect_options, url_in_database};
use crate::connection_error::{ConnectionError, connect};
use crate::migrator::{MigrateError, migrate, migrations_hash};
use crate::scratch::scratch_directory;

/// "paytmpl" in ASCII: no other program has a reason to take this key.
const TEMPLATE_LOCK: i64 = 0x0070_6179_746d_706c;
const LOCK_TIMEOUT: Duration = Duration::from_secs(60);
/// `cargo test` runs one binary after the other: the server stays up between two.
const LINGER: Duration = Duration::from_secs(3);
const OLDEST_SUPPORTED_VERSION_NUMBER: i32 = 150_000;

static SHARED: OnceCell<TestServer> = OnceCell::const_new();

#[derive(Debug, thiserror::Error)]
pub enum TestServerError {
    #[error("{0}\n(or name a running one in DATABASE_URL, as its superuser)")]
    Cluster(#[from] ClusterError),
    #[error("DATABASE_URL names a PostgreSQL {0}; test databases need 15 or later")]
    TooOld(String),
    #[error(
        "another test process has been creating the template database for {} s",
        LOCK_TIMEOUT.as_secs()
    )]
    Busy,
    #[error(transparent)]
    Address(#[from] AddressError),
    #[error(transparent)]
    Connection(#[from] ConnectionError),
    #[error(transparent)]
    Bootstrap(#[from] BootstrapError),
    #[error(transparent)]
    Migrate(#[from] MigrateError),
    #[error(
        "the database server for tests reported an error: {0} (DATABASE_URL must be a superuser's)"
    )]
    Database(#[from] sqlx::Error),
}

/// The server that the tests of this process share. It is never dropped, and ends with the process.
#[derive(Debug)]
pub(super) struct TestServer {
    superuser_url: String,
    maintenance_url: String,
    template: String,
    key: i64,
    _cluster: Option<Cluster>,
}

pub(super) async fn shared() -> Result<&'static TestServer, TestServerError> {
    SHARED.get_or_try_init(TestServer::find).await
}

impl TestServer {
    async fn find() -> Result<Self, TestServerError> {
        let named = std::env::var("DATABASE_URL").ok();
        let (cluster, superuser_url) = match named.filter(|url| !url.is_empty()) {
            Some(url) => (None, url),
            None => {
                let opened = tokio::task::spawn_blocking(open_cluster).await;
                let cluster = opened.map_err(|_| sqlx::Error::WorkerCrashed)??;
                let url = cluster.superuser_url("postgres");
                (Some(cluster), url)
            }
        };
        let maintenance_url = url_in_database(&superuser_url, "postgres")?;
        let template = ensure_template(&superuser_url, &maintenance_url).await?;
        let key = process_session::open(&maintenance_url).await?;
        Ok(Self { superuser_url, maintenance_url, template, key, _cluster: cluster })
    }

    pub(super) fn superuser_url(&self) -> &str {
        &self.superuser_url
    }

    pub(super) async fn create_database(&self, number: u64) -> Result<String, sqlx::Error> {
        let name = process_session::database_name(self.key, number);
        let template = &self.template;
        let mut connection =
            PgConnection::connect_with(&owner_connect_options(&self.maintenance_url)?).await?;
        // One statement each: CREATE DATABASE cannot run in a transaction, and a multi-statement
        // text is one.
        // FILE_COPY: copying 8 MB of files is cheaper than writing them to the log page by page.
        for statement in [
            format!(
                "CREATE DATABASE {name} OWNER {TEST_OWNER} TEMPLATE {template} STRATEGY FILE_COPY"
            ),
            format!("REVOKE ALL ON DATABASE {name} FROM PUBLIC"),
            format!("GRANT CONNECT ON DATABASE {name} TO {TEST_APP}"),
        ] {
            execute(&mut connection, statement).await?;
        }
        connection.close().await?;
        Ok(name)
    }

    pub(super) fn drop_database(&self, name: &str) {
        process_session::drop_database(&self.maintenance_url, name);
    }
}

/// One cluster per user of this machine.
fn open_cluster() -> Result<Cluster, ClusterError> {
    let directory = scratch_directory().join(format!("payout-test-{}", Account::current()?.uid));
    Cluster::open(ClusterOptions { linger: LINGER, ..ClusterOptions::disposable(directory) })
}

/// The name of the migrated template, created by the first process that needs it.
async fn ensure_template(
    superuser_url: &str,
    maintenance_url: &str,
) -> Result<String, TestServerError> {
    let name = format!("payout_test_template_{}", &migrations_hash()[..16]);
    let mut connection = connect(&owner_connect_options(maintenance_url)?).await?;
    let (number, version): (i32, String) = sqlx::query_as(
        "SELECT current_setting('server_version_num')::int, current_setting('server_version')",
    )
    .fetch_one(&mut connection)
    .await?;
    if number < OLDEST_SUPPORTED_VERSION_NUMBER {
        return Err(TestServerError::TooOld(version));
    }
    if !is_finished(&mut connection, &name).await? {
        if !advisory_lock::acquire(&mut connection, TEMPLATE_LOCK, LOCK_TIMEOUT).await? {
            return Err(TestServerError::Busy);
        }
        if !is_finished(&mut connection, &name).await? {
            make_template(&mut connection, superuser_url, &name).await?;
        }
    }
    connection.close().await?;
    Ok(name)
}

/// Creating a template marks it in its last step.
async fn is_finished(connection: &mut PgConnection, name: &str) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar(
        "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1 AND datistemplate)",
    )
    .bind(name)
    .fetch_one(connection)
    .await
}

async fn make_template(
    connection: &mut PgConnection,
    superuser_url: &str,
    name: &str,
) -> Result<(), TestServerError> {
    execute(connection, format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).await?;
    let urls = ensure_roles_and_database(superuser_url, name, &test_roles()).await?;
    migrate(&urls.owner, TEST_APP).await?;
    // No connections: one to a template makes every copy of it fail.
    execute(connection, format!("ALTER DATABASE {name} IS_TEMPLATE true ALLOW_CONNECTIONS false"))
        .await?;
    Ok(())
}
