//! A PostgreSQL of a test's own, to be stopped and started again on its files. The shared test
//! server and the one of DATABASE_URL are never stopped.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::PathBuf,
    process::{Command, Stdio},
};

use payout_database::{
    Cluster, ClusterOptions, DatabaseUrls, Roles, ensure_roles_and_database, migrate,
    owner_connect_options,
};
use sqlx::{Connection as _, PgConnection};
use tempfile::TempDir;

/// Our own server.
#[derive(Debug)]
pub(crate) struct OwnPostgres {
    cluster: Option<Cluster>,
    options: ClusterOptions,
    pub(crate) urls: DatabaseUrls,
    pub(crate) superuser_url: String,
    _folder: TempDir,
}

impl OwnPostgres {
    /// Starts one, with roles, database and schema.
    pub(crate) async fn start(options: impl FnOnce(PathBuf) -> ClusterOptions) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        // Root starts PostgreSQL as another account, which must be able to enter the folder.
        let all_may_enter = fs::Permissions::from_mode(0o755);
        fs::set_permissions(folder.path(), all_may_enter).expect("our own folder");
        let options = options(folder.path().join("cluster"));
        let cluster = open(options.clone()).await;
        let (superuser_url, roles) = (cluster.superuser_url("postgres"), Roles::default());
        let urls = ensure_roles_and_database(&superuser_url, "payout", &roles).await;
        let urls = urls.expect("a new cluster");
        migrate(&urls.owner, &roles.app.name).await.expect("a new database");
        let superuser_url = cluster.superuser_url("payout");
        Self { cluster: Some(cluster), options, urls, superuser_url, _folder: folder }
    }

    /// The stop of `pg_ctl restart -m fast`: every session ends, and everything is written to disk.
    pub(crate) async fn stop(&mut self) {
        signal("INT", &[self.postmaster()]);
        self.has_ended().await;
    }

    /// Starts it again on the same files, and returns when it accepts connections.
    pub(crate) async fn start_again(&mut self) {
        assert!(self.cluster.is_none(), "it has ended before");
        self.cluster = Some(open(self.options.clone()).await);
        self.connect().await.close().await.expect("it is open");
    }

    pub(crate) async fn connect(&self) -> PgConnection {
        let options = owner_connect_options(&self.superuser_url).expect("our own URL");
        PgConnection::connect_with(&options).await.expect("it runs")
    }

    pub(crate) fn postmaster(&self) -> u32 {
        let file = self.options.directory.join("data/postmaster.pid");
        let file = fs::read_to_string(file).expect("it runs");
        file.lines().next().and_then(|id| id.parse().ok()).expect("a process")
    }

    /// Waits until the supervisor has noticed and released the files.
    pub(crate) async fn has_ended(&mut self) {
        let cluster = self.cluster.take().expect("it was running");
        let stopped = tokio::task::spawn_blocking(move || cluster.stop()).await;
        stopped.expect("no panic").expect("it stops");
    }
}

async fn open(options: ClusterOptions) -> Cluster {
    let opened = tokio::task::spawn_blocking(|| Cluster::open(options)).await;
    opened.expect("no panic").unwrap_or_else(|error| {
        panic!(
            "this test needs a PostgreSQL of its own, also where DATABASE_URL names one: {error}"
        )
    })
}

/// Sends a signal to these processes, which may have ended already.
pub(crate) fn signal(name: &str, processes: &[u32]) {
    let ids = processes.iter().map(u32::to_string);
    let status =
        Command::new("kill").arg(format!("-{name}")).args(ids).stderr(Stdio::null()).status();
    status.expect("every system has `kill`");
}
