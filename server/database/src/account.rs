//! The account that owns a cluster's files and processes: the current user, or `postgres` when
//! running as root, because PostgreSQL does not start as root.
//!
//! A folder owned by another account is rejected: anybody can create folders in /tmp.

use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::cluster_error::{ClusterError, io_error};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Account {
    pub(crate) uid: u32,
    gid: u32,
    /// We are root, and every process of the cluster runs as this account instead.
    pub(crate) is_root: bool,
}

impl Account {
    /// The current user; as root `postgres`, else `nobody`.
    pub(crate) fn current() -> Result<Self, ClusterError> {
        // `id` also finds users that have no entry in /etc/passwd.
        let (uid, gid) = (id(&["-u"])?, id(&["-g"])?);
        if uid != 0 {
            return Ok(Self { uid, gid, is_root: false });
        }
        let named = |name| Ok::<_, ClusterError>((id(&["-u", name])?, id(&["-g", name])?));
        let (uid, gid) = named("postgres").or_else(|_| named("nobody"))?;
        Ok(Self { uid, gid, is_root: true })
    }

    /// A command run as this account, in `/`, without the caller's PG* variables: they would
    /// redirect PostgreSQL's own programs to another cluster.
    pub(crate) fn command(self, program: impl AsRef<Path>) -> Command {
        let mut command = Command::new(program.as_ref());
        if self.is_root {
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
    pub(crate) fn private_folder(self, path: &Path) -> Result<(), ClusterError> {
        let was_there = path.exists();
        let made = self.make_private(path);
        let found = made.map_err(|source| {
            ClusterError(format!("cannot make the folder {}: {source}", path.display()))
        })?;
        if let Some(owner) = found {
            return Err(ClusterError(format!(
                "{} is not a folder of ours (owner: uid {owner}): remove it, or choose another \
                 folder",
                path.display()
            )));
        }
        // Root may enter every folder, but this account may enter neither root's home, for example,
        // nor the folder of the package's server.
        let enter = self.command("/bin/sh").args(["-c", r#"cd "$1""#, "sh"]).arg(path).status();
        if self.is_root && !enter.is_ok_and(|status| status.success()) {
            if !was_there {
                fs::remove_dir(path).ok();
            }
            return Err(ClusterError(format!(
                "{} cannot be entered by uid {}, which PostgreSQL runs as in place of root: name a \
                 database in DATABASE_URL, or choose a folder that this user may enter",
                path.display(),
                self.uid
            )));
        }
        Ok(())
    }

    /// Returns the owner of what is there if it is not a folder of ours.
    fn make_private(self, path: &Path) -> io::Result<Option<u32>> {
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        match DirBuilder::new().mode(0o700).create(path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        // Not followed: for a link planted in /tmp, root would change the owner of its target.
        let found = fs::symlink_metadata(path)?;
        let is_roots = self.is_root && found.uid() == 0;
        if !found.is_dir() || (found.uid() != self.uid && !is_roots) {
            return Ok(Some(found.uid()));
        }
        if is_roots {
            chown(path, Some(self.uid), Some(self.gid))?;
        }
        fs::set_permissions(path, Permissions::from_mode(0o700))?;
        Ok(None)
    }
}

fn id(arguments: &[&str]) -> Result<u32, ClusterError> {
    let output = Command::new("id").args(arguments).output();
    let output = output.map_err(io_error("determine the current user"))?;
    String::from_utf8_lossy(&output.stdout)
        .trim()
        .parse()
        .map_err(|_| ClusterError(format!("`id {}` named no account", arguments.join(" "))))
}
