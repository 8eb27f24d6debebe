//! The database of a command: the one of DATABASE_URL, or the server's own PostgreSQL. Commands
//! require the current schema version; `migrate` updates it.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use clap::Args;
use payout_database::{
    Cluster, ClusterOptions, DatabaseUrls, Roles, SchemaMismatch, app_connect_options,
    check_own_session, check_role, check_schema_version, connect, default_directory,
    ensure_roles_and_database, owner_connect_options,
};
use sqlx::{
    Connection, PgPool,
    postgres::{PgConnectOptions, PgPoolOptions, PgSslMode},
};
use tokio::time::timeout;

use super::error::CliError;
use crate::{
    assembly::StartError,
    statements::{
        assets::binding,
        storage::{AssetOptions, Storage},
    },
};

/// Name of the database in the server's own PostgreSQL.
const DATABASE: &str = "payout";
/// An import reads while it writes.
const CONNECTIONS: u32 = 2;
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);
/// After this time without a first connection a command connects outside the pool, to learn the
/// error.
const FIRST_ACQUIRE_TIMEOUT: Duration = Duration::from_millis(250);

/// The flags of every command for where the data is.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Database")]
pub struct DatabaseOptions {
    /// URL of the database, with a role without privileges; without it, the server's own
    /// PostgreSQL is used
    #[arg(long, env = "DATABASE_URL", hide_env_values = true, global = true, value_name = "URL")]
    pub database_url: Option<String>,

    /// URL of the same database, with the owner of the schema: for migrations, and to remove or
    /// generate rows [default: DATABASE_URL]
    #[arg(
        long,
        env = "DATABASE_OWNER_URL",
        hide_env_values = true,
        global = true,
        value_name = "URL",
        requires = "database_url"
    )]
    pub database_owner_url: Option<String>,

    /// Folder of the server's own PostgreSQL, of PDFs and of key files [default:
    /// /var/lib/payout-server for root, else payout-server in the user's data folder]
    #[arg(long, env = "PAYOUT_DATA_DIR", global = true, value_name = "FOLDER")]
    pub data_dir: Option<PathBuf>,
}

impl DatabaseOptions {
    /// Requires an address for what this flag does: without one, a database is made in the data
    /// folder, and a forgotten address looks like lost data.
    pub(crate) fn require_url(&self, flag: &str) -> Result<(), CliError> {
        if self.database_url.is_some() {
            return Ok(());
        }
        Err(CliError::message(format!(
            "{flag} needs a database that is named, and DATABASE_URL is not set: the command would \
             use one of its own in the data folder. Set \
             DATABASE_URL=postgres://ROLE:PASSWORD@HOST/DATABASE"
        )))
    }

    pub fn folder(&self) -> Result<PathBuf, CliError> {
        match &self.data_dir {
            Some(folder) => Ok(folder.clone()),
            None => Ok(default_directory()?),
        }
    }

    /// Opens the storage of PDFs, which no database is bound to: as the flags say, else `assets` in
    /// the data folder.
    pub async fn storage(&self, assets: &AssetOptions) -> Result<Storage, CliError> {
        Ok(assets.open(&self.folder()?).await?)
    }

    /// Opens the storage of this database's PDFs. With `bind`, it becomes that, whatever its marker
    /// says.
    pub(crate) async fn storage_of(
        &self,
        database: &Database,
        assets: &AssetOptions,
        bind: bool,
    ) -> Result<Storage, CliError> {
        let mut connection = connect(&app_connect_options(&database.urls.app)?).await?;
        match check_schema_version(&mut connection).await {
            Ok(()) | Err(SchemaMismatch::Newer { .. }) => {}
            Err(mismatch) => return Err(mismatch.into()),
        }
        let folder = self.folder()?;
        let storage = binding::open_store(&mut connection, assets, &folder, bind).await?;
        connection.close().await?;
        Ok(storage)
    }

    /// Returns these options with a folder within the data folder.
    pub fn within(&self, name: &str) -> Result<Self, CliError> {
        Ok(Self { data_dir: Some(self.folder()?.join(name)), ..self.clone() })
    }

