//! Finds an installed PostgreSQL: PG_BINDIR, PATH, `pg_config`, then the usual folders of each
//! system.
//!
//! An installation that is too old, incomplete, or closed to the account it would run as is
//! skipped.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::account::Account;
use crate::cluster_error::ClusterError;

/// The oldest major version the schema and the test databases work with.
const OLDEST_SUPPORTED: u32 = 15;

/// Folders whose `*` stands for a version; the newest is tried first.
const USUAL_FOLDERS: [&str; 8] = [
    "/usr/lib/postgresql/*/bin",
    "/usr/pgsql-*/bin",
    "/usr/libexec/postgresql*",
    "/opt/homebrew/opt/postgresql@*/bin",
    "/usr/local/opt/postgresql@*/bin",
    "/home/linuxbrew/.linuxbrew/opt/postgresql@*/bin",
    "/Applications/Postgres.app/Contents/Versions/*/bin",
    "/usr/local/pgsql/bin",
];

const HELP: &str = "\
Install it, set PG_BINDIR to its folder, or DATABASE_URL to a running server:
  Debian, Ubuntu: sudo apt-get install postgresql
  Fedora:         sudo dnf install postgresql-server
  Alpine:         sudo apk add postgresql
  macOS:          brew install postgresql@17";

/// A folder with `initdb` and `postgres` that run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binaries {
    /// The folder, links resolved: both programs look for their `share` files from here.
    pub directory: PathBuf,
    pub major_version: u32,
}

impl Binaries {
    /// The first usable installation.
    ///
    /// # Errors
    /// There is none; the message names the folders searched, and how to install one.
    pub fn find() -> Result<Self, ClusterError> {
        Self::find_version(None)
    }

    /// Finds the programs of one major version, if given: a cluster's files belong to one version.
    pub(crate) fn find_version(wanted: Option<u32>) -> Result<Self, ClusterError> {
        let candidates = match std::env::var_os("PG_BINDIR") {
            // Only this folder: an installation found elsewhere would be a surprise.
            Some(named) => vec![("PG_BINDIR".to_owned(), Some(named.into()))],
            None => candidates(std::env::var_os("PATH")),
        };
        first_fit(candidates, wanted)
    }
}

/// A place that is searched, and its folder if it has one.
type Candidate = (String, Option<PathBuf>);

fn candidates(path: Option<OsString>) -> Vec<Candidate> {
    let mut found: Vec<Candidate> = path
        .iter()
        .flat_map(std::env::split_paths)
        .filter(|folder| folder.join("initdb").exists())
        .map(|folder| (format!("PATH ({})", folder.display()), Some(folder)))
        .collect();
    if found.is_empty() {
        found.push(("PATH".to_owned(), None));
    }
    match Command::new("pg_config").arg("--bindir").stderr(Stdio::null()).output() {
        Ok(output) if output.status.success() => {
            let folder = String::from_utf8_lossy(&output.stdout).trim().to_owned();
            found.push((format!("pg_config --bindir ({folder})"), Some(folder.into())));
        }
        _ => found.push(("pg_config --bindir".to_owned(), None)),
    }
    for pattern in USUAL_FOLDERS {
        let folders = expand(pattern);
        if folders.is_empty() {
            found.push((pattern.to_owned(), None));
        }
        found.extend(folders.into_iter().map(|it| (it.display().to_string(), Some(it))));
    }
    found
}

/// The folders that match a pattern with at most one `*`, newest version first.
fn expand(pattern: &str) -> Vec<PathBuf> {
    let Some((before, after)) = pattern.split_once('*') else {
        return vec![pattern.into()];
    };
    let (parent, prefix) = before.rsplit_once('/').unwrap_or(("", before));
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    let mut versions: Vec<(u32, PathBuf)> = entries
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let version = name.strip_prefix(prefix)?.split('.').next()?.parse().ok()?;
            Some((version, entry.path().join(after.trim_start_matches('/'))))
        })
        .collect();
    versions.sort_by_key(|(version, _)| std::cmp::Reverse(*version));
    versions.into_iter().map(|(_, folder)| folder).collect()
}

fn first_fit(candidates: Vec<Candidate>, wanted: Option<u32>) -> Result<Binaries, ClusterError> {
    let account = Account::current()?;
    let mut looked = String::new();
    for (place, folder) in candidates {
        let missing = "no initdb and postgres".to_owned();
        let examined = folder.map_or(Err(missing), |folder| examine(&folder, wanted, account));
        match examined {
            Ok(binaries) => return Ok(binaries),
            Err(reason) => looked += &format!("  {place}: {reason}\n"),
        }
    }
    let what = match wanted {
        Some(version) => format!(
            "this cluster needs the programs of PostgreSQL {version}, and they were not found."
        ),
        None => {
            format!("no PostgreSQL {OLDEST_SUPPORTED} or later was found on this machine.")
        }
    };
    Err(ClusterError(format!("{what} Looked in:\n{looked}{HELP}")))
}

