//! Starts what is measured: a server with a PostgreSQL cluster and data of its own. Both stop with
//! this process, even after kill -9.

use std::{path::Path, sync::Arc};

use payout_database::binaries::Binaries;
use sqlx::{AssertSqlSafe, Connection as _};

use super::{
    cpu::{Meter, our_children},
    http::HttpLoad,
    pgbench::Pgbench,
    stat::megabytes,
};
use crate::{
    Result,
    deployment::{Installation, Postgres, Server},
    http::{Api, Request},
};

const FIRST: &str = "org_01BE0000000000000000000000";
const DATABASE: &str = "payout";
/// Enough for pgbench with 512 connections, the server and ourselves.
const MAX_CONNECTIONS: u16 = 600;

/// Requests of the portal, which has no meter that could be raised.
const UNLIMITED: [&str; 2] = ["--anonymous-requests-per-minute", "1000000"];

/// The data of a deployment.
#[derive(Clone, Debug)]
pub(crate) struct Content {
    /// Describes the data in a report.
    pub(crate) description: String,
    /// Organisations of `payout-devdata organizations`.
    pub(crate) organizations: usize,
    /// Commission lines that `payout-devdata generate` adds to the first one.
    pub(crate) lines: Option<u32>,
}

#[derive(Debug)]
pub(crate) struct Deployment {
    /// Dropping it stops the server.
    _server: Server,
    pub(crate) api: Api,
    /// Runs the baseline build instead of this one.
    pub(crate) is_baseline: bool,
    /// Holds what the subject has prepared, such as a cursor.
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
        let keys = fill(&installation, content)?;
        let server =
            Installation { server: server.to_owned(), ..installation }.serve(&UNLIMITED)?;
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

    /// Requests in sequence.
    pub(crate) fn load(&self, requests: impl IntoIterator<Item = Request>) -> HttpLoad {
        let requests: Vec<Request> = requests.into_iter().collect();
        self.load_of(requests.len(), move |number| requests[number].clone())
    }

    /// Sends requests in sequence, each of which is made when it is sent.
    pub(crate) fn load_of(
        &self,
        count: usize,
        make: impl Fn(usize) -> Request + Send + Sync + 'static,
    ) -> HttpLoad {
        let (address, meter, make) = (self.api.address, self.meter, Arc::new(make));
        HttpLoad {
            address,
            meter,
            count,
            make,
            is_random: false,
            counts_503: false,
            per_second: None,
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

/// Creates the schema and the data; returns the keys of the organisations by their numbers.
fn fill(installation: &Installation, content: &Content) -> Result<Arc<[String]>> {
    let keys = installation.fill(&["organizations", &content.organizations.to_string()])?;
    if let Some(lines) = content.lines {
        installation.devdata(&["generate", &lines.to_string(), "--organization", FIRST])?;
    }
    let key = |number| keys[&format!("PAYOUT_KEY_BENCH_{number}_ALL")].clone();
    Ok((0..content.organizations).map(key).collect())
}
