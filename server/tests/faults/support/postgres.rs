//! A PostgreSQL of a scenario's own, with fsync, to be killed and restarted on its files. The
//! shared test server and the one of DATABASE_URL are never killed.

use std::{fs, os::unix::fs::PermissionsExt as _, path::PathBuf};

use payout_database::{
    Cluster, ClusterOptions, DatabaseUrls, Roles, ensure_roles_and_database, migrate,
    owner_connect_options,
};
use sqlx::{Connection as _, PgConnection};
use tempfile::TempDir;

use super::replica::signal;

const DATABASE: &str = "payout";

/// Our own server.
#[derive(Debug)]
pub struct OwnPostgres {
    cluster: Option<Cluster>,
    directory: PathBuf,
    pub urls: DatabaseUrls,
    pub superuser_url: String,
    _folder: TempDir,
}

impl OwnPostgres {
    /// Starts one, with roles, database and schema.
    pub async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        // As root, PostgreSQL runs as another account, which must be able to enter the folder.
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let directory = folder.path().join("cluster");
        let cluster = open(directory.clone()).await;
        let superuser_url = cluster.superuser_url("postgres");
        let roles = Roles::default();
        let urls = ensure_roles_and_database(&superuser_url, DATABASE, &roles).await;
        let urls = urls.unwrap();
        migrate(&urls.owner, &roles.app.name).await.unwrap();
        Self {
            superuser_url: cluster.superuser_url(DATABASE),
            cluster: Some(cluster),
            directory,
            urls,
            _folder: folder,
        }
    }

    /// SIGKILL to the postmaster and all its children at once: like a power cut, but the system's
    /// cache of files survives.
    pub async fn kill(&mut self) {
        let options = owner_connect_options(&self.superuser_url).unwrap();
        let mut connection = PgConnection::connect_with(&options).await.unwrap();
        // Stopped first, so that it starts no new processes and does not notify its children.
        let postmaster = self.postmaster();
        signal("STOP", &[postmaster]);
        let below: Vec<i32> = sqlx::query_scalar("SELECT pid FROM pg_stat_activity")
            .fetch_all(&mut connection)
            .await
            .unwrap();
        let mut all: Vec<u32> = below.into_iter().map(i32::unsigned_abs).collect();
        all.push(postmaster);
        signal("KILL", &all);
        self.has_ended().await;
    }

    /// The stop of `pg_ctl restart -m fast`: every session ends, and everything is written to disk.
    pub async fn stop(&mut self) {
        signal("INT", &[self.postmaster()]);
        self.has_ended().await;
    }

    /// Starts it again on the same files, and returns when it accepts connections.
    pub async fn start_again(&mut self) {
        assert!(self.cluster.is_none(), "it has ended before");
        self.cluster = Some(open(self.directory.clone()).await);
        let options = owner_connect_options(&self.superuser_url).unwrap();
        let connection = PgConnection::connect_with(&options).await.unwrap();
        connection.close().await.unwrap();
    }

    fn postmaster(&self) -> u32 {
        let file = fs::read_to_string(self.directory.join("data/postmaster.pid")).unwrap();
        file.lines().next().unwrap().parse().unwrap()
    }

    /// Waits until the supervisor has noticed and released the files.
    async fn has_ended(&mut self) {
        let cluster = self.cluster.take().expect("it was running");
        let stopped = tokio::task::spawn_blocking(move || cluster.stop()).await;
        stopped.unwrap().unwrap();
    }
}

async fn open(directory: PathBuf) -> Cluster {
    let opened = tokio::task::spawn_blocking(|| Cluster::open(ClusterOptions::durable(directory)));
    match opened.await.unwrap() {
        Ok(cluster) => cluster,
        Err(error) => panic!(
            "this scenario kills and restarts a PostgreSQL of its own, also where DATABASE_URL \
             names one: {error}"
        ),
    }
}
