//! What is measured: a server of the release build on a PostgreSQL of its own, with data of the bench's own.
//!
//! It refuses to outlive this process, however that ends.

use std::{collections::BTreeMap, fs, net::SocketAddr, path::Path};

use payout_database::{
    Cluster, ClusterOptions, Roles, binaries::Binaries, ensure_roles_and_database,
    owner_connect_options,
};
use serde_json::Value;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};

use super::{
    meter::{Meter, only_child},
    pgbench::Pgbench,
};
use crate::deployment::{DeploymentError, Folder, Place, Server, failed};

const DATABASE: &str = "payout";
/// Enough for pgbench on as many connections as can be asked for, beside the server's and ours.
const MAX_CONNECTIONS: u16 = 600;

/// What a deployment holds at its start.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Content<'a> {
    /// A file for `payout-devdata import`.
    pub(crate) data: &'a Value,
    /// Number of generated commission lines in the first organisation, which has an id then.
    pub(crate) lines: Option<u32>,
}

/// A running server. Dropped, everything ends and is removed, in this order.
#[derive(Debug)]
pub(crate) struct Deployment {
    server: Server,
    keys: BTreeMap<String, String>,
    postgres_version: String,
    meter: Meter,
    pgbench: Pgbench,
    cluster: Cluster,
    _folder: Folder,
}

impl Deployment {
    /// Starts everything.
    ///
    /// # Errors
    /// No PostgreSQL is installed, or something does not start; the message tells what it said.
    pub(crate) async fn start(
        program: &Path,
        devdata: &Path,
        content: Content<'_>,
    ) -> Result<Self, DeploymentError> {
        let folder = Folder::on_disk("bench")?;
        let cluster = Cluster::open(ClusterOptions {
            max_connections: MAX_CONNECTIONS,
            ..ClusterOptions::durable(folder.path().join("postgres"))
        })?;
        let supervisor = only_child();
        let superuser_url = cluster.superuser_url("postgres");
        let urls = ensure_roles_and_database(&superuser_url, DATABASE, &Roles::default()).await?;
        let place = Place {
            program,
            devdata,
            folder: folder.path(),
            urls: &urls,
        };
        place.run(&["migrate"])?;
        let keys = fill(&place, content)?;
        let superuser_url = cluster.superuser_url(DATABASE);
        let postgres_version = settle(&superuser_url).await?;
        let pgbench = Pgbench {
            program: Binaries::find()?.directory.join("pgbench"),
            folder: folder.path().to_owned(),
            url: superuser_url,
        };
        let server = place.serve(&[], &[])?;
        Ok(Self {
            meter: Meter::of(server.keeper(), supervisor.unwrap_or_default()),
            server,
            keys,
            postgres_version,
            pgbench,
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

    /// Runs statements as superuser, before anything is measured.
    ///
    /// # Errors
    /// The database refused.
    pub(crate) async fn prepare(&self, statements: &'static str) -> Result<(), DeploymentError> {
        let mut connection = connect(&self.cluster.superuser_url(DATABASE)).await?;
        sqlx::raw_sql(statements).execute(&mut connection).await?;
        Ok(connection.close().await?)
    }

    /// Runs a query as superuser, and returns the first column of its only row as text.
    ///
    /// # Errors
    /// The database refused, or there is no such row.
    pub(crate) async fn ask(&self, query: String) -> Result<String, DeploymentError> {
        let mut connection = connect(&self.cluster.superuser_url(DATABASE)).await?;
        let answer = sqlx::query_scalar(AssertSqlSafe(query));
        let answer = answer.fetch_one(&mut connection).await?;
        connection.close().await?;
        Ok(answer)
    }

    /// Whose processor time is whose.
    pub(crate) fn meter(&self) -> Meter {
        self.meter
    }

    /// The pgbench of the PostgreSQL that runs here.
    pub(crate) fn pgbench(&self) -> Pgbench {
        self.pgbench.clone()
    }
}

/// Brings the content in; returns the keys by their names.
fn fill(
    place: &Place<'_>,
    content: Content<'_>,
) -> Result<BTreeMap<String, String>, DeploymentError> {
    let (file, keys_file) = (
        place.folder.join("data.json"),
        place.folder.join("keys.env"),
    );
    fs::write(&file, content.data.to_string()).map_err(failed("write the bench's data"))?;
    let (file, keys) = (file.to_string_lossy(), keys_file.to_string_lossy());
    place.run_devdata(&["import", &file, "--keys-file", &keys])?;
    if let Some(lines) = content.lines {
        let id = content.data["organizations"][0]["id"].as_str();
        let id = id.expect("an organisation with generated lines has an id");
        place.run_devdata(&["generate", &lines.to_string(), "--organization", id])?;
    }
    let keys = fs::read_to_string(&keys_file).map_err(failed("read the keys"))?;
    Ok(parse_keys(&keys))
}

/// See [`Deployment::settle`]; tells the server's version.
async fn settle(superuser_url: &str) -> Result<String, sqlx::Error> {
    let mut connection = connect(superuser_url).await?;
    sqlx::raw_sql("VACUUM ANALYZE")
        .execute(&mut connection)
        .await?;
    sqlx::raw_sql("CHECKPOINT").execute(&mut connection).await?;
    let version = sqlx::query_scalar("SHOW server_version");
    let version: String = version.fetch_one(&mut connection).await?;
    connection.close().await?;
    Ok(version)
}

async fn connect(superuser_url: &str) -> Result<PgConnection, sqlx::Error> {
    PgConnection::connect_with(&owner_connect_options(superuser_url)?).await
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
