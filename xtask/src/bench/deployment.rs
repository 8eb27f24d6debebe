//! What is measured: a server with a PostgreSQL cluster and data of its own. All of it ends with
//! this process, also when it is killed.

use std::{collections::BTreeMap, fs, net::SocketAddr, path::Path};

use hyper::Method;
use payout_database::binaries::Binaries;
use serde_json::Value;
use sqlx::{AssertSqlSafe, Connection as _};

use super::{
    cpu::{Meter, our_children},
    data::payout_id,
    http::{HttpLoad, Request, request},
    pgbench::Pgbench,
};
use crate::{
    Result,
    deployment::{Installation, Postgres, Server, failed},
};

const DATABASE: &str = "payout";
/// Enough for pgbench with 512 connections, the server and ourselves.
const MAX_CONNECTIONS: u16 = 600;

/// The data of a deployment.
#[derive(Clone, Debug)]
pub(crate) struct Content {
    /// For people.
    pub(crate) description: &'static str,
    /// A file for `payout-devdata import`.
    pub(crate) data: Value,
    /// Commission lines that `payout-devdata generate` adds to the first organisation.
    pub(crate) lines: Option<u32>,
}

#[derive(Debug)]
pub(crate) struct Deployment {
    server: Server,
    keys: BTreeMap<String, String>,
    /// Runs the baseline build instead of this one.
    pub(crate) is_baseline: bool,
    /// What the subject has prepared, such as a cursor.
    pub(crate) prepared: String,
    pub(crate) meter: Meter,
    pub(crate) pgbench: Pgbench,
    postgres: Postgres,
}

impl Deployment {
    /// Starts a cluster with the schema of `newest`, imports the content, and starts the server. An
    /// earlier server works with a newer schema, as during an upgrade.
    pub(crate) async fn start(
        server: &Path,
        newest: &Path,
        devdata: &Path,
        content: &Content,
    ) -> Result<Self> {
        let children = our_children();
        let postgres = Postgres::durable("bench", MAX_CONNECTIONS)?;
        let supervisor = our_children().difference(&children).next().copied();
        let installation = Installation {
            server: newest.to_owned(),
            devdata: devdata.to_owned(),
            folder: postgres.folder().to_owned(),
            urls: postgres.database(DATABASE).await?,
        };
        let keys = import(&installation, content)?;
        let server = Installation { server: server.to_owned(), ..installation }.serve(&[])?;
        Ok(Self {
            meter: Meter { keeper: server.keeper(), supervisor: supervisor.unwrap_or_default() },
            server,
            keys,
            is_baseline: false,
            prepared: String::new(),
            pgbench: Pgbench {
                program: Binaries::find()?.directory.join("pgbench"),
                url: postgres.superuser_url(DATABASE),
            },
            postgres,
        })
    }

    pub(crate) fn folder(&self) -> &Path {
        self.postgres.folder()
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.server.address()
    }

    /// A request with the key of the imported organisation `bench <number>`.
    pub(crate) fn request(&self, method: Method, path: &str, organization: usize) -> Request {
        let key = self.keys.get(&format!("PAYOUT_KEY_BENCH_{organization}_ALL"));
        let key = key.expect("the bench imported this organisation");
        request(self.address(), method, path, Some(key))
    }

    pub(crate) fn get_payout(&self, organization: usize, payout: usize) -> Request {
        let path = format!("/api/v1/payouts/{}", payout_id(payout));
        self.request(Method::GET, &path, organization)
    }

    /// Requests in sequence.
    pub(crate) fn load(&self, requests: impl IntoIterator<Item = Request>) -> HttpLoad {
        HttpLoad {
            address: self.address(),
            meter: self.meter,
            requests: requests.into_iter().collect(),
            is_random: false,
            is_overload: false,
        }
    }

    /// Runs VACUUM ANALYZE and CHECKPOINT, so that PostgreSQL does neither during a round.
    pub(crate) async fn settle(&self) -> Result<()> {
        self.execute("VACUUM ANALYZE").await?;
        self.execute("CHECKPOINT").await
    }

    /// Runs statements as superuser.
    pub(crate) async fn execute(&self, statements: &str) -> Result<()> {
        self.postgres.execute(DATABASE, statements.to_owned()).await
    }

    /// Runs a query as superuser and returns the first column of its only row, a text.
    pub(crate) async fn query(&self, query: String) -> Result<String> {
        let mut connection = self.postgres.connect(DATABASE).await?;
        let query = sqlx::query_scalar(AssertSqlSafe(query));
        let value = query.fetch_one(&mut connection).await?;
        connection.close().await?;
        Ok(value)
    }
}

/// Imports the content; returns the keys by the names of their variables.
fn import(installation: &Installation, content: &Content) -> Result<BTreeMap<String, String>> {
    let file = installation.folder.join("data.json");
    fs::write(&file, content.data.to_string()).map_err(failed("write the bench's data"))?;
    let keys = installation.fill(&["import", &file.to_string_lossy()])?;
    if let Some(lines) = content.lines {
        let id = content.data["organizations"][0]["id"].as_str();
        let id = id.expect("an organisation with generated lines has an id");
        installation.devdata(&["generate", &lines.to_string(), "--organization", id])?;
    }
    Ok(keys)
}
