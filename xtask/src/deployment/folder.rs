//! A folder for one deployment.
//!
//! It refuses to stay.

use std::{
    fs,
    path::{Path, PathBuf},
    process,
};

use payout_database::scratch_directory;

use super::error::{DeploymentError, failed};

/// A folder that is removed at its end.
#[derive(Debug)]
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// Makes it on the disk, where what a commit costs is measured; `purpose` is a part of its name. In /tmp, and not in
    /// this user's temporary folder: where we are root, PostgreSQL runs as another account.
    ///
    /// # Errors
    /// /tmp takes none.
    pub(crate) fn on_disk(purpose: &str) -> Result<Self, DeploymentError> {
        Self::create(Path::new("/tmp"), purpose)
    }

    /// Makes it where files are quickest; `purpose` is a part of its name.
    ///
    /// # Errors
    /// That place takes none.
    pub(crate) fn scratch(purpose: &str) -> Result<Self, DeploymentError> {
        Self::create(&scratch_directory(), purpose)
    }

    fn create(parent: &Path, purpose: &str) -> Result<Self, DeploymentError> {
        let path = parent.join(format!("payout-{purpose}-{}", process::id()));
        fs::create_dir(&path).map_err(failed("make a folder for temporary files"))?;
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
