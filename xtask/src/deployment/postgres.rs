//! A PostgreSQL cluster in a temporary folder.

use std::path::Path;

use payout_database::{
    Cluster, ClusterOptions, DatabaseUrls, Roles, ensure_roles_and_database, owner_connect_options,
    scratch_directory,
};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};
use tempfile::TempDir;

use super::folder;
use crate::Result;

/// The cluster, and the folder in which it is; dropping it stops and removes both.
#[derive(Debug)]
pub(crate) struct Postgres {
    cluster: Cluster,
    folder: TempDir,
}

impl Postgres {
    /// Stores data on disk, so that commits have their real cost. The folder is in /tmp because
    /// PostgreSQL's account may not enter this user's own temporary folder.
    pub(crate) fn durable(purpose: &str, max_connections: u16) -> Result<Self> {
        let folder = folder(Path::new("/tmp"), purpose)?;
        let options = ClusterOptions::durable(folder.path().join("postgres"));
        let cluster = Cluster::open(ClusterOptions { max_connections, ..options })?;
        Ok(Self { cluster, folder })
    }

    /// Stores data where files are fastest, such as in memory, without fsync; accepts at least this
    /// many connections.
    pub(crate) fn disposable(purpose: &str, connections: u16) -> Result<Self> {
        let folder = folder(&scratch_directory(), purpose)?;
        let mut options = ClusterOptions::disposable(folder.path().join("postgres"));
        options.max_connections = options.max_connections.max(connections);
        Ok(Self { cluster: Cluster::open(options)?, folder })
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn superuser_url(&self, database: &str) -> String {
        self.cluster.superuser_url(database)
    }

    /// Creates the database if it does not exist, and gives the server's roles access to it.
    pub(crate) async fn database(&self, name: &str) -> Result<DatabaseUrls> {
        let superuser_url = self.superuser_url("postgres");
        Ok(ensure_roles_and_database(&superuser_url, name, &Roles::default()).await?)
    }

    pub(crate) async fn connect(&self, database: &str) -> Result<PgConnection> {
        let options = owner_connect_options(&self.superuser_url(database))?;
        Ok(PgConnection::connect_with(&options).await?)
    }

    /// Runs statements in a database as superuser.
    pub(crate) async fn execute(&self, database: &str, statements: String) -> Result<()> {
        let mut connection = self.connect(database).await?;
        sqlx::raw_sql(AssertSqlSafe(statements)).execute(&mut connection).await?;
        Ok(connection.close().await?)
    }

    pub(crate) fn stop(self) -> Result<()> {
        Ok(self.cluster.stop()?)
    }
}
