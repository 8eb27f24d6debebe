//! The test bed: a PostgreSQL with the seeded data set, and for each server under test a copy of
//! that database, which takes a fraction of the time of seeding and has the same keys.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use payout_database::{
    Cluster, ClusterOptions, DatabaseUrls, Roles, ensure_roles_and_database, owner_connect_options,
};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};

use super::{
    business::Business,
    relay::{Entrance, Relay},
    target::Target,
};
use crate::{
    Result,
    deployment::{Folder, Place, Server, failed},
};

const SEEDED: &str = "payout";
/// For its pools, its queues, and some hooks.
const CONNECTIONS_OF_A_SERVER: u16 = 40;
/// Takes the place of an address that is not known yet.
const NOWHERE: &str = "http://127.0.0.1:1";
/// The suite often sends requests without a valid key from one address, and waits until a link
/// expires.
const SERVE: [&str; 4] =
    ["--anonymous-requests-per-minute", "1000000", "--link-lifetime-seconds", "3"];

/// Dropping it stops and removes everything.
#[derive(Debug)]
pub(crate) struct Stage {
    program: PathBuf,
    devdata: PathBuf,
    keys: BTreeMap<String, String>,
    target: Target,
    runtime: tokio::runtime::Runtime,
    cluster: Cluster,
    folder: Folder,
}

/// How a server is started, and what its target file says.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Setting<'a> {
    pub(crate) environment: &'a [(&'a str, &'a str)],
    /// By how much a relay delays each request.
    pub(crate) latency: Option<Duration>,
    /// Whether the target file has address and keys only.
    pub(crate) without_fixtures: bool,
    /// Whether the target file does not say that the deployment holds the data set.
    pub(crate) is_unseeded: bool,
}

/// A server on a copy of the data set; dropping it stops the server.
#[derive(Debug)]
pub(crate) struct Scene {
    name: String,
    target: PathBuf,
    folder: PathBuf,
    urls: DatabaseUrls,
    keys: BTreeMap<String, String>,
    _relay: Option<Relay>,
    _server: Server,
}

impl Stage {
    /// Starts PostgreSQL for this many servers at once, and seeds.
    pub(crate) fn open(
        program: &Path,
        devdata: &Path,
        purpose: &str,
        servers: u16,
    ) -> Result<Self> {
        let folder = Folder::scratch(purpose)?;
        let options = ClusterOptions::disposable(folder.path().join("postgres"));
        let cluster = Cluster::open(ClusterOptions {
            max_connections: connections(servers).max(options.max_connections),
            ..options
        })?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let superuser_url = cluster.superuser_url("postgres");
        let roles = Roles::default();
        let urls = ensure_roles_and_database(&superuser_url, SEEDED, &roles);
        let urls = runtime.block_on(urls)?;
        let place = Place { program, devdata, folder: folder.path(), urls: &urls };
        place.run(&["migrate"])?;
        let (keys, target) = (folder.path().join("keys.env"), folder.path().join("target.toml"));
        place.run_devdata(&["seed", "--keys-file", &keys.to_string_lossy()])?;
        place.run_devdata(&[
            "target",
            &target.to_string_lossy(),
            "--url",
            NOWHERE,
            "--server",
            &program.to_string_lossy(),
        ])?;
        let target = fs::read_to_string(&target).map_err(failed("read the target file"))?;
        Ok(Self {
            program: program.to_owned(),
            devdata: devdata.to_owned(),
            keys: read_keys(&keys)?,
            target: Target::parse(&target)?.with_short_links()?,
            runtime,
            cluster,
            folder,
        })
    }

    /// Starts a server on a copy of its own. `name` is that of the copy: letters, digits and `_`.
    pub(crate) fn scene(&self, name: &str, environment: &[(&str, &str)]) -> Result<Scene> {
        let setting = Setting { environment, ..Setting::default() };
        self.scene_in(name, setting)
    }

    pub(crate) fn scene_in(&self, name: &str, setting: Setting<'_>) -> Result<Scene> {
        let urls = self.runtime.block_on(self.copy(name))?;
        let folder = self.folder.path().join(name);
        fs::create_dir(&folder).map_err(failed("make a server's folder"))?;
        // PDFs that the data set comes with belong to every copy.
        copy_folder(&self.folder.path().join("assets"), &folder.join("assets"))?;
        let place =
            Place { program: &self.program, devdata: &self.devdata, folder: &folder, urls: &urls };
        let (server, relay, base_url) = serve(&place, setting)?;
        let target = self.target.clone().at(&base_url);
        let target = target.in_folder(self.folder.path(), &folder)?;
        let target = if setting.without_fixtures { target.without_fixtures() } else { target };
        let target = if setting.is_unseeded { target.without_seeded() } else { target };
        let path = folder.join("target.toml");
        fs::write(&path, target.text()?).map_err(failed("write the target file"))?;
        Ok(Scene {
            name: name.to_owned(),
            target: path,
            folder,
            urls,
            keys: self.keys.clone(),
            _relay: relay,
            _server: server,
        })
    }

