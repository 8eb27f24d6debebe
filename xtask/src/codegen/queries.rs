//! `server/.sqlx`: PostgreSQL's description of every `query!` of the server, so that a build needs
//! no database. The server is compiled against a freshly migrated database, and the macros write
//! the files.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::SystemTime,
};

use payout_codegen::Artifact;
use payout_database::{SCHEMA, TestDatabase, testing::TestServerError};

use super::error::Failure;
use crate::{cargo, program};

/// Where the macros look for the descriptions.
pub(super) const FOLDER: &str = "server/.sqlx";

/// Describes every query of the server, by compiling it against a database of its own.
pub(super) fn generate(root: &Path) -> Result<Vec<Artifact>, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    // Dropping it drops the database.
    let database = runtime.block_on(TestDatabase::try_create());
    let database = database.map_err(|error| match error {
        TestServerError::Cluster(_) => {
            Failure::NoDatabase(format!("{FOLDER} needs a database: {error}"))
        }
        other => other.into(),
    })?;
    // A new folder for each run: files left by a killed run must not be taken for new ones.
    let target = root.join("target");
    fs::create_dir_all(&target)?;
    let folder = tempfile::Builder::new().prefix("sqlx-").tempdir_in(target)?;
    compile(root, folder.path(), &in_schema(database.app_url()))?;
    let mut artifacts = Vec::new();
    for entry in fs::read_dir(folder.path())? {
        let path = entry?.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
            continue;
        };
        let text = fs::read_to_string(&path)?;
        artifacts.push(Artifact {
            path: format!("{FOLDER}/{name}"),
            text: text.trim_end().to_owned() + "\n",
        });
    }
    artifacts.sort_by(|left, right| left.path.cmp(&right.path));
    Ok(artifacts)
}

fn compile(root: &Path, folder: &Path, database_url: &str) -> Result<(), Failure> {
    // The macros write when they are compiled, and cargo compiles only changed files.
    let _touched = Touched::new(root)?;
    let what = [&["check", "--locked", "--lib", "--quiet"], &program::WHOLE[..]].concat();
    let status = cargo::command(root, &what)
        .env("SQLX_OFFLINE", "false")
        .env("SQLX_OFFLINE_DIR", folder)
        .env("DATABASE_URL", database_url)
        .status()?;
    if status.success() {
        Ok(())
    } else {
        let message = "the server does not compile, so its queries cannot be described; fix the \
                       errors above, then run `cargo xtask codegen` again";
        Err(Failure::Finding(message.to_owned()))
    }
}

/// A source file of the server with a new modification time, which is set back on drop, so that
/// later builds do not see a change.
struct Touched {
    path: PathBuf,
    modified: SystemTime,
}

impl Touched {
    fn new(root: &Path) -> io::Result<Self> {
        let path = root.join("server/src/lib.rs");
        let modified = fs::metadata(&path)?.modified()?;
        set_modified(&path, SystemTime::now())?;
        Ok(Self { path, modified })
    }
}

impl Drop for Touched {
    fn drop(&mut self) {
        // If this fails, the next build compiles the server once more.
        let _ = set_modified(&self.path, self.modified);
    }
}

/// Makes cargo compile the server again.
pub(super) fn touch(root: &Path) -> io::Result<()> {
    set_modified(&root.join("server/src/lib.rs"), SystemTime::now())
}

fn set_modified(path: &Path, time: SystemTime) -> io::Result<()> {
    fs::File::options().append(true).open(path)?.set_modified(time)
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
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("server/src/lib.rs");
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "").unwrap();
        let modified = || fs::metadata(&path).unwrap().modified().unwrap();
        set_modified(&path, SystemTime::UNIX_EPOCH).unwrap();
        let touched = Touched::new(root.path()).unwrap();
        assert_ne!(modified(), SystemTime::UNIX_EPOCH);
        drop(touched);
        assert_eq!(modified(), SystemTime::UNIX_EPOCH);
    }

    #[test]
    fn search_path_is_added_to_any_url() {
        assert_eq!(
            in_schema("postgres://a@h/d"),
            "postgres://a@h/d?options=-c%20search_path%3Dpayout"
        );
        assert_eq!(
            in_schema("postgres://a@h/d?host=/tmp"),
            "postgres://a@h/d?host=/tmp&options=-c%20search_path%3Dpayout"
        );
    }
}
