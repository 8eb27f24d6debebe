//! The PostgreSQL server of a whole run: the one in DATABASE_URL, or a temporary one.

use std::env;

use payout_database::{Cluster, ClusterOptions};

use crate::deployment::{DeploymentError, Folder};

/// A server for tests; it stops when this is dropped.
#[derive(Debug)]
pub(crate) struct Database {
    /// In the order in which they are dropped.
    own: Option<(Cluster, Folder)>,
}

impl Database {
    /// Starts a server where DATABASE_URL is not set.
    pub(crate) fn open() -> Result<Self, DeploymentError> {
        if env::var_os("DATABASE_URL").is_some_and(|url| !url.is_empty()) {
            return Ok(Self { own: None });
        }
        let folder = Folder::scratch("xtask")?;
        let cluster = Cluster::open(ClusterOptions::disposable(folder.path().join("postgres")))?;
        Ok(Self { own: Some((cluster, folder)) })
    }

    /// The DATABASE_URL of test processes; `None` where it is set already.
    pub(crate) fn url(&self) -> Option<String> {
        let (cluster, _) = self.own.as_ref()?;
        Some(cluster.superuser_url("postgres"))
    }

    /// Stops the temporary server and removes its folder.
    pub(crate) fn close(self) -> Result<(), DeploymentError> {
        if let Some((cluster, _folder)) = self.own {
            cluster.stop()?;
        }
        Ok(())
    }
}
