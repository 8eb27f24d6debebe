//! One launch of PostgreSQL: its files, `initdb`, the supervisor, and readiness.
//!
//! The server is ready when its socket answers; a `postmaster.pid` that says "ready" may be an old
//! one.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write as _};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::account::Account;
use crate::binaries::Binaries;
use crate::cluster_error::{ClusterError, io_error};
use crate::cluster_options::ClusterOptions;

/// The time limit of starting, joining, or stopping.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(60);

/// The role that `initdb` creates.
pub(crate) const SUPERUSER: &str = "postgres";
const SUPERVISOR: &str = include_str!("supervisor.sh");
const POLL_INTERVAL: Duration = Duration::from_millis(5);
const RETRY_INTERVAL: Duration = Duration::from_millis(200);
const LOG_TAIL_LINES: usize = 10;

#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) directory: PathBuf,
    pub(crate) sockets: PathBuf,
}

impl Layout {
    fn at(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    fn socket(&self) -> PathBuf {
        self.sockets.join(".s.PGSQL.5432")
    }
}

/// Takes the lock shared. An exclusive lock is only ever held for an instant.
pub(crate) fn lock_shared(layout: &Layout, name: &str) -> Result<File, ClusterError> {
    let file = open_lock(layout, name)?;
    file.lock_shared().map_err(io_error("lock a file"))?;
    Ok(file)
}

/// Takes the exclusive lock if it is free. The kernel releases it however its holder ends.
pub(crate) fn try_lock(layout: &Layout, name: &str) -> Result<Option<File>, ClusterError> {
    let file = open_lock(layout, name)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(source)) => Err(io_error("lock a file")(source)),
    }
}

/// A lock file is never removed: a process waiting on a removed file would hold a lock that no
/// other process sees.
fn open_lock(layout: &Layout, name: &str) -> Result<File, ClusterError> {
    let mut options = OpenOptions::new();
    let file = options.create(true).truncate(false).write(true).open(layout.at(name));
    file.map_err(io_error("open a lock file"))
}

/// Opens the users' pipe; `None` if there is none. The server runs while any process has it open.
pub(crate) fn open_pipe(layout: &Layout) -> Result<Option<File>, ClusterError> {
    // Opened for reading too: opening for writing alone would wait for a reader, which may have
    // ended.
    let mut pipe = match OpenOptions::new().read(true).write(true).open(layout.at("users")) {
        Ok(pipe) => pipe,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(io_error("open the users' pipe")(error)),
    };
    pipe.write_all(b"joined\n").map_err(io_error("write to the users' pipe"))?;
    Ok(Some(pipe))
}

/// Calls `attempt` until it returns a value; fails with the end of the log after `deadline`.
pub(crate) fn poll<T>(
    layout: &Layout,
    deadline: Instant,
    mut attempt: impl FnMut() -> Result<Option<T>, ClusterError>,
) -> Result<T, ClusterError> {
    loop {
        if let Some(value) = attempt()? {
            return Ok(value);
        }
        if Instant::now() >= deadline {
            return Err(ClusterError(format!(
                "PostgreSQL did not respond within {} s; the end of its log:\n{}",
                TIMEOUT.as_secs(),
                log_tail(layout)
            )));
        }
        thread::sleep(POLL_INTERVAL);
    }
}

/// Returns true if the server accepts connections, which it does only after it has written its own
/// `postmaster.pid`.
pub(crate) fn is_ready(layout: &Layout) -> bool {
    UnixStream::connect(layout.socket()).is_ok()
        && fs::read_to_string(layout.at("data").join("postmaster.pid")).is_ok_and(|pid_file| {
            pid_file.lines().nth(7).is_some_and(|line| ["ready", "standby"].contains(&line.trim()))
        })
}

pub(crate) fn log_tail(layout: &Layout) -> String {
    let log = fs::read(layout.at("log")).unwrap_or_default();
    let log = String::from_utf8_lossy(&log);
    let lines: Vec<&str> = log.lines().collect();
    lines[lines.len().saturating_sub(LOG_TAIL_LINES)..].join("\n")
}

/// Starts the server under its supervisor, which inherits `server_lock`. The caller holds both
/// locks.
pub(crate) fn launch(
    layout: &Layout,
    options: &ClusterOptions,
    account: Account,
    server_lock: &File,
    deadline: Instant,
) -> Result<(File, Child), ClusterError> {
    account.private_folder(&layout.sockets)?;
    stop_orphan(layout, account, deadline)?;
    if !options.durable {
        // The server ran without fsync, so files left by a crash are not worth a recovery.
        remove_folder(&layout.at("data"))?;
    }
    let wanted = fs::read_to_string(layout.at("data").join("PG_VERSION")).ok();
    let binaries = Binaries::find_version(wanted.and_then(|text| text.trim().parse().ok()))?;
    initialise(layout, options, account, &binaries)?;
    // Keeps one older log, which may show the cause of a crash.
    if_exists(fs::rename(layout.at("log"), layout.directory.join("log.old")))
        .map_err(io_error("rename the old log"))?;
    loop {
        let pipe = make_pipe(layout, account)?;
        let mut supervisor = spawn_supervisor(layout, options, account, &binaries, server_lock)?;
        if wait_until_ready(layout, &mut supervisor, deadline)? {
            return Ok((pipe, supervisor));
        }
        let log = log_tail(layout);
        // A killed server can remain a zombie for a second or two, and counts as running meanwhile.
        let killed_before = log.contains("postmaster.pid") || log.contains("still in use");
        if !killed_before || Instant::now() >= deadline {
            let what = "PostgreSQL did not start; the end of its log";
            return Err(ClusterError(format!("{what}:\n{log}")));
        }
        thread::sleep(RETRY_INTERVAL);
    }
}

