//! The Postgres of a whole run: the one that DATABASE_URL names, or one of our own that ends with us.
//!
//! It refuses to keep anything: our own forgets everything at its end, and syncs no disk.

use std::{env, fs, path::PathBuf, process};

use payout_database::{Cluster, ClusterError, ClusterOptions, scratch_directory};

/// A server for tests, for as long as this lives.
#[derive(Debug)]
pub(crate) struct Database {
    own: Option<(Cluster, PathBuf)>,
}

impl Database {
    /// Starts a server where none is named.
    ///
    /// # Errors
    /// No Postgres is installed, or it does not start; the message names the command that installs one.
    pub(crate) fn open() -> Result<Self, ClusterError> {
        if env::var_os("DATABASE_URL").is_some_and(|url| !url.is_empty()) {
            return Ok(Self { own: None });
        }
        let directory = scratch_directory().join(format!("payout-xtask-{}", process::id()));
        let cluster = Cluster::open(ClusterOptions::disposable(&directory))?;
        Ok(Self {
            own: Some((cluster, directory)),
        })
    }

    /// What test processes need in their DATABASE_URL; `None` where it is set already.
    pub(crate) fn url(&self) -> Option<String> {
        let (cluster, _) = self.own.as_ref()?;
        Some(cluster.superuser_url("postgres"))
    }

    /// Stops our own server and removes its folder.
    ///
    /// # Errors
    /// It has not stopped in time.
    pub(crate) fn close(self) -> Result<(), ClusterError> {
        let Some((cluster, directory)) = self.own else {
            return Ok(());
        };
        cluster.stop()?;
        // What is left are empty lock files; a folder that cannot be removed costs nobody anything.
        let _ = fs::remove_dir_all(directory);
        Ok(())
    }
}
