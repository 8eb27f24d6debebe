//! Finds an installed PostgreSQL: PG_BINDIR, PATH, `pg_config`, then the usual folders of each
//! system.
//!
//! An installation that is too old, incomplete, or closed to the account it would run as is
//! skipped.

use std::ffi::OsString;
use std::fmt::{self, Display};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::account::Account;

/// The oldest major version the schema and the test databases work with.
pub(crate) const OLDEST_SUPPORTED: u32 = 15;

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

/// A folder with `initdb` and `postgres` that run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binaries {
    /// The folder, links resolved: both programs look for their `share` files from here.
    pub directory: PathBuf,
    /// Major version, such as 15.
    pub major_version: u32,
}

impl Binaries {
    /// The first usable installation.
    pub fn find() -> Result<Self, BinariesError> {
        Self::find_version(None)
    }

    /// Finds the programs of one major version, if given: a cluster's files belong to one version.
    pub(crate) fn find_version(wanted: Option<u32>) -> Result<Self, BinariesError> {
        let account = Account::current().map_err(|source| BinariesError {
            wanted,
            looked: vec![("the current user".to_owned(), Outcome::Unusable(source.to_string()))],
        })?;
        let candidates = match std::env::var_os("PG_BINDIR") {
            // Only this folder: an installation found elsewhere would be a surprise.
            Some(named) => vec![("PG_BINDIR".to_owned(), PathBuf::from(named))],
            None => candidates(std::env::var_os("PATH")),
        };
        first_fit(candidates, wanted, account)
    }

    pub(crate) fn initdb(&self) -> PathBuf {
        self.directory.join("initdb")
    }

    pub(crate) fn postgres(&self) -> PathBuf {
        self.directory.join("postgres")
    }
}

/// No usable PostgreSQL: the folders searched, and how to install one.
#[derive(Debug)]
pub struct BinariesError {
    wanted: Option<u32>,
    looked: Vec<(String, Outcome)>,
}

#[derive(Debug, PartialEq, Eq)]
enum Outcome {
    Missing,
    TooOld(u32),
    OtherVersion(u32),
    Unusable(String),
}

impl std::error::Error for BinariesError {}

impl Display for BinariesError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.wanted {
            Some(version) => writeln!(
                formatter,
                "this cluster needs the programs of PostgreSQL {version}, and they were not found. \
                 Looked in:"
            )?,
            None => writeln!(
                formatter,
                "no PostgreSQL {OLDEST_SUPPORTED} or later was found on this machine. Looked in:"
            )?,
        }
        for (place, outcome) in &self.looked {
            match outcome {
                Outcome::Missing => writeln!(formatter, "  {place}: no initdb and postgres")?,
                Outcome::TooOld(version) => writeln!(
                    formatter,
                    "  {place}: version {version}, older than {OLDEST_SUPPORTED}"
                )?,
                Outcome::OtherVersion(version) => {
                    writeln!(formatter, "  {place}: version {version}")?;
                }
                Outcome::Unusable(reason) => writeln!(formatter, "  {place}: {reason}")?,
            }
        }
        formatter.write_str(
            "Install it, set PG_BINDIR to its folder, or DATABASE_URL to a running server:\n  \
             Debian, Ubuntu: sudo apt-get install postgresql\n  \
             Fedora:         sudo dnf install postgresql-server\n  \
             Alpine:         sudo apk add postgresql\n  \
             macOS:          brew install postgresql@17",
        )
    }
}

/// The folders to search, in order, each with its description.
fn candidates(path: Option<OsString>) -> Vec<(String, PathBuf)> {
    let mut found: Vec<(String, PathBuf)> = path
        .iter()
        .flat_map(std::env::split_paths)
        .filter(|folder| folder.join("initdb").exists())
        .map(|folder| (format!("PATH ({})", folder.display()), folder))
        .collect();
    if found.is_empty() {
        found.push(("PATH".to_owned(), PathBuf::new()));
    }
    match Command::new("pg_config").arg("--bindir").stderr(Stdio::null()).output() {
        Ok(output) if output.status.success() => {
            let folder = String::from_utf8_lossy(&output.stdout).trim().to_owned();
            found.push((format!("pg_config --bindir ({folder})"), folder.into()));
        }
        _ => found.push(("pg_config --bindir".to_owned(), PathBuf::new())),
    }
    for pattern in USUAL_FOLDERS {
        let folders = expand(pattern);
        if folders.is_empty() {
            found.push((pattern.to_owned(), PathBuf::new()));
        }
        found.extend(folders.into_iter().map(|folder| (folder.display().to_string(), folder)));
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
            let rest = after.trim_start_matches('/');
            Some((version, entry.path().join(rest)))
        })
        .collect();
    versions.sort_by_key(|(version, _)| std::cmp::Reverse(*version));
    versions.into_iter().map(|(_, folder)| folder).collect()
}

