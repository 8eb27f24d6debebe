//! The test bed: a PostgreSQL with the seeded data set, and for each server under test a copy of
//! that database, which takes a fraction of the time of seeding and has the same keys.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use payout_database::DatabaseUrls;
use sqlx::Connection as _;
use tokio::{net::TcpListener, runtime, runtime::Runtime, task::JoinSet};

use super::{relay::relay, tables::Tables, target::adapt};
use crate::{
    Result,
    deployment::{Installation, Postgres, Server, connect, failed, read_keys},
    program::{Program, build},
};

const SEEDED: &str = "payout";
/// For the pools of a server, its queues, and some hooks: a server that gets no connection answers
/// 503, which a suite reports as a failure.
const CONNECTIONS_OF_A_SERVER: u16 = 40;
/// The suite often sends requests without a valid key from one address, and waits until a link
/// expires.
const SERVE: [&str; 4] =
    ["--anonymous-requests-per-minute", "1000000", "--link-lifetime-seconds", "3"];

/// Dropping it stops and removes everything.
#[derive(Debug)]
pub(crate) struct TestBed {
    server: PathBuf,
    devdata: PathBuf,
    suite: PathBuf,
    keys: BTreeMap<String, String>,
    runtime: Runtime,
    postgres: Postgres,
}

/// How a server is started, and what its target file says.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Setting {
    /// By how much a relay delays each request.
    pub(crate) latency: Option<Duration>,
    /// Whether the target file has address and keys only.
    pub(crate) without_fixtures: bool,
    /// Whether the target file does not say that the deployment holds the data set.
    pub(crate) is_unseeded: bool,
}

/// A server on a copy of the data set; dropping it stops the server.
#[derive(Debug)]
pub(crate) struct TestServer<'a> {
    bed: &'a TestBed,
    /// Of its database and its folder.
    name: String,
    folder: PathBuf,
    urls: DatabaseUrls,
    server: Server,
    _relay: JoinSet<()>,
}

impl TestBed {
    /// Builds the programs, starts PostgreSQL for this many servers at once, and seeds.
    pub(crate) fn open(root: &Path, purpose: &str, servers: u16) -> Result<Self> {
        let built = |name| build(root, Program::Debug(name));
        let (server, devdata) = (built("payout-server")?, built("payout-devdata")?);
        let suite = built("payout-conformance")?;
        let connections = servers.saturating_mul(CONNECTIONS_OF_A_SERVER);
        let postgres = Postgres::disposable(purpose, connections)?;
        // A thread of its own: a relay works while this one waits for the suite.
        let runtime =
            runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let (folder, urls) = (postgres.folder(), runtime.block_on(postgres.database(SEEDED))?);
        let installation = Installation { server: &server, devdata: &devdata, folder, urls: &urls };
        installation.migrate()?;
        let keys = folder.join("keys.env");
        installation.devdata(["seed".as_ref(), "--keys-file".as_ref(), &*keys])?;
        let keys = read_keys(&keys)?;
        Ok(Self { server, devdata, suite, keys, runtime, postgres })
    }

    /// Starts a server on a copy of its own. `name` is that of the copy: letters, digits and `_`.
    pub(crate) fn start(&self, name: &str, setting: Setting) -> Result<TestServer<'_>> {
        // FILE_COPY, as for the databases of tests: nothing of 9 MB goes through the log.
        self.execute(format!("CREATE DATABASE {name} TEMPLATE {SEEDED} STRATEGY FILE_COPY"))?;
        let urls = self.runtime.block_on(self.postgres.database(name))?;
        let folder = self.postgres.folder().join(name);
        // PDFs that the data set comes with belong to every copy.
        let copied = copy_folder(&self.postgres.folder().join("assets"), &folder.join("assets"));
        copied.map_err(failed("copy the data set's PDFs"))?;
        let (server, devdata) = (&*self.server, &*self.devdata);
        let installation = Installation { server, devdata, folder: &folder, urls: &urls };
        let (server, relay, base_url) = self.serve(&installation, setting.latency)?;

        let target = folder.join("target.toml");
        let (server_program, path) = (self.server.to_string_lossy(), target.to_string_lossy());
        installation.devdata([
            "target",
            &*path,
            "--url",
            &base_url,
            "--server",
            &*server_program,
        ])?;
        let text = fs::read_to_string(&target).map_err(failed("read the target file"))?;
        fs::write(&target, adapt(&text, setting)?).map_err(failed("write the target file"))?;
        let name = name.to_owned();
        Ok(TestServer { bed: self, name, folder, urls, server, _relay: relay })
    }

    /// Starts the server, and the relay in front of it if requests are to be late; returns the
    /// address that the suite uses, with which links begin.
    fn serve(
        &self,
        installation: &Installation<'_>,
        latency: Option<Duration>,
    ) -> Result<(Server, JoinSet<()>, String)> {
        let mut relays = JoinSet::new();
        let Some(latency) = latency else {
            let server = installation.serve(&SERVE)?;
            let base_url = format!("http://{}", server.address());
            return Ok((server, relays, base_url));
        };
        let listener = self.runtime.block_on(TcpListener::bind("127.0.0.1:0"))?;
        let base_url = format!("http://{}", listener.local_addr()?);
        let server = installation.serve(&[&SERVE[..], &["--public-url", &base_url]].concat())?;
        relays.spawn_on(relay(listener, server.address(), latency), self.runtime.handle());
        Ok((server, relays, base_url))
    }

    /// Names in a statement are ours: letters, digits and `_`.
    fn execute(&self, statement: String) -> Result<()> {
        self.runtime.block_on(self.postgres.execute("postgres", statement))
    }
}

impl TestServer<'_> {
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// A command of `payout-conformance` against this server, with keys, and hooks that reach its
    /// database.
    pub(crate) fn suite(&self, command_name: &str) -> Command {
        let mut command = Command::new(&self.bed.suite);
        command
            .args([command_name, "--consent", "irreversible", "--target"])
            .arg(self.folder.join("target.toml"))
            .envs(&self.bed.keys)
            .env("DATABASE_URL", &self.urls.app)
            .env("DATABASE_OWNER_URL", &self.urls.owner)
            .env("PAYOUT_DATA_DIR", &self.folder);
        command
    }

    /// What the database holds now, but for meters.
    pub(super) fn tables(&self) -> Result<Tables> {
        let url = self.bed.postgres.superuser_url(&self.name);
        self.bed.runtime.block_on(async {
            let mut connection = connect(&url).await?;
            let tables = Tables::read(&mut connection).await?;
            connection.close().await?;
            Ok(tables)
        })
    }

    /// Stops the server and removes its copy: there may be many, and they may be in memory.
    pub(crate) fn close(self) -> Result<()> {
        let Self { bed, name, folder, server, .. } = self;
        drop(server);
        // By force: PostgreSQL may not have noticed the end of each connection yet.
        bed.execute(format!("DROP DATABASE {name} WITH (FORCE)"))?;
        Ok(fs::remove_dir_all(folder).map_err(failed("remove a server's folder"))?)
    }
}

fn copy_folder(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() {
            copy_folder(&from, &to)?;
        } else {
            fs::copy(&from, &to)?;
        }
    }
    Ok(())
}
