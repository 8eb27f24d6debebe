//! Which database a command works on: the one of DATABASE_URL, or the server's own PostgreSQL, started or joined.
//!
//! It refuses a database of another schema version: only `migrate` and `demo` bring one up to date.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use clap::Args;
use payout_database::{
    Cluster, ClusterOptions, DatabaseUrls, Roles, app_connect_options, check_role,
    check_schema_version, default_directory, ensure_roles_and_database, owner_connect_options,
};
use sqlx::{
    Connection, PgConnection, PgPool,
    postgres::{PgConnectOptions, PgPoolOptions},
};
use tokio::time::timeout;

use super::error::CliError;
use crate::{
    app::StartError,
    statements::storage::{AssetOptions, Storage},
};

/// Name of the database in the server's own PostgreSQL.
const DATABASE: &str = "payout";
/// A command does one thing at a time; an import reads while it writes.
const CONNECTIONS: u32 = 2;
/// How long a command waits for a connection.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long it waits for the pool's first one before it asks for one apart, to learn what keeps it away.
const FIRST_PATIENCE: Duration = Duration::from_millis(250);

/// Where the data is. Every command has these.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Database")]
pub struct DatabaseOptions {
    /// URL of the database, of a role without privileges; without it the server runs its own PostgreSQL
    #[arg(
        long,
        env = "DATABASE_URL",
        hide_env_values = true,
        global = true,
        value_name = "URL"
    )]
    pub database_url: Option<String>,

    /// URL of the same database, of the schema's owner: for migrate, demo, seed --reset and seed --lines [default: DATABASE_URL]
    #[arg(
        long,
        env = "DATABASE_OWNER_URL",
        hide_env_values = true,
        global = true,
        value_name = "URL",
        requires = "database_url"
    )]
    pub database_owner_url: Option<String>,

    /// Folder of the server's own PostgreSQL, of PDFs and of key files [default: /var/lib/payout-server for root, else payout-server in the user's data folder]
    #[arg(long, env = "PAYOUT_DATA_DIR", global = true, value_name = "FOLDER")]
    pub data_dir: Option<PathBuf>,
}

impl DatabaseOptions {
    /// The folder for what the server keeps.
    ///
    /// # Errors
    /// None is named, and the user has no home.
    pub fn folder(&self) -> Result<PathBuf, CliError> {
        match &self.data_dir {
            Some(folder) => Ok(folder.clone()),
            None => Ok(default_directory()?),
        }
    }

    /// Where PDFs are kept: as the flags say, else in `assets` in the folder.
    ///
    /// # Errors
    /// The place cannot be used.
    pub async fn storage(&self, assets: &AssetOptions) -> Result<Storage, CliError> {
        Ok(assets.open(&self.folder()?).await?)
    }

    /// The same options with everything in a folder of its own within this one.
    ///
    /// # Errors
    /// As [`DatabaseOptions::folder`].
    pub fn within(&self, name: &str) -> Result<Self, CliError> {
        Ok(Self {
            data_dir: Some(self.folder()?.join(name)),
            ..self.clone()
        })
    }

    /// Connects, starting or joining the server's own PostgreSQL where no other is named. The schema may be of any version.
    ///
    /// # Errors
    /// No PostgreSQL installed, or it does not start.
    pub async fn open(&self) -> Result<Database, CliError> {
        if let Some(app) = self.database_url.clone() {
            let owner = self
                .database_owner_url
                .clone()
                .unwrap_or_else(|| app.clone());
            return Ok(Database {
                cluster: None,
                urls: DatabaseUrls { owner, app },
            });
        }
        let folder = self.folder()?.join("postgres");
        let cluster = blocking(move || Cluster::open(ClusterOptions::durable(folder))).await??;
        let superuser_url = cluster.superuser_url("postgres");
        let urls = ensure_roles_and_database(&superuser_url, DATABASE, &Roles::default()).await?;
        Ok(Database {
            cluster: Some(cluster),
            urls,
        })
    }
}