fn first_fit(
    candidates: Vec<(String, PathBuf)>,
    wanted: Option<u32>,
    account: Account,
) -> Result<Binaries, BinariesError> {
    let mut looked = Vec::new();
    for (place, folder) in candidates {
        match examine(&folder, wanted, account) {
            Ok(binaries) => return Ok(binaries),
            Err(outcome) => looked.push((place, outcome)),
        }
    }
    Err(BinariesError { wanted, looked })
}

fn examine(folder: &Path, wanted: Option<u32>, account: Account) -> Result<Binaries, Outcome> {
    // Links in a folder of PATH lead to the folder beside the share files.
    let initdb = fs::canonicalize(folder.join("initdb")).map_err(|_| Outcome::Missing)?;
    let directory = initdb.parent().unwrap_or(folder).to_owned();
    let postgres = directory.join("postgres");
    if folder.as_os_str().is_empty() || !postgres.exists() {
        return Err(Outcome::Missing);
    }
    let output = account
        .command(&postgres)
        .arg("--version")
        .stdout(Stdio::piped())
        .output()
        .map_err(|error| Outcome::Unusable(format!("cannot be run: {error}")))?;
    let version = String::from_utf8_lossy(&output.stdout);
    let major_version = major_version(&version)
        .ok_or_else(|| Outcome::Unusable(format!("cannot be run: {}", output.status)))?;
    match wanted {
        _ if major_version < OLDEST_SUPPORTED => Err(Outcome::TooOld(major_version)),
        Some(wanted) if wanted != major_version => Err(Outcome::OtherVersion(major_version)),
        _ => Ok(Binaries { directory, major_version }),
    }
}

/// 15 from `postgres (PostgreSQL) 15.13 (Debian 15.13-0+deb12u1)`.
fn major_version(output: &str) -> Option<u32> {
    let number = output.split_once("(PostgreSQL) ")?.1;
    let digits = number.split(|character: char| !character.is_ascii_digit());
    digits.into_iter().next()?.parse().ok()
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

    fn find_in(folders: &[&Path], wanted: Option<u32>) -> Result<Binaries, BinariesError> {
        let candidates = folders
            .iter()
            .map(|folder| (folder.display().to_string(), folder.to_path_buf()))
            .collect();
        first_fit(candidates, wanted, Account::current().expect("an account"))
    }

    #[test]
    fn links_are_followed_to_the_installation() {
        let real = installation("16.2");
        let links = tempfile::tempdir().expect("a temporary folder");
        std::os::unix::fs::symlink(real.path().join("initdb"), links.path().join("initdb"))
            .expect("our folder");
        let found = find_in(&[links.path()], None).expect("an installation behind the link");
        let directory = fs::canonicalize(real.path()).expect("our folder");
        assert_eq!(found.directory, directory);
        assert_eq!(found.major_version, 16);
    }

    #[test]
    fn older_ones_are_passed_over_and_named() {
        let (old, fit) = (installation("14.9"), installation("17beta1"));
        let found = find_in(&[old.path(), fit.path()], None).expect("the second one");
        assert_eq!(found.major_version, 17);
        let message = find_in(&[old.path()], None).expect_err("too old").to_string();
        assert!(message.contains("version 14, older than 15"), "{message}");
    }

    #[test]
    fn a_cluster_gets_the_version_it_was_made_with() {
        let (newer, older) = (installation("17.1"), installation("16.2"));
        let found = find_in(&[newer.path(), older.path()], Some(16)).expect("the second one");
        assert_eq!(found.major_version, 16);
        let message = find_in(&[newer.path()], Some(16)).expect_err("another").to_string();
        assert!(message.contains("needs the programs of PostgreSQL 16"), "{message}");
    }

    #[test]
    fn missing_binaries_are_told_with_places_and_install_commands() {
        let message =
            find_in(&[Path::new("/nowhere/bin")], None).expect_err("nothing is there").to_string();
        for part in [
            "/nowhere/bin",
            "apt-get install",
            "dnf install",
            "apk add",
            "brew install",
            "PG_BINDIR",
        ] {
            assert!(message.contains(part), "{part} in {message}");
        }
    }

    #[test]
    fn every_usual_folder_is_looked_into() {
        let places = candidates(None);
        for pattern in USUAL_FOLDERS {
            let start = pattern.split('*').next().expect("a first part");
            assert!(places.iter().any(|(place, _)| place.starts_with(start)), "{pattern}");
        }
    }

    #[test]
    fn newest_version_comes_first() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for version in ["9.6", "15", "17"] {
            fs::create_dir(folder.path().join(version)).expect("our folder");
        }
        let found = expand(&format!("{}/*/bin", folder.path().display()));
        let names = ["17/bin", "15/bin", "9.6/bin"].map(|name| folder.path().join(name));
        assert_eq!(found, names);
    }
}
