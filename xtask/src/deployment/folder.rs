//! A folder that is removed when it is dropped.

use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use payout_database::scratch_directory;

use super::error::{DeploymentError, failed};

/// Run by root, PostgreSQL uses another account, which must reach its folder inside.
const OPEN_TO_POSTGRES: u32 = 0o755;

/// A folder that is removed when it is dropped.
#[derive(Debug)]
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// On disk, so that commits have their real cost; `purpose` is a part of its name. It is in
    /// /tmp because PostgreSQL's account may not enter this user's own temporary folder.
    pub(crate) fn on_disk(purpose: &str) -> Result<Self, DeploymentError> {
        Self::create(Path::new("/tmp"), purpose)
    }

    /// Where files are fastest, such as in memory; `purpose` is a part of its name.
    pub(crate) fn scratch(purpose: &str) -> Result<Self, DeploymentError> {
        Self::create(&scratch_directory(), purpose)
    }

    /// With a unique name: the folder of a killed run may still exist.
    fn create(parent: &Path, purpose: &str) -> Result<Self, DeploymentError> {
        let folder = tempfile::Builder::new()
            .prefix(&format!("payout-{purpose}-"))
            .tempdir_in(parent)
            .map_err(failed("make a folder for temporary files"))?;
        // Set afterwards: a umask restricts the mode at creation.
        fs::set_permissions(folder.path(), Permissions::from_mode(OPEN_TO_POSTGRES))
            .map_err(failed("open a folder for temporary files to PostgreSQL"))?;
        // Kept, because our own Drop removes it and reports a failure.
        Ok(Self(folder.keep()))
    }

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folder_of_a_killed_run_is_not_reused() {
        let parent = tempfile::tempdir().unwrap();
        let left = Folder::create(parent.path(), "test").unwrap();
        let next = Folder::create(parent.path(), "test").unwrap();
        assert_ne!(left.path(), next.path());
    }

    #[test]
    fn folder_admits_postgres_and_is_removed_when_dropped() {
        let parent = tempfile::tempdir().unwrap();
        let folder = Folder::create(parent.path(), "test").unwrap();
        let mode = fs::metadata(folder.path()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, OPEN_TO_POSTGRES);
        drop(folder);
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
    }
}
