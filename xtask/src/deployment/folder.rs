//! A folder that is removed when it is dropped.

use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use payout_database::scratch_directory;

use super::error::{DeploymentError, failed};

/// Where we are root, PostgreSQL runs as another account, which has to get through to its own folder below.
const OPEN_TO_POSTGRES: u32 = 0o755;

/// A folder that is removed at its end.
#[derive(Debug)]
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// Makes it on the disk, where what a commit costs is measured; `purpose` is a part of its name. In /tmp, and not in
    /// this user's temporary folder, which may be closed to the account of PostgreSQL.
    pub(crate) fn on_disk(purpose: &str) -> Result<Self, DeploymentError> {
        Self::create(Path::new("/tmp"), purpose)
    }

    /// Makes it where files are quickest; `purpose` is a part of its name.
    pub(crate) fn scratch(purpose: &str) -> Result<Self, DeploymentError> {
        Self::create(&scratch_directory(), purpose)
    }

    /// Under a name that nobody has: what a killed run left is not in the way, also where process numbers repeat.
    fn create(parent: &Path, purpose: &str) -> Result<Self, DeploymentError> {
        let folder = tempfile::Builder::new()
            .prefix(&format!("payout-{purpose}-"))
            .tempdir_in(parent)
            .map_err(failed("make a folder for temporary files"))?;
        // Afterwards, because a umask takes from what a folder is made with.
        fs::set_permissions(folder.path(), Permissions::from_mode(OPEN_TO_POSTGRES))
            .map_err(failed("open a folder for temporary files to PostgreSQL"))?;
        // It is removed here, and not there: a folder in memory that stays is told.
        Ok(Self(folder.keep()))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folder_that_a_killed_run_left_is_not_in_the_way() {
        let parent = tempfile::tempdir().unwrap();
        let left = Folder::create(parent.path(), "test").unwrap();
        let next = Folder::create(parent.path(), "test").unwrap();
        assert_ne!(left.path(), next.path());
    }

    #[test]
    fn folder_lets_the_account_of_postgres_through_and_goes_at_its_end() {
        let parent = tempfile::tempdir().unwrap();
        let folder = Folder::create(parent.path(), "test").unwrap();
        let mode = fs::metadata(folder.path()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, OPEN_TO_POSTGRES);
        drop(folder);
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
    }
}
