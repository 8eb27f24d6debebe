//! `server/.sqlx`: PostgreSQL's description of every `query!` of the server, so that a build needs
//! no database. The server is compiled against a freshly migrated database, and the macros write
//! the files.

use std::{
    fs::{self, File},
    io,
    path::Path,
    time::SystemTime,
};

use openapi_contract::codegen::Artifact;
use payout_database::{SCHEMA, TestDatabase, testing::TestServerError};

use super::error::Failure;
use crate::{Result, cargo, program};

/// The folder in which the macros look for the descriptions.
pub(super) const FOLDER: &str = "server/.sqlx";
/// A source file of the server: where it is newer than a build, cargo compiles the server again.
const SOURCE: &str = "server/src/lib.rs";

/// Describes every query of the server, by compiling it against a database of its own.
pub(super) fn generate(root: &Path) -> Result<Vec<Artifact>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    // Dropping it drops the database.
    let database = runtime.block_on(TestDatabase::try_create());
    let database = match database {
        Err(error @ TestServerError::Cluster(_)) => return Err(Failure::NoDatabase(error).into()),
        created => created?,
    };
    // A new folder for each run: files left by a killed run must not be taken for new ones.
    let target = root.join("target");
    fs::create_dir_all(&target)?;
    let folder = tempfile::Builder::new().prefix("sqlx-").tempdir_in(target)?;
    compile(root, folder.path(), &in_schema(database.app_url()))?;
    let mut artifacts = Vec::new();
    for entry in fs::read_dir(folder.path())? {
        let entry = entry?;
        let path = format!("{FOLDER}/{}", entry.file_name().display());
        let text = fs::read_to_string(entry.path())?.trim_end().to_owned() + "\n";
        artifacts.push(Artifact { path, text });
    }
    artifacts.sort_by(|left, right| left.path.cmp(&right.path));
    Ok(artifacts)
}

fn compile(root: &Path, folder: &Path, database_url: &str) -> Result<()> {
    let what = [&["check", "--locked", "--lib", "--quiet"], &program::WHOLE[..]].concat();
    let mut command = cargo::command(root, &what);
    command.env("SQLX_OFFLINE", "false").env("SQLX_OFFLINE_DIR", folder);
    command.env("DATABASE_URL", database_url);
    // The macros write when they are compiled.
    if while_touched(&root.join(SOURCE), || command.status())??.success() {
        return Ok(());
    }
    let message = "the server does not compile, so its queries cannot be described; fix the errors \
                   above, then run `cargo xtask codegen` again";
    Err(Failure::Finding(message.to_owned()).into())
}

/// Runs something while a file is modified; then its time is set back, so that later builds do not
/// see a change.
fn while_touched<T>(path: &Path, run: impl FnOnce() -> T) -> io::Result<T> {
    let file = File::options().append(true).open(path)?;
    let modified = file.metadata()?.modified()?;
    file.set_modified(SystemTime::now())?;
    let result = run();
    file.set_modified(modified)?;
    Ok(result)
}

/// Makes cargo compile the server again.
pub(super) fn touch(root: &Path) -> io::Result<()> {
    File::options().append(true).open(root.join(SOURCE))?.set_modified(SystemTime::now())
}

/// The server sets its search path per connection; the macros have only the URL.
fn in_schema(url: &str) -> String {
    let separator = if url.contains('?') { '&' } else { '?' };
    format!("{url}{separator}options=-c%20search_path%3D{SCHEMA}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compiling_leaves_modification_times_as_they_were() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let modified = || file.path().metadata().unwrap().modified().unwrap();
        file.as_file().set_modified(SystemTime::UNIX_EPOCH).unwrap();
        assert_ne!(while_touched(file.path(), modified).unwrap(), SystemTime::UNIX_EPOCH);
        assert_eq!(modified(), SystemTime::UNIX_EPOCH);
    }
}
