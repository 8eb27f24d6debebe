//! `server/.sqlx`: what Postgres says of every `query!` of the server, so that a build needs no database.
//!
//! It refuses to trust what lies there: the server is compiled against a freshly migrated database, and what the
//! macros write then is what must be committed. A query that is gone leaves no file.

use std::{fs, io, path::Path, time::SystemTime};

use payout_database::{SCHEMA, TestDatabase, testing::TestServerError};

use super::files::Artifact;
use crate::cargo;

/// Where the build looks for them.
pub(super) const FOLDER: &str = "server/.sqlx";

/// Why the queries could not be described.
#[derive(Debug, thiserror::Error)]
pub(crate) enum QueriesError {
    /// No Postgres, or one that refuses; the message names the command that installs one.
    #[error("{FOLDER} needs a database: {0}")]
    Database(#[from] TestServerError),
    /// The compiler has said why.
    #[error(
        "the server does not compile, so its queries cannot be described; mend what the compiler names above, then run `cargo xtask codegen` again"
    )]
    Compile,
    /// A file cannot be read or written, or a process not be started.
    #[error("{FOLDER}: {0}")]
    File(#[from] io::Error),
}

impl QueriesError {
    /// Whether there is no database at all, rather than one that refuses.
    pub(super) fn is_missing_database(&self) -> bool {
        matches!(self, Self::Database(TestServerError::Cluster(_)))
    }
}

/// Describes every query of the server, by compiling it against a database of its own.
///
/// # Errors
/// No database, a server that does not compile, or a file that cannot be read.
pub(super) fn generate(root: &Path) -> Result<Vec<Artifact>, QueriesError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    // Alive until the compiler is done; dropping it drops the database.
    let database = runtime.block_on(TestDatabase::try_create())?;
    // Beside the build's output; under a name that nobody has, or what a killed run left would be taken for written now.
    let target = root.join("target");
    fs::create_dir_all(&target)?;
    let folder = tempfile::Builder::new()
        .prefix("sqlx-")
        .tempdir_in(target)?;
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

fn compile(root: &Path, folder: &Path, database_url: &str) -> Result<(), QueriesError> {
    // The macros write while they are compiled, and cargo compiles only what has changed.
    fs::File::options()
        .append(true)
        .open(root.join("server/src/lib.rs"))?
        .set_modified(SystemTime::now())?;
    let what = [
        &["check", "--locked", "--lib", "--quiet"],
        &cargo::WHOLE[..],
    ]
    .concat();
    let status = cargo::command(root, &what)
        .env("SQLX_OFFLINE", "false")
        .env("SQLX_OFFLINE_DIR", folder)
        .env("DATABASE_URL", database_url)
        .status()?;
    if status.success() {
        Ok(())
    } else {
        Err(QueriesError::Compile)
    }
}

/// The server's connections have a search path of their own; the macros know the URL alone.
fn in_schema(url: &str) -> String {
    let separator = if url.contains('?') { '&' } else { '?' };
    format!("{url}{separator}options=-c%20search_path%3D{SCHEMA}")
}

#[cfg(test)]
mod tests {
    use super::*;

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
