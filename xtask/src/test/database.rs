//! The Postgres of a whole run: the one that DATABASE_URL names, or one of our own that ends with us.
//!
//! It refuses to keep anything: our own forgets everything at its end, and syncs no disk.

use std::env;

use payout_database::{Cluster, ClusterOptions};

use crate::deployment::{DeploymentError, Folder};

/// A server for tests, for as long as this lives.
#[derive(Debug)]
pub(crate) struct Database {
    /// The cluster ends before its folder goes.
    own: Option<(Cluster, Folder)>,
}

impl Database {
    /// Starts a server where none is named.
    ///
    /// # Errors
    /// No Postgres is installed, or it does not start; the message names the command that installs one.
    pub(crate) fn open() -> Result<Self, DeploymentError> {
        if env::var_os("DATABASE_URL").is_some_and(|url| !url.is_empty()) {
            return Ok(Self { own: None });
        }
        let folder = Folder::scratch("xtask")?;
        let cluster = Cluster::open(ClusterOptions::disposable(folder.path().join("postgres")))?;
        Ok(Self {
            own: Some((cluster, folder)),
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
    pub(crate) fn close(self) -> Result<(), DeploymentError> {
        if let Some((cluster, _folder)) = self.own {
            cluster.stop()?;
        }
        Ok(())
    }
}