    /// Stops a server and removes its copy: there may be many, and they may be in memory.
    pub(crate) fn close(&self, scene: Scene) -> Result<()> {
        let (name, folder) = (scene.name.clone(), scene.folder.clone());
        drop(scene);
        self.runtime.block_on(self.forget(&name))?;
        fs::remove_dir_all(folder).map_err(failed("remove a server's folder"))?;
        Ok(())
    }

    /// What the database of a scene holds now, but for meters.
    pub(super) fn business(&self, scene: &Scene) -> Result<Business> {
        let url = self.cluster.superuser_url(&scene.name);
        let read = async {
            let options = owner_connect_options(&url)?;
            let mut connection = PgConnection::connect_with(&options).await?;
            let business = Business::read(&mut connection).await?;
            connection.close().await?;
            Ok(business)
        };
        self.runtime.block_on(read)
    }

    async fn copy(&self, name: &str) -> Result<DatabaseUrls> {
        // FILE_COPY, as for the databases of tests: nothing of 9 MB goes through the log.
        self.execute(format!("CREATE DATABASE {name} TEMPLATE {SEEDED} STRATEGY FILE_COPY"))
            .await?;
        let superuser_url = self.cluster.superuser_url("postgres");
        Ok(ensure_roles_and_database(&superuser_url, name, &Roles::default()).await?)
    }

    /// By force: PostgreSQL may not have noticed the end of each of the server's connections yet.
    async fn forget(&self, name: &str) -> Result<()> {
        self.execute(format!("DROP DATABASE {name} WITH (FORCE)")).await
    }

    /// Names in a statement are ours: letters, digits and `_`.
    async fn execute(&self, statement: String) -> Result<()> {
        let superuser_url = self.cluster.superuser_url("postgres");
        let options = owner_connect_options(&superuser_url)?;
        let mut connection = PgConnection::connect_with(&options).await?;
        sqlx::raw_sql(AssertSqlSafe(statement)).execute(&mut connection).await?;
        connection.close().await?;
        Ok(())
    }
}

impl Scene {
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// A command of `payout-conformance` against this server, with keys, and hooks that reach its
    /// database.
    pub(crate) fn suite(&self, program: &Path, command_name: &str) -> Command {
        let mut command = Command::new(program);
        command
            .args([command_name, "--consent", "irreversible", "--target"])
            .arg(&self.target)
            .envs(&self.keys)
            .env("DATABASE_URL", &self.urls.app)
            .env("DATABASE_OWNER_URL", &self.urls.owner)
            .env("PAYOUT_DATA_DIR", &self.folder);
        command
    }
}

/// Starts the server, and the relay in front of it if there is one; links begin with the address
/// that the suite knows.
fn serve(place: &Place<'_>, setting: Setting<'_>) -> Result<(Server, Option<Relay>, String)> {
    let Some(latency) = setting.latency else {
        let server = place.serve(&SERVE, setting.environment)?;
        let base_url = format!("http://{}", server.address());
        return Ok((server, None, base_url));
    };
    let entrance = Entrance::open()?;
    let base_url = format!("http://{}", entrance.address());
    let flags = [&SERVE[..], &["--public-url", &base_url]].concat();
    let server = place.serve(&flags, setting.environment)?;
    let relay = entrance.lead_to(server.address(), latency);
    Ok((server, Some(relay?), base_url))
}

/// Connections of this many servers with their hooks: a server that gets none answers 503, which a
/// suite reports as a failure.
fn connections(servers: u16) -> u16 {
    servers.saturating_mul(CONNECTIONS_OF_A_SERVER)
}

fn read_keys(path: &Path) -> Result<BTreeMap<String, String>> {
    let text = fs::read_to_string(path).map_err(failed("read the keys"))?;
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    Ok(lines
        .filter_map(|line| line.split_once('='))
        .map(|(name, key)| (name.to_owned(), key.to_owned()))
        .collect())
}

fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to).map_err(failed("copy the data set's PDFs"))?;
    let entries = fs::read_dir(from).map_err(failed("copy the data set's PDFs"))?;
    for entry in entries.flatten() {
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() {
            copy_folder(&from, &to)?;
        } else {
            fs::copy(&from, &to).map_err(failed("copy the data set's PDFs"))?;
        }
    }
    Ok(())
}
