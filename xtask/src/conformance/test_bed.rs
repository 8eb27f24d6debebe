//! The test bed: a PostgreSQL with the seeded data set, and for each server under test a copy of
//! that database, which takes a fraction of the time of seeding and has the same keys.

use std::{
    collections::BTreeMap,
    fs,
    net::SocketAddr,
    path::{Path, PathBuf},
    process::Command,
};

use sqlx::Connection as _;
use tokio::runtime::Runtime;

use super::tables::Tables;
use crate::{
    Result,
    deployment::{Installation, Postgres, Server, failed},
    program::{WHOLE, build, output},
};

const SEEDED: &str = "payout";
/// For the pools of a server, its queues, and some hooks: a server that gets no connection answers
/// 503, which a suite reports as a failure.
const CONNECTIONS_OF_A_SERVER: u16 = 40;
/// The suite often sends requests without a valid key from one address, and waits until a link
/// expires.
const SERVE: [&str; 4] =
    ["--anonymous-requests-per-minute", "1000000", "--link-lifetime-seconds", "3"];

/// The proxy in front of a server.
#[derive(Debug)]
pub(super) struct Front {
    /// The address that the suite is given.
    pub(super) base_url: String,
    /// The beginning of the server's links.
    pub(super) public_url: String,
    /// The cell of the keys.
    pub(super) cell: String,
}

/// Dropping it stops and removes everything.
#[derive(Debug)]
pub(crate) struct TestBed {
    suite: PathBuf,
    /// Fills the database that is copied.
    seeded: Installation,
    keys: BTreeMap<String, String>,
    runtime: Runtime,
    postgres: Postgres,
}

/// A server on a copy of the data set; dropping it stops the server.
#[derive(Debug)]
pub(crate) struct TestServer<'a> {
    bed: &'a TestBed,
    /// The name of its database and its folder.
    name: String,
    installation: Installation,
    server: Server,
    /// The cell of the keys that hooks make.
    cell: Option<String>,
}

impl TestBed {
    /// Builds the programs, starts PostgreSQL for this many servers at once, and seeds.
    pub(crate) fn open(root: &Path, purpose: &str, servers: u16) -> Result<Self> {
        Self::open_with(root, purpose, servers, &["seed"])
    }

    /// Seeds with this command of `payout-devdata`.
    pub(super) fn open_with(
        root: &Path,
        purpose: &str,
        servers: u16,
        seed: &[&str],
    ) -> Result<Self> {
        let built = |name| build(root, &WHOLE, "--bin", name);
        let (server, devdata) = (built("payout-server")?, built("payout-devdata")?);
        let suite = built("payout-conformance")?;
        let connections = servers.saturating_mul(CONNECTIONS_OF_A_SERVER);
        let postgres = Postgres::disposable(purpose, connections)?;
        let runtime = Runtime::new()?;
        let urls = runtime.block_on(postgres.database(SEEDED))?;
        let seeded = Installation { server, devdata, folder: postgres.folder().to_owned(), urls };
        let keys = seeded.fill(seed)?;
        Ok(Self { suite, seeded, keys, runtime, postgres })
    }

    /// Starts a server on a copy of its own. `name` is that of the copy: letters, digits and `_`;
    /// `flags` are those of `payout-devdata target`.
    pub(crate) fn start(&self, name: &str, flags: &[String]) -> Result<TestServer<'_>> {
        self.start_behind(name, flags, None)
    }

    /// Starts a server behind a proxy, which the caller starts.
    pub(super) fn start_behind(
        &self,
        name: &str,
        flags: &[String],
        front: Option<Front>,
    ) -> Result<TestServer<'_>> {
        // FILE_COPY, as for the databases of tests: nothing of 9 MB goes through the log.
        let copy = format!("CREATE DATABASE {name} TEMPLATE {SEEDED} STRATEGY FILE_COPY");
        self.runtime.block_on(self.postgres.execute("postgres", copy))?;
        let urls = self.runtime.block_on(self.postgres.database(name))?;
        let folder = self.seeded.folder.join(name);
        fs::create_dir(&folder).map_err(failed("make a server's folder"))?;
        // PDFs that the data set comes with belong to every copy.
        output(Command::new("cp").arg("-R").args([&self.seeded.folder.join("assets"), &folder]))?;
        let target = folder.join("target.toml").to_string_lossy().into_owned();
        let installation = Installation { folder, urls, ..self.seeded.clone() };
        let mut serve = SERVE.to_vec();
        if let Some(front) = &front {
            serve.extend(["--public-url", &front.public_url, "--trusted-proxies", "127.0.0.1"]);
        }
        let server = installation.serve(&serve)?;
        let base_url = format!("http://{}", server.address());
        let base_url = front.as_ref().map_or(base_url, |front| front.base_url.clone());

        let program = self.seeded.server.to_string_lossy();
        let mut command = vec!["target", &target, "--url", &base_url, "--server", &program];
        command.push("--short-links");
        command.extend(flags.iter().map(String::as_str));
        installation.devdata(&command)?;
        let name = name.to_owned();
        let cell = front.map(|front| front.cell);
        Ok(TestServer { bed: self, name, installation, server, cell })
    }

    pub(super) fn folder(&self) -> &Path {
        &self.seeded.folder
    }
}

impl TestServer<'_> {
    pub(crate) fn folder(&self) -> &Path {
        &self.installation.folder
    }

    /// A command of `payout-conformance` against this server, with keys, and hooks that reach its
    /// database.
    pub(crate) fn suite(&self, command_name: &str) -> Command {
        let mut command = Command::new(&self.bed.suite);
        self.installation.prepare(&mut command);
        command
            .args([command_name, "--consent", "irreversible", "--target"])
            .arg(self.folder().join("target.toml"))
            .envs(&self.bed.keys);
        if let Some(cell) = &self.cell {
            command.env("PAYOUT_CELL", cell);
        }
        command
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.server.address()
    }

    pub(super) fn health(&self) -> SocketAddr {
        self.server.health()
    }

    /// The address and the keys, for another program that calls the server.
    pub(crate) fn environment(&self) -> impl Iterator<Item = (String, String)> {
        let address = format!("http://{}", self.server.address());
        let keys = self.bed.keys.iter().map(|(name, key)| (name.clone(), key.clone()));
        keys.chain([("PAYOUT_BASE_URL".to_owned(), address)])
    }

    /// Reads what the database holds, but for meters.
    pub(super) fn tables(&self) -> Result<Tables> {
        self.bed.runtime.block_on(async {
            let mut connection = self.bed.postgres.connect(&self.name).await?;
            let tables = Tables::read(&mut connection).await?;
            connection.close().await?;
            Ok(tables)
        })
    }

    /// Stops the server and removes its copy: there may be many, and they may be in memory.
    pub(crate) fn close(self) -> Result<()> {
        let Self { bed, name, installation, server, .. } = self;
        drop(server);
        // By force: PostgreSQL may not have noticed the end of each connection yet.
        let drop = format!("DROP DATABASE {name} WITH (FORCE)");
        bed.runtime.block_on(bed.postgres.execute("postgres", drop))?;
        Ok(fs::remove_dir_all(installation.folder).map_err(failed("remove a server's folder"))?)
    }
}