/// Stops a server whose supervisor was killed.
fn stop_orphan(layout: &Layout, account: Account, deadline: Instant) -> Result<(), ClusterError> {
    poll(layout, deadline, || {
        if UnixStream::connect(layout.socket()).is_err() {
            return Ok(Some(()));
        }
        account
            .command("/bin/sh")
            .args(["-c", r#"kill -INT "$(head -n 1 "$1")""#, "sh"])
            .arg(layout.at("data").join("postmaster.pid"))
            .status()
            .map_err(io_error("stop a server without a supervisor"))?;
        thread::sleep(RETRY_INTERVAL);
        Ok(None)
    })
}

/// Creates the data folder atomically: an interrupted one never gets the final name.
fn initialise(
    layout: &Layout,
    options: &ClusterOptions,
    account: Account,
    binaries: &Binaries,
) -> Result<(), ClusterError> {
    let entries = fs::read_dir(&layout.directory)
        .and_then(Iterator::collect::<io::Result<Vec<_>>>)
        .map_err(io_error("look into the cluster's folder"))?;
    for entry in entries {
        let name = entry.file_name();
        if name.as_encoded_bytes().starts_with(b"data.partial.") {
            remove_folder(&entry.path())?;
        }
    }
    if layout.at("data").exists() {
        return Ok(());
    }
    // A unique name: the initdb of a killed launcher may still be writing into an earlier one.
    let partial = layout.directory.join(format!("data.partial.{}", std::process::id()));
    let mut initdb = account.command(binaries.directory.join("initdb"));
    initdb
        .args(["--auth=trust", "--encoding=UTF8", "--locale=C", "--username"])
        .arg(SUPERUSER)
        .arg("--pgdata")
        .arg(&partial)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    if !options.durable {
        initdb.arg("--no-sync");
    }
    let output = initdb.output().map_err(io_error("run initdb"))?;
    if !output.status.success() {
        return Err(ClusterError(format!(
            "initdb could not create the cluster in {}:\n{}",
            layout.directory.display(),
            String::from_utf8_lossy(&output.stderr)
        )));
    }
    fs::rename(&partial, layout.at("data"))
        .and_then(|()| File::open(&layout.directory)?.sync_all())
        .map_err(io_error("give the new cluster its name"))
}

fn make_pipe(layout: &Layout, account: Account) -> Result<File, ClusterError> {
    let pipe = layout.at("users");
    if_exists(fs::remove_file(&pipe)).map_err(io_error("remove an old users' pipe"))?;
    account
        .command("mkfifo")
        .args(["-m", "600"])
        .arg(&pipe)
        .status()
        .map_err(io_error("run mkfifo"))?;
    open_pipe(layout)?
        .ok_or_else(|| io_error("make the users' pipe")(io::Error::other("mkfifo made none")))
}

fn spawn_supervisor(
    layout: &Layout,
    options: &ClusterOptions,
    account: Account,
    binaries: &Binaries,
    server_lock: &File,
) -> Result<Child, ClusterError> {
    // Opened again for reading only: a copy of the held pipe would make the supervisor one of its
    // own users. Opening does not wait, because the caller holds the other end.
    let reading_end = File::open(layout.at("users")).map_err(io_error("open the users' pipe"))?;
    let server_lock = server_lock.try_clone().map_err(io_error("hand on the server's lock"))?;
    let (disposable, signal) =
        if options.durable { (PathBuf::new(), "INT") } else { (layout.at("data"), "QUIT") };
    let own_sockets = layout.sockets != layout.directory;
    let sockets = own_sockets.then_some(layout.sockets.as_path());

    let mut command = account.command("/bin/sh");
    command
        .args(["-c", SUPERVISOR, "payout-postgres"])
        .arg(layout.at("log"))
        .arg(layout.at("users"))
        .arg(disposable)
        .arg(sockets.unwrap_or(Path::new("")))
        .arg(options.linger.as_secs().to_string())
        .arg(signal)
        .arg(binaries.directory.join("postgres"))
        .arg("-D")
        .arg(layout.at("data"))
        .arg("-k")
        .arg(&layout.sockets);
    let max_connections = format!("max_connections={}", options.max_connections);
    let mut settings = vec![
        "listen_addresses=",
        "unix_socket_permissions=0700",
        &max_connections,
        "timezone=UTC",
        "log_timezone=UTC",
    ];
    if !options.durable {
        settings.extend([
            "fsync=off",
            "synchronous_commit=off",
            "full_page_writes=off",
            "wal_level=minimal",
            "max_wal_senders=0",
        ]);
    }
    for setting in settings.into_iter().chain(options.settings.iter().map(String::as_str)) {
        command.args(["-c", setting]);
    }
    command
        // Ctrl-C in the terminal ends the users first, because the supervisor has its own group.
        .process_group(0)
        .stdin(reading_end)
        .stdout(server_lock)
        .spawn()
        .map_err(io_error("start the supervisor of PostgreSQL"))
}

/// Waits until the server is ready; `false` if it ended instead.
fn wait_until_ready(
    layout: &Layout,
    supervisor: &mut Child,
    deadline: Instant,
) -> Result<bool, ClusterError> {
    poll(layout, deadline, || {
        if is_ready(layout) {
            return Ok(Some(true));
        }
        let ended =
            supervisor.try_wait().map_err(io_error("watch the supervisor of PostgreSQL"))?;
        Ok(ended.map(|_| false))
    })
}

fn remove_folder(path: &Path) -> Result<(), ClusterError> {
    if_exists(fs::remove_dir_all(path)).map_err(io_error("remove an old data folder"))
}

/// The result, where a missing file is no error.
fn if_exists(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}
