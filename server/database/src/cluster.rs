//! A private PostgreSQL server on a Unix socket: the first user starts it, others join it, and it
//! stops with its last user, however that one ends. It does not listen on a network.
//!
//! Everything here blocks; from async code call it on a blocking thread.
//!
//! Files avoid races:
//! - `launch.lock` is held during [`Cluster::open`]: one process at a time starts or joins.
//! - `server.lock` is held by the supervisor, through an inherited descriptor: free means that the
//!   supervisor has ended.
//! - `users`, a named pipe, is held open by every user, and read by the supervisor
//!   (`supervisor.sh`): end of file means that the kernel has closed the last user's end. The
//!   supervisor then moves the pipe away, so that nobody can join any more, and checks once more:
//!   if a process joined in between, the server stays.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::time::{Duration, Instant};

use sha2::{Digest as _, Sha256};

use crate::account::Account;
use crate::cluster_error::{ClusterError, io_error};
use crate::cluster_options::ClusterOptions;
use crate::launch::{self, Layout, TIMEOUT, lock_shared, poll, try_lock};

/// A child forked at this moment briefly inherits our locks; a lock held longer is another user's.
const FORK_GRACE: Duration = Duration::from_millis(200);
/// `sun_path` of macOS, the shortest, without the final zero.
const SOCKET_PATH_LIMIT_BYTES: usize = 103;

/// One use of a cluster. The server runs as long as any process has one; dropping the last stops it
/// and waits for that.
#[derive(Debug)]
pub struct Cluster {
    layout: Layout,
    linger: Duration,
    /// The users' pipe and the shared lock that mark this process as a user: the kernel releases
    /// them however the process ends. `None` only during drop.
    hold: Option<(File, File)>,
    /// The supervisor, if this handle started it.
    supervisor: Option<Child>,
}

impl Cluster {
    /// Starts the cluster, creating it if there is none, or joins the running one.
    pub fn open(options: ClusterOptions) -> Result<Self, ClusterError> {
        let account = Account::current()?;
        let directory = std::path::absolute(&options.directory)
            .map_err(io_error("make the cluster's path absolute"))?;
        account.private_folder(&directory)?;
        let layout = Layout { sockets: socket_folder(&directory), directory };
        let deadline = Instant::now() + TIMEOUT;
        let _launch = poll(&layout, deadline, || try_lock(&layout, "launch.lock"))?;
        // Polled, because the previous server may be stopping, or about to notice this user.
        let (hold, supervisor) = poll(&layout, deadline, || {
            if let Some(hold) = join(&layout, deadline)? {
                return Ok(Some((hold, None)));
            }
            let Some(server_lock) = try_lock(&layout, "server.lock")? else {
                return Ok(None);
            };
            let count = lock_shared(&layout, "count.lock")?;
            let (pipe, supervisor) =
                launch::launch(&layout, &options, account, &server_lock, deadline)?;
            Ok(Some(((pipe, count), Some(supervisor))))
        })?;
        Ok(Self { layout, linger: options.linger, hold: Some(hold), supervisor })
    }

    /// URL of a database for a role; the socket needs no password.
    pub fn url(&self, database: &str, role: &str) -> String {
        let mut url = url::Url::parse("postgres://localhost:5432").expect("a constant URL");
        url.set_username(role).expect("this URL has a host");
        url.set_path(database);
        // PGPORT and PGSSLMODE of the environment would replace a port or sslmode that is missing.
        url.query_pairs_mut()
            .append_pair("host", &self.layout.sockets.to_string_lossy())
            .append_pair("sslmode", "disable");
        url.into()
    }

    /// URL for the bootstrap superuser: to create roles and databases, never to serve requests.
    pub fn superuser_url(&self, database: &str) -> String {
        self.url(database, launch::SUPERUSER)
    }

    /// Returns true if this handle started the server, rather than joined it.
    pub fn started_here(&self) -> bool {
        self.supervisor.is_some()
    }

    /// Ends this use. If it was the last and there is no linger, returns when every process has
    /// ended.
    pub fn stop(mut self) -> Result<(), ClusterError> {
        self.release()
    }

    fn release(&mut self) -> Result<(), ClusterError> {
        if self.hold.take().is_none() || !self.linger.is_zero() {
            return Ok(());
        }
        let released_at = Instant::now();
        let has_ended = poll(&self.layout, released_at + TIMEOUT, || {
            if try_lock(&self.layout, "server.lock")?.is_some() {
                return Ok(Some(true));
            }
            let others = try_lock(&self.layout, "count.lock")?.is_none();
            Ok((others && released_at.elapsed() > FORK_GRACE).then_some(false))
        })?;
        if has_ended && let Some(mut supervisor) = self.supervisor.take() {
            supervisor.wait().map_err(io_error("wait for the supervisor"))?;
        }
        Ok(())
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if let Err(error) = self.release() {
            tracing::warn!(%error, "the embedded PostgreSQL did not stop");
        }
    }
}

/// The default folder of the server's own cluster: `/var/lib/payout-server` for root, else
/// `payout-server` in the user's data folder.
pub fn default_directory() -> Result<PathBuf, ClusterError> {
    if Account::current()?.is_root {
        return Ok("/var/lib/payout-server".into());
    }
    let folder = |name| std::env::var_os(name).map(PathBuf::from);
    let data = folder("XDG_DATA_HOME").filter(|path| path.is_absolute());
    let in_home =
        if cfg!(target_os = "macos") { "Library/Application Support" } else { ".local/share" };
    data.or_else(|| folder("HOME").map(|home| home.join(in_home)))
        .map(|data| data.join("payout-server"))
        .ok_or_else(|| {
            let help = "set XDG_DATA_HOME or HOME, or name one";
            ClusterError(format!("there is no folder to keep the database in: {help}"))
        })
}

/// Joins a running server; `None` if there is none, or it is stopping.
fn join(layout: &Layout, deadline: Instant) -> Result<Option<(File, File)>, ClusterError> {
    let Some(pipe) = launch::open_pipe(layout)? else {
        return Ok(None);
    };
    let count = lock_shared(layout, "count.lock")?;
    let is_ready = poll(layout, deadline, || {
        if try_lock(layout, "server.lock")?.is_some() {
            return Ok(Some(false));
        }
        Ok(launch::is_ready(layout).then_some(true))
    })?;
    Ok(is_ready.then_some((pipe, count)))
}

/// The folder of the socket: the cluster's, or a short one where that path is too long for a
/// socket.
fn socket_folder(directory: &Path) -> PathBuf {
    let longest = directory.join(".s.PGSQL.5432.lock");
    if longest.as_os_str().len() <= SOCKET_PATH_LIMIT_BYTES {
        return directory.to_owned();
    }
    let hash = Sha256::digest(directory.as_os_str().as_encoded_bytes());
    let name: String = hash[..6].iter().map(|byte| format!("{byte:02x}")).collect();
    Path::new("/tmp").join(format!("payout-{name}"))
}
