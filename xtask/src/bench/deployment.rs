//! What is measured: a server with a PostgreSQL cluster and data of its own. All of it ends with
//! this process, also when it is killed.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    sync::Arc,
};

use payout_database::binaries::Binaries;
use serde_json::Value;
use sqlx::{AssertSqlSafe, Connection as _};

use super::{
    cpu::{Meter, our_children},
    http::{Api, HttpLoad, Request, Requests},
    pgbench::Pgbench,
    stat::megabytes,
};
use crate::{
    Result,
    deployment::{Installation, Postgres, Server, failed},
    program::output,
};

const DATABASE: &str = "payout";
/// Enough for pgbench with 512 connections, the server and ourselves.
const MAX_CONNECTIONS: u16 = 600;

/// The data of a deployment.
#[derive(Clone, Debug)]
pub(crate) struct Content {
    /// For people.
    pub(crate) description: String,
    pub(crate) data: Data,
}

#[derive(Clone, Debug)]
pub(crate) enum Data {
    /// A file for `payout-devdata import`.
    File(Value),
    /// Such a file, and commission lines that `payout-devdata generate` adds to its first
    /// organisation.
    FileAndLines(Value, u32),
    /// So many organisations of `payout-devdata organizations`.
    Organizations(usize),
}

#[derive(Debug)]
pub(crate) struct Deployment {
    /// Dropping it stops the server.
    _server: Server,
    pub(crate) api: Api,
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
        let keys = fill(&installation, &content.data)?;
        let server = Installation { server: server.to_owned(), ..installation }.serve(&[])?;
        Ok(Self {
            meter: Meter { keeper: server.keeper(), supervisor: supervisor.unwrap_or_default() },
            api: Api { address: server.address(), keys },
            _server: server,
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

    /// Requests in sequence.
    pub(crate) fn load(&self, requests: impl IntoIterator<Item = Request>) -> HttpLoad {
        self.load_of(requests.into_iter().collect())
    }

    /// The same of requests that may be made later.
    pub(crate) fn load_of(&self, requests: Requests) -> HttpLoad {
        HttpLoad {
            address: self.api.address,
            meter: self.meter,
            requests,
            is_random: false,
            counts_503: false,
        }
    }

    /// Peak memory of the server so far.
    pub(crate) fn peak_megabytes(&self) -> Option<f64> {
        self.meter.server_peak_bytes().map(megabytes)
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

/// Creates the schema and the data; returns the keys of the organisations `bench 0`, `bench 1`, ….
fn fill(installation: &Installation, data: &Data) -> Result<Arc<[String]>> {
    let (file, lines) = match data {
        Data::File(file) => (file, None),
        Data::FileAndLines(file, lines) => (file, Some(lines)),
        Data::Organizations(count) => return generate(installation, *count),
    };
    let path = installation.folder.join("data.json");
    fs::write(&path, file.to_string()).map_err(failed("write the bench's data"))?;
    let mut keys = installation.fill(&["import", &path.to_string_lossy()])?;
    if let Some(lines) = lines {
        let id = file["organizations"][0]["id"].as_str();
        let id = id.expect("an organisation with generated lines has an id");
        installation.devdata(&["generate", &lines.to_string(), "--organization", id])?;
    }
    Ok((0..).map_while(|number| keys.remove(&format!("PAYOUT_KEY_BENCH_{number}_ALL"))).collect())
}

/// The same for organisations that follow from their numbers. It takes minutes for a million, so
/// its progress is shown.
fn generate(installation: &Installation, organizations: usize) -> Result<Arc<[String]>> {
    output(installation.prepare(Command::new(&installation.server).arg("migrate")))?;
    let path = installation.folder.join("keys.env");
    let mut command = Command::new(&installation.devdata);
    command.args(["organizations", &organizations.to_string(), "--keys-file"]).arg(&path);
    output(installation.prepare(&mut command).stderr(Stdio::inherit()))?;
    let keys = fs::read_to_string(path).map_err(failed("read the keys"))?;
    // A comment comes first.
    let keys = keys.lines().filter_map(|line| line.strip_prefix("PAYOUT_KEY_")?.split_once('='));
    Ok(keys.map(|(_, key)| key.to_owned()).collect())
}
