//! The account that owns a cluster's files and processes: the current user, or `postgres` when
//! running as root, because PostgreSQL does not start as root.
//!
//! A folder owned by another account is rejected: anybody can create folders in /tmp.

use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The account a cluster runs as.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Account {
    uid: u32,
    gid: u32,
    /// We are root, and every process of the cluster runs as this account instead.
    steps_down: bool,
}

impl Account {
    /// The current user; as root `postgres`, else `nobody`.
    pub(crate) fn current() -> io::Result<Self> {
        // `id` also finds users that have no entry in /etc/passwd.
        let uid = id(&["-u"])?;
        if uid != 0 {
            let gid = id(&["-g"])?;
            return Ok(Self { uid, gid, steps_down: false });
        }
        let named = |name| Ok::<_, io::Error>((id(&["-u", name])?, id(&["-g", name])?));
        let (uid, gid) = named("postgres").or_else(|_| named("nobody"))?;
        Ok(Self { uid, gid, steps_down: true })
    }

    pub(crate) fn uid(self) -> u32 {
        self.uid
    }

    pub(crate) fn is_root(self) -> bool {
        self.steps_down
    }

    /// A command run as this account, in `/`, without the caller's PG* variables: they would
    /// redirect PostgreSQL's own programs to another cluster.
    pub(crate) fn command(self, program: impl AsRef<Path>) -> Command {
        let mut command = Command::new(program.as_ref());
        if self.steps_down {
            command.uid(self.uid).gid(self.gid);
        }
        for (name, _) in std::env::vars_os() {
            if name.as_encoded_bytes().starts_with(b"PG") {
                command.env_remove(name);
            }
        }
        command
            .current_dir("/")
            .env("LC_ALL", "C")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
    }

    /// Creates or checks a folder that only this account may enter.
    pub(crate) fn private_folder(self, path: &Path) -> Result<(), FolderError> {
        let failed = |source| FolderError::Io { path: path.to_owned(), source };
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(failed)?;
        }
        match DirBuilder::new().mode(0o700).create(path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                return Err(failed(error));
            }
            _ => {}
        }
        // Not followed: for a link planted in /tmp, root would change the owner of its target.
        let found = fs::symlink_metadata(path).map_err(failed)?;
        let ours = found.uid() == self.uid || (self.steps_down && found.uid() == 0);
        if !found.is_dir() || !ours {
            return Err(FolderError::Foreign { path: path.to_owned(), owner: found.uid() });
        }
        if self.steps_down && found.uid() == 0 {
            chown(path, Some(self.uid), Some(self.gid)).map_err(failed)?;
        }
        if found.mode() & 0o777 != 0o700 {
            fs::set_permissions(path, Permissions::from_mode(0o700)).map_err(failed)?;
        }
        self.assert_enterable(path)
    }

    /// Root may enter every folder, but this account may not enter root's home, for example.
    fn assert_enterable(self, path: &Path) -> Result<(), FolderError> {
        if !self.steps_down {
            return Ok(());
        }
        let status = self.command("/bin/sh").args(["-c", r#"cd "$1""#, "sh"]).arg(path).status();
        match status {
            Ok(status) if status.success() => Ok(()),
            _ => Err(FolderError::Unreachable { path: path.to_owned(), uid: self.uid }),
        }
    }
}

/// Why a folder cannot hold a cluster.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// Another account owns it, or it is a link or a file.
    #[error(
        "{path} is not a folder of ours (owner: uid {owner}): remove it, or choose another folder",
        path = path.display()
    )]
    Foreign { path: PathBuf, owner: u32 },
    /// A folder above it is closed to the account PostgreSQL runs as.
    #[error(
        "{path} cannot be entered by uid {uid}, which Postgres runs as because it refuses root: \
         choose a folder outside root's home, such as /var/lib/payout-server",
        path = path.display()
    )]
    Unreachable { path: PathBuf, uid: u32 },
    /// The file system reported an error.
    #[error("cannot make the folder {path}: {source}", path = path.display())]
    Io { path: PathBuf, source: io::Error },
}

fn id(arguments: &[&str]) -> io::Result<u32> {
    let output = Command::new("id").args(arguments).output()?;
    String::from_utf8_lossy(&output.stdout)
        .trim()
        .parse()
        .map_err(|_| io::Error::other(format!("`id {}` named no account", arguments.join(" "))))
}
