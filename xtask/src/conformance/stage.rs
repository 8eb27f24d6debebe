//! The stage: one PostgreSQL with the data set in a database that nobody uses, and for each server that is judged a copy of it.
//!
//! It refuses a second seeding: a copy takes a fraction of its time, and its keys are the same.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    process::Command,
};

use payout_database::{
    BootstrapError, Cluster, ClusterError, ClusterOptions, DatabaseUrls, Roles,
    ensure_roles_and_database, owner_connect_options,
};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};

use crate::deployment::{DeploymentError, Folder, Place, Server, failed};

const SEEDED: &str = "payout";
/// Takes the place of an address that is not known yet.
const NOWHERE: &str = "http://127.0.0.1:1";
/// The suite asks often without a valid key, always from one address.
const SERVE: [&str; 2] = ["--anonymous-requests-per-minute", "1000000"];

/// The stage. Dropped, everything ends and is removed.
#[derive(Debug)]
pub(crate) struct Stage {
    program: PathBuf,
    keys: BTreeMap<String, String>,
    target: String,
    runtime: tokio::runtime::Runtime,
    cluster: Cluster,
    folder: Folder,
}

/// Why there is no server to judge.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StageError {
    /// The server, or a command of it.
    #[error(transparent)]
    Deployment(#[from] DeploymentError),
    /// There is no PostgreSQL.
    #[error(transparent)]
    Cluster(#[from] ClusterError),
    /// There is no database.
    #[error(transparent)]
    Bootstrap(#[from] BootstrapError),
    /// There is no copy of it.
    #[error("the stage's PostgreSQL refused: {0}")]
    Database(#[from] sqlx::Error),
    /// No threads.
    #[error("the stage cannot start: {0}")]
    Start(io::Error),
}

/// A server on a copy of the data set. Dropped, the server ends.
#[derive(Debug)]
pub(crate) struct Scene {
    target: PathBuf,
    folder: PathBuf,
    urls: DatabaseUrls,
    keys: BTreeMap<String, String>,
    _server: Server,
}

impl Stage {
    /// Starts PostgreSQL, and seeds.
    ///
    /// # Errors
    /// Something does not start; the message tells what it said.
    pub(crate) fn open(program: &Path, purpose: &str) -> Result<Self, StageError> {
        let folder = Folder::create(purpose)?;
        let cluster = Cluster::open(ClusterOptions::disposable(folder.path().join("postgres")))?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(StageError::Start)?;
        let superuser_url = cluster.superuser_url("postgres");
        let roles = Roles::default();
        let urls = ensure_roles_and_database(&superuser_url, SEEDED, &roles);
        let urls = runtime.block_on(urls)?;
        let place = Place {
            program,
            folder: folder.path(),
            urls: &urls,
        };
        place.run(&["migrate"])?;
        let (keys, target) = (
            folder.path().join("keys.env"),
            folder.path().join("target.toml"),
        );
        place.run(&[
            "seed",
            "--keys-file",
            &keys.to_string_lossy(),
            "--target",
            &target.to_string_lossy(),
            "--target-url",
            NOWHERE,
        ])?;
        let target = fs::read_to_string(&target).map_err(failed("read the target file"))?;
        Ok(Self {
            program: program.to_owned(),
            keys: read_keys(&keys)?,
            target,
            runtime,
            cluster,
            folder,
        })
    }

    /// Starts a server on a copy of its own, with these variables in its environment. `name` is that of the copy: plain
    /// letters, digits and `_`.
    ///
    /// # Errors
    /// It does not start.
    pub(crate) fn scene(
        &self,
        name: &str,
        environment: &[(&str, &str)],
    ) -> Result<Scene, StageError> {
        let urls = self.runtime.block_on(self.copy(name))?;
        let folder = self.folder.path().join(name);
        fs::create_dir(&folder).map_err(failed("make a server's folder"))?;
        // PDFs that the data set comes with belong to every copy.
        copy_folder(&self.folder.path().join("assets"), &folder.join("assets"))?;
        let place = Place {
            program: &self.program,
            folder: &folder,
            urls: &urls,
        };
        let server = place.serve(&SERVE, environment)?;
        let target = folder.join("target.toml");
        let base_url = format!("http://{}", server.address());
        // The hooks are commands on this copy's PDFs, and not on those of the folder that was seeded.
        let seeded = self.folder.path().display().to_string();
        let text = self.target.replace(NOWHERE, &base_url);
        let text = text.replace(
            &format!("\"{seeded}\""),
            &format!("\"{}\"", folder.display()),
        );
        fs::write(&target, text).map_err(failed("write the target file"))?;
        Ok(Scene {
            target,
            folder,
            urls,
            keys: self.keys.clone(),
            _server: server,
        })
    }

    async fn copy(&self, name: &str) -> Result<DatabaseUrls, StageError> {
        let superuser_url = self.cluster.superuser_url("postgres");
        let mut connection =
            PgConnection::connect_with(&owner_connect_options(&superuser_url)?).await?;
        let copy = format!("CREATE DATABASE {name} TEMPLATE {SEEDED}");
        sqlx::raw_sql(AssertSqlSafe(copy))
            .execute(&mut connection)
            .await?;
        connection.close().await?;
        Ok(ensure_roles_and_database(&superuser_url, name, &Roles::default()).await?)
    }
}

impl Scene {
    /// The server's own folder.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// `payout-conformance run` against this server, with keys, and hooks that reach its database.
    pub(crate) fn suite(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .args(["run", "--consent", "irreversible", "--target"])
            .arg(&self.target)
            .envs(&self.keys)
            .env("DATABASE_URL", &self.urls.app)
            .env("DATABASE_OWNER_URL", &self.urls.owner)
            .env("PAYOUT_DATA_DIR", &self.folder);
        command
    }
}

/// Lines of `NAME=key`.
fn read_keys(path: &Path) -> Result<BTreeMap<String, String>, DeploymentError> {
    let text = fs::read_to_string(path).map_err(failed("read the keys"))?;
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    Ok(lines
        .filter_map(|line| line.split_once('='))
        .map(|(name, key)| (name.to_owned(), key.to_owned()))
        .collect())
}

fn copy_folder(from: &Path, to: &Path) -> Result<(), DeploymentError> {
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