fn examine(folder: &Path, wanted: Option<u32>, account: Account) -> Result<Binaries, String> {
    // Links in a folder of PATH lead to the folder beside the share files.
    let initdb = fs::canonicalize(folder.join("initdb")).unwrap_or_default();
    let directory = initdb.parent().unwrap_or(folder).to_owned();
    let postgres = directory.join("postgres");
    if !initdb.exists() || !postgres.exists() {
        return Err("no initdb and postgres".to_owned());
    }
    let output = account.command(&postgres).arg("--version").stdout(Stdio::piped()).output();
    let output = output.map_err(|error| format!("cannot be run: {error}"))?;
    let version = String::from_utf8_lossy(&output.stdout);
    match major_version(&version) {
        None => Err(format!("cannot be run: {}", output.status)),
        Some(version) if version < OLDEST_SUPPORTED => {
            Err(format!("version {version}, older than {OLDEST_SUPPORTED}"))
        }
        Some(version) if wanted.is_some_and(|wanted| wanted != version) => {
            Err(format!("version {version}"))
        }
        Some(major_version) => Ok(Binaries { directory, major_version }),
    }
}

/// 15 from `postgres (PostgreSQL) 15.13 (Debian 15.13-0+deb12u1)`.
fn major_version(output: &str) -> Option<u32> {
    let number = output.split_once("(PostgreSQL) ")?.1;
    number.split(|character: char| !character.is_ascii_digit()).next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    /// A folder open to all accounts, with an `initdb` and a `postgres` that reports this version.
    fn installation(version: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let open = fs::Permissions::from_mode(0o755);
        fs::set_permissions(folder.path(), open.clone()).expect("our folder");
        for name in ["initdb", "postgres"] {
            let program = folder.path().join(name);
            let script = format!("#!/bin/sh\necho '{name} (PostgreSQL) {version} (Debian)'\n");
            fs::write(&program, script).expect("our folder");
            fs::set_permissions(&program, open.clone()).expect("our file");
        }
        folder
    }

    fn find_in(folders: &[&Path], wanted: Option<u32>) -> Result<Binaries, String> {
        let candidate = |folder: &&Path| (folder.display().to_string(), Some(folder.to_path_buf()));
        let found = first_fit(folders.iter().map(candidate).collect(), wanted);
        found.map_err(|error| error.to_string())
    }

    #[test]
    fn links_are_followed_to_the_installation() {
        let real = installation("16.2");
        let links = tempfile::tempdir().expect("a temporary folder");
        std::os::unix::fs::symlink(real.path().join("initdb"), links.path().join("initdb"))
            .expect("our folder");
        let directory = fs::canonicalize(real.path()).expect("our folder");
        let expected = Binaries { directory, major_version: 16 };
        assert_eq!(find_in(&[links.path()], None), Ok(expected));
    }

    #[test]
    fn installation_of_another_version_is_passed_over_and_named() {
        for (unfit, fit, wanted, reason) in [
            ("14.9", "17beta1", None, "no PostgreSQL 15 or later"),
            ("17.1", "16.2", Some(16), "needs the programs of PostgreSQL 16"),
        ] {
            let [unfit_folder, fit_folder] = [unfit, fit].map(installation);
            let found = find_in(&[unfit_folder.path(), fit_folder.path()], wanted).expect("fits");
            assert!(fit.starts_with(&found.major_version.to_string()));
            let message = find_in(&[unfit_folder.path()], wanted).expect_err("unfit");
            let unfit = format!(": version {}", &unfit[..2]);
            assert!(message.contains(reason) && message.contains(&unfit), "{message}");
        }
    }

    #[test]
    fn every_usual_folder_is_looked_into_the_newest_version_first() {
        let places = candidates(None);
        for pattern in USUAL_FOLDERS {
            let start = pattern.split('*').next().expect("a first part");
            assert!(places.iter().any(|(place, _)| place.starts_with(start)), "{pattern}");
        }
        let folder = tempfile::tempdir().expect("a temporary folder");
        for version in ["9.6", "15", "17"] {
            fs::create_dir(folder.path().join(version)).expect("our folder");
        }
        let found = expand(&format!("{}/*/bin", folder.path().display()));
        let names = ["17/bin", "15/bin", "9.6/bin"].map(|name| folder.path().join(name));
        assert_eq!(found, names);
    }
}
