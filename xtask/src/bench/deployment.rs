//! What is measured: a server with a PostgreSQL cluster and data of its own. All of it ends with
//! this process, also when it is killed.

use std::{collections::BTreeMap, fs, net::SocketAddr, path::Path, sync::Arc};

use hyper::Method;
use payout_database::{
    Cluster, ClusterOptions, Roles, binaries::Binaries, ensure_roles_and_database,
    owner_connect_options,
};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};

use super::{
    cpu::{Meter, our_children},
    data::payout_id,
    http::{HttpLoad, Order, Request, request},
    pgbench::Pgbench,
    subject::Content,
};
use crate::deployment::{DeploymentError, Folder, Place, Server, failed};

const DATABASE: &str = "payout";
/// Enough for pgbench with 512 connections, the server and ourselves.
const MAX_CONNECTIONS: u16 = 600;

#[derive(Debug)]
pub(crate) struct Deployment {
    server: Server,
    keys: BTreeMap<String, String>,
    /// Runs the baseline build instead of this one.
    pub(crate) is_baseline: bool,
    /// What the subject has prepared, such as a cursor.
    pub(crate) prepared: String,
    meter: Meter,
    pgbench: Pgbench,
    cluster: Cluster,
    _folder: Folder,
}

impl Deployment {
    /// Starts a cluster, imports the content, and starts the server.
    pub(crate) async fn start(
        program: &Path,
        devdata: &Path,
        content: &Content,
    ) -> Result<Self, DeploymentError> {
        let folder = Folder::on_disk("bench")?;
        let children = our_children();
        let cluster = Cluster::open(ClusterOptions {
            max_connections: MAX_CONNECTIONS,
            ..ClusterOptions::durable(folder.path().join("postgres"))
        })?;
        let supervisor = our_children().difference(&children).next().copied();
        let superuser_url = cluster.superuser_url("postgres");
        let urls = ensure_roles_and_database(&superuser_url, DATABASE, &Roles::default()).await?;
        let place = Place { program, devdata, folder: folder.path(), urls: &urls };
        place.run(&["migrate"])?;
        let keys = import(&place, content)?;
        let pgbench = Pgbench {
            program: Binaries::find()?.directory.join("pgbench"),
            folder: folder.path().to_owned(),
            url: cluster.superuser_url(DATABASE),
        };
        let server = place.serve(&[], &[])?;
        Ok(Self {
            meter: Meter::new(server.keeper(), supervisor.unwrap_or_default()),
            server,
            keys,
            is_baseline: false,
            prepared: String::new(),
            pgbench,
            cluster,
            _folder: folder,
        })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.server.address()
    }

    /// A request with the key of the imported organisation `bench <number>`.
    pub(crate) fn request(&self, method: Method, path: &str, organization: usize) -> Request {
        let key = self.keys.get(&format!("BENCH_{organization}_ALL"));
        let key = key.expect("the bench imported this organisation");
        request(self.address(), method, path, Some(key))
    }

    pub(crate) fn get_payout(&self, organization: usize, payout: usize) -> Request {
        let path = format!("/api/v1/payouts/{}", payout_id(payout));
        self.request(Method::GET, &path, organization)
    }

    /// Requests in sequence.
    pub(crate) fn load(&self, connections: usize, requests: Arc<[Request]>) -> HttpLoad {
        HttpLoad {
            address: self.address(),
            connections,
            requests,
            order: Order::Sequential,
            is_overload: false,
        }
    }

    /// Such as `15.8`.
    pub(crate) async fn postgres_version(&self) -> Result<String, DeploymentError> {
        self.query("SHOW server_version".to_owned()).await
    }

    /// Runs VACUUM ANALYZE and CHECKPOINT, so that PostgreSQL does neither during a round.
    pub(crate) async fn settle(&self) -> Result<(), DeploymentError> {
        self.execute("VACUUM ANALYZE").await?;
        self.execute("CHECKPOINT").await
    }

    /// Runs statements as superuser.
    pub(crate) async fn execute(&self, statements: &'static str) -> Result<(), DeploymentError> {
        let mut connection = connect(&self.cluster.superuser_url(DATABASE)).await?;
        sqlx::raw_sql(statements).execute(&mut connection).await?;
        Ok(connection.close().await?)
    }

    /// Runs a query as superuser and returns the first column of its only row, a text.
    pub(crate) async fn query(&self, query: String) -> Result<String, DeploymentError> {
        let mut connection = connect(&self.cluster.superuser_url(DATABASE)).await?;
        let query = sqlx::query_scalar(AssertSqlSafe(query));
        let value = query.fetch_one(&mut connection).await?;
        connection.close().await?;
        Ok(value)
    }

    pub(crate) fn meter(&self) -> Meter {
        self.meter
    }

    pub(crate) fn pgbench(&self) -> &Pgbench {
        &self.pgbench
    }
}

fn import(
    place: &Place<'_>,
    content: &Content,
) -> Result<BTreeMap<String, String>, DeploymentError> {
    let file = place.folder.join("data.json");
    let keys_file = place.folder.join("keys.env");
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

async fn connect(superuser_url: &str) -> Result<PgConnection, sqlx::Error> {
    PgConnection::connect_with(&owner_connect_options(superuser_url)?).await
}

/// Reads lines of `PAYOUT_KEY_<ORGANISATION>_<KEY>=…`.
fn parse_keys(text: &str) -> BTreeMap<String, String> {
    let lines = text.lines();
    let keys = lines.filter_map(|line| line.strip_prefix("PAYOUT_KEY_")?.split_once('='));
    keys.map(|(name, key)| (name.to_owned(), key.to_owned())).collect()
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