    /// Connects. Without a URL, starts the server's own PostgreSQL, or joins it if it runs. The
    /// schema may have any version.
    pub async fn open(&self) -> Result<Database, CliError> {
        if let Some(app) = self.database_url.clone() {
            let owner = self.database_owner_url.clone().unwrap_or_else(|| app.clone());
            return Ok(Database { cluster: None, urls: DatabaseUrls { owner, app } });
        }
        let folder = self.folder()?.join("postgres");
        let cluster = blocking(move || Cluster::open(ClusterOptions::durable(folder))).await??;
        let superuser_url = cluster.superuser_url("postgres");
        let urls = ensure_roles_and_database(&superuser_url, DATABASE, &Roles::default()).await?;
        Ok(Database { cluster: Some(cluster), urls })
    }
}

/// The database of a command. The server's own PostgreSQL runs until this is closed.
pub struct Database {
    cluster: Option<Cluster>,
    pub urls: DatabaseUrls,
}

impl Database {
    pub async fn pool(&self) -> Result<PgPool, CliError> {
        checked(app_connect_options(&self.urls.app)?).await
    }

    pub async fn owner_pool(&self) -> Result<PgPool, CliError> {
        checked(owner_connect_options(&self.urls.owner)?).await
    }

    /// Describes the database for people, without the password.
    pub fn description(&self) -> Result<String, CliError> {
        let options = app_connect_options(&self.urls.app)?;
        let database = options.get_database().unwrap_or(options.get_username());
        let encrypted = match options.get_ssl_mode() {
            PgSslMode::VerifyFull => "TLS, certificate checked",
            PgSslMode::VerifyCa => "TLS, authority checked, name not",
            PgSslMode::Require => "TLS, certificate not checked",
            PgSslMode::Prefer => "TLS if it offers it",
            _ => "plain text",
        };
        let (host, port) = match options.get_socket() {
            Some(folder) => (folder.display().to_string(), String::new()),
            None => (options.get_host().to_owned(), format!(":{}", options.get_port())),
        };
        let role = options.get_username();
        Ok(format!("database {database} at {host}{port} as {role} ({encrypted})"))
    }

    /// Returns the role of the server: the user of DATABASE_URL, if the owner has a separate URL.
    pub fn app_role(&self) -> Result<String, CliError> {
        if self.urls.app == self.urls.owner {
            return Ok(Roles::default().app.name);
        }
        let options = app_connect_options(&self.urls.app)?;
        Ok(options.get_username().to_owned())
    }

    /// Requires a role that the server can start with, before anything is written.
    pub async fn check_app_role(&self) -> Result<(), CliError> {
        let options = app_connect_options(&self.urls.app)?;
        let mut connection = connect(&options).await?;
        check_role(&mut connection).await.map_err(StartError::Role)?;
        Ok(connection.close().await?)
    }

    /// Ends this use. The server's own PostgreSQL stops with its last user.
    pub async fn close(self) -> Result<(), CliError> {
        if let Some(cluster) = self.cluster {
            blocking(move || cluster.stop()).await??;
        }
        Ok(())
    }
}

/// Opens a pool whose first connection has checked the schema. Most commands need only this one,
/// and the hooks of a conformance suite run many commands.
async fn checked(options: PgConnectOptions) -> Result<PgPool, CliError> {
    let pool = PgPoolOptions::new()
        .max_connections(CONNECTIONS)
        .acquire_timeout(ACQUIRE_TIMEOUT)
        // A command ends before a connection could become stale.
        .test_before_acquire(false)
        .connect_lazy_with(options.clone());
    if let Ok(Ok(mut connection)) = timeout(FIRST_ACQUIRE_TIMEOUT, pool.acquire()).await {
        check_own_session(&mut connection, &options).await?;
        check_schema_version(&mut connection).await?;
        // A dropped connection returns later: the next query would open another one.
        connection.return_to_pool().await;
        return Ok(pool);
    }
    // A pool reports only a timeout when the server cannot be reached.
    let mut connection = connect(&options).await?;
    check_own_session(&mut connection, &options).await?;
    check_schema_version(&mut connection).await?;
    connection.close().await?;
    Ok(pool)
}

/// Starting and stopping PostgreSQL waits for processes and would block a thread of the runtime.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, CliError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| CliError::message(format!("a thread failed: {error}")))
}

/// Reads a text file, or standard input for `-`.
pub fn read_text(path: &Path) -> Result<String, CliError> {
    let text = if path == Path::new("-") {
        std::io::read_to_string(std::io::stdin())
    } else {
        std::fs::read_to_string(path)
    };
    text.map_err(|error| CliError::message(format!("{} cannot be read: {error}", path.display())))
}
