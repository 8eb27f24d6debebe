//! What is measured: a server of the release build on a PostgreSQL of its own, with data of the bench's own.
//!
//! It refuses to outlive this process, however that ends.

use std::{
    collections::BTreeMap,
    fs, io,
    net::SocketAddr,
    path::{Path, PathBuf},
    process,
    time::Duration,
};

use payout_database::{
    BootstrapError, Cluster, ClusterError, ClusterOptions, Roles, ensure_roles_and_database,
    owner_connect_options,
};
use serde_json::Value;
use sqlx::{Connection as _, PgConnection};

use super::{
    cpu::{self, Processes},
    program::{Place, Server},
};

const DATABASE: &str = "payout";
/// A running server. Dropped, everything ends and is removed, in this order.
#[derive(Debug)]
pub(crate) struct Deployment {
    server: Server,
    keys: BTreeMap<String, String>,
    postgres_version: String,
    cluster: Cluster,
    _folder: Folder,
}

/// Why nothing could be measured.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DeploymentError {
    /// No PostgreSQL.
    #[error(transparent)]
    Cluster(#[from] ClusterError),
    /// No database on it.
    #[error(transparent)]
    Bootstrap(#[from] BootstrapError),
    /// A statement of ours failed.
    #[error("the bench's own PostgreSQL refused: {0}")]
    Database(#[from] sqlx::Error),
    /// The folder, or a program, cannot be used.
    #[error("could not {0}: {1}")]
    Io(&'static str, io::Error),
    /// A command of the server failed.
    #[error("`payout-server {command}` failed; it said:\n{output}")]
    Command { command: String, output: String },
    /// The server ended instead of serving.
    #[error("the server did not start; the end of its log:\n{0}")]
    Server(String),
}

/// Processor time since the start, of the server and of its PostgreSQL.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CpuTimes {
    pub(crate) server: Duration,
    pub(crate) postgres: Duration,
}

impl Deployment {
    /// Starts everything, with the organisations of `data`, which is a file for `payout-server import`.
    ///
    /// # Errors
    /// No PostgreSQL is installed, or something does not start; the message tells what it said.
    pub(crate) async fn start(program: &Path, data: &Value) -> Result<Self, DeploymentError> {
        let folder = Folder::create()?;
        let cluster = Cluster::open(ClusterOptions::durable(folder.0.join("postgres")))?;
        let superuser_url = cluster.superuser_url("postgres");
        let urls = ensure_roles_and_database(&superuser_url, DATABASE, &Roles::default()).await?;
        let place = Place {
            program,
            folder: &folder.0,
            urls: &urls,
        };
        place.run(&["migrate"])?;
        let (file, keys_file) = (folder.0.join("data.json"), folder.0.join("keys.env"));
        fs::write(&file, data.to_string()).map_err(failed("write the bench's data"))?;
        let (file, keys) = (file.to_string_lossy(), keys_file.to_string_lossy());
        place.run(&["import", &file, "--keys-file", &keys])?;
        let keys = fs::read_to_string(&keys_file).map_err(failed("read the keys"))?;
        let postgres_version = settle(&cluster.superuser_url(DATABASE)).await?;
        Ok(Self {
            server: place.serve()?,
            keys: parse_keys(&keys),
            postgres_version,
            cluster,
            _folder: folder,
        })
    }

    /// Where the API answers.
    pub(crate) fn address(&self) -> SocketAddr {
        self.server.address()
    }

    /// The key of this name in `keys.env`, such as `MAIN_ALL`.
    pub(crate) fn key(&self, name: &str) -> &str {
        let key = self.keys.get(name);
        key.expect("the bench imported an organisation with this key")
    }

    /// Such as `15.8`.
    pub(crate) fn postgres_version(&self) -> &str {
        &self.postgres_version
    }

    /// Tells the planner what the tables hold now, and writes everything down: what autovacuum and the checkpointer would
    /// do at some moment of their own, in the middle of a round.
    ///
    /// # Errors
    /// The database refused.
    pub(crate) async fn settle(&self) -> Result<(), DeploymentError> {
        settle(&self.cluster.superuser_url(DATABASE)).await?;
        Ok(())
    }

    /// Processor time so far; `None` where the system does not tell.
    pub(crate) fn cpu_times(&self) -> Option<CpuTimes> {
        let processes = Processes::now()?;
        let keeper = self.server.keeper();
        // Whatever else we have started by now is PostgreSQL, whose supervisor is a child of ours.
        let others = processes.children(process::id()).filter(|id| *id != keeper);
        Some(CpuTimes {
            server: processes.time_of(keeper),
            postgres: others.map(|id| processes.time_of(id)).sum(),
        })
    }

    /// Most memory that the server had resident so far, in bytes; `None` where the system does not tell.
    pub(crate) fn server_peak_bytes(&self) -> Option<u64> {
        let server = Processes::now()?.children(self.server.keeper()).next();
        cpu::peak_bytes(server?)
    }
}

/// A folder that is removed at its end. In /tmp, and not in this user's temporary folder: where we are root, PostgreSQL
/// runs as another account.
#[derive(Debug)]
struct Folder(PathBuf);

impl Folder {
    fn create() -> Result<Self, DeploymentError> {
        let path = PathBuf::from(format!("/tmp/payout-bench-{}", process::id()));
        fs::create_dir(&path).map_err(failed("make a folder in /tmp"))?;
        Ok(Self(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0) {
            eprintln!("{} could not be removed: {error}", self.0.display());
        }
    }
}

/// See [`Deployment::settle`]; tells the server's version.
async fn settle(superuser_url: &str) -> Result<String, sqlx::Error> {
    let options = owner_connect_options(superuser_url)?;
    let mut connection = PgConnection::connect_with(&options).await?;
    sqlx::raw_sql("VACUUM ANALYZE")
        .execute(&mut connection)
        .await?;
    sqlx::raw_sql("CHECKPOINT").execute(&mut connection).await?;
    let version = sqlx::query_scalar("SHOW server_version");
    let version: String = version.fetch_one(&mut connection).await?;
    connection.close().await?;
    Ok(version)
}

pub(crate) fn failed(action: &'static str) -> impl FnOnce(io::Error) -> DeploymentError {
    move |error| DeploymentError::Io(action, error)
}

/// Lines of `PAYOUT_KEY_<ORGANISATION>_<KEY>=…`.
fn parse_keys(text: &str) -> BTreeMap<String, String> {
    let lines = text
        .lines()
        .filter_map(|line| line.strip_prefix("PAYOUT_KEY_"));
    lines
        .filter_map(|line| line.split_once('='))
        .map(|(name, key)| (name.to_owned(), key.to_owned()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_by_their_names() {
        let keys = parse_keys("# API keys\nPAYOUT_KEY_MAIN_ALL=pcp_test_a\nOTHER=b\n");
        assert_eq!(keys["MAIN_ALL"], "pcp_test_a");
        assert_eq!(keys.len(), 1);
    }
}
