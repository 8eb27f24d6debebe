//! A deployment for one command of xtask: PostgreSQL and payout-server in a temporary folder. It
//! ends with this process, also when that is killed.

mod postgres;
mod server;

use std::{
    fs::{self, Permissions},
    io,
    os::unix::fs::PermissionsExt as _,
    path::Path,
};

use tempfile::TempDir;

use crate::Result;

pub(crate) use postgres::Postgres;
pub(crate) use server::{Installation, Server, last_lines};

/// Run by root, PostgreSQL uses another account, which must reach its folder inside.
const OPEN_TO_POSTGRES: u32 = 0o755;

/// A folder with a unique name, which begins with `payout-<purpose>`; dropping it removes it.
fn folder(parent: &Path, purpose: &str) -> Result<TempDir> {
    let folder = tempfile::Builder::new()
        .prefix(&format!("payout-{purpose}-"))
        .tempdir_in(parent)
        .map_err(failed("make a folder for temporary files"))?;
    // Set afterwards: a umask restricts the mode at creation.
    fs::set_permissions(folder.path(), Permissions::from_mode(OPEN_TO_POSTGRES))
        .map_err(failed("open a folder for temporary files to PostgreSQL"))?;
    Ok(folder)
}

pub(crate) fn failed(action: &'static str) -> impl Fn(io::Error) -> String {
    move |error| format!("could not {action}: {error}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folder_is_open_to_postgres_and_goes_with_its_files() {
        let parent = tempfile::tempdir().unwrap();
        let folder = folder(parent.path(), "test").unwrap();
        assert_eq!(folder.path().metadata().unwrap().permissions().mode() & 0o777, 0o755);
        fs::write(folder.path().join("log"), "").unwrap();
        drop(folder);
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
    }
}
