//! A folder for one deployment.
//!
//! It refuses to stay.

use std::{
    fs,
    path::{Path, PathBuf},
    process,
};

use super::error::{DeploymentError, failed};

/// A folder that is removed at its end. In /tmp, and not in this user's temporary folder: where we are root, PostgreSQL
/// runs as another account.
#[derive(Debug)]
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// Makes it; `purpose` is a part of its name.
    ///
    /// # Errors
    /// /tmp takes none.
    pub(crate) fn create(purpose: &str) -> Result<Self, DeploymentError> {
        let path = PathBuf::from(format!("/tmp/payout-{purpose}-{}", process::id()));
        fs::create_dir(&path).map_err(failed("make a folder in /tmp"))?;
        Ok(Self(path))
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0) {
            eprintln!("{} could not be removed: {error}", self.0.display());
        }
    }
}