/// A database a command works on. The server's own PostgreSQL runs for as long as this lives.
#[derive(Debug)]
pub struct Database {
    cluster: Option<Cluster>,
    /// Where the two roles connect.
    pub urls: DatabaseUrls,
}

impl Database {
    /// Connections as the server's role.
    ///
    /// # Errors
    /// It cannot be reached, or has another schema version.
    pub async fn pool(&self) -> Result<PgPool, CliError> {
        checked(app_connect_options(&self.urls.app)).await
    }

    /// Connections as the schema's owner.
    ///
    /// # Errors
    /// It cannot be reached, or has another schema version.
    pub async fn owner_pool(&self) -> Result<PgPool, CliError> {
        checked(owner_connect_options(&self.urls.owner)).await
    }

    /// The role that the server connects as: the user of DATABASE_URL, where the owner has a URL of its own.
    ///
    /// # Errors
    /// The URL is none of Postgres.
    pub fn app_role(&self) -> Result<String, CliError> {
        if self.urls.app == self.urls.owner {
            return Ok(Roles::default().app.name);
        }
        let options = app_connect_options(&self.urls.app).map_err(CliError::Unreachable)?;
        Ok(options.get_username().to_owned())
    }

    /// Refuses a role that the server would refuse to start as: before anything is written, not after.
    ///
    /// # Errors
    /// The role is privileged, or the database cannot be reached.
    pub async fn check_app_role(&self) -> Result<(), CliError> {
        let options = app_connect_options(&self.urls.app).map_err(CliError::Unreachable)?;
        let mut connection = connect(&options).await?;
        check_role(&mut connection)
            .await
            .map_err(StartError::Role)?;
        Ok(connection.close().await?)
    }

    /// Ends this use; the server's own PostgreSQL stops with its last user.
    ///
    /// # Errors
    /// It did not stop.
    pub async fn close(self) -> Result<(), CliError> {
        if let Some(cluster) = self.cluster {
            blocking(move || cluster.stop()).await??;
        }
        Ok(())
    }
}

/// A pool whose first connection has seen the schema. One connection is all that most commands need, and a suite's hooks run
/// many of them.
async fn checked(options: Result<PgConnectOptions, sqlx::Error>) -> Result<PgPool, CliError> {
    let options = options.map_err(CliError::Unreachable)?;
    let pool = PgPoolOptions::new()
        .max_connections(CONNECTIONS)
        .acquire_timeout(PATIENCE)
        // A command is over before a connection that it has used could have gone stale.
        .test_before_acquire(false)
        .connect_lazy_with(options.clone());
    if let Ok(Ok(mut connection)) = timeout(FIRST_PATIENCE, pool.acquire()).await {
        check_schema_version(&mut connection).await?;
        // Dropped, it would be back only after whoever asks next has opened another one.
        connection.return_to_pool().await;
        return Ok(pool);
    }
    // A pool says of a server that is away only that its time was up.
    let mut connection = connect(&options).await?;
    check_schema_version(&mut connection).await?;
    connection.close().await?;
    Ok(pool)
}

/// One connection apart from a pool.
async fn connect(options: &PgConnectOptions) -> Result<PgConnection, CliError> {
    let connection = PgConnection::connect_with(options).await;
    connection.map_err(CliError::Unreachable)
}

/// Starting and stopping PostgreSQL waits for processes, which must not hold up a thread of the runtime.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, CliError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| CliError::message(format!("a thread failed: {error}")))
}

/// Reads a text file, or standard input where it is `-`.
///
/// # Errors
/// It cannot be read.
pub fn read_text(path: &Path) -> Result<String, CliError> {
    let text = if path == Path::new("-") {
        std::io::read_to_string(std::io::stdin())
    } else {
        std::fs::read_to_string(path)
    };
    text.map_err(|error| CliError::message(format!("{} cannot be read: {error}", path.display())))
}
