//! The embedded cluster: the first process starts it, and a killed process leaves nothing running.
//!
//! A second user must be a second process, so some tests run their own binary again; an environment
//! variable makes it hold a cluster until it is killed.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown, symlink};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use payout_database::{Cluster, ClusterOptions};
use sqlx::{Connection as _, PgConnection};

const HOLD: &str = "PAYOUT_TEST_HOLD";
const HOLDING: &str = "holding the cluster";

/// A new folder that the account of PostgreSQL may enter, and the path of a cluster in it.
fn fresh_folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let directory = folder.path().join("cluster");
    (folder, directory)
}

/// Holds the cluster named by the environment until the process is killed; returns in the first
/// process, whose environment names none.
fn hold_in_other_process() {
    let Some(directory) = std::env::var_os(HOLD) else {
        return;
    };
    match Cluster::open(ClusterOptions::durable(directory)) {
        Ok(_cluster) => {
            println!("\n{HOLDING}");
            // The first process holds the other end and never sends anything.
            let _ = std::io::stdin().read(&mut [0]);
            panic!("the first process has ended");
        }
        Err(error) => println!("\n{error}"),
    }
    std::process::exit(1);
}

/// Runs this binary again, in the test that asks, up to where it holds the cluster. Variables of
/// another server do not lead it astray.
fn another_process(directory: &Path) -> Child {
    let mut command = another_command(directory);
    command.envs([("PGDATA", "/nowhere"), ("PGPORT", "1"), ("PGHOST", "nowhere")]);
    let mut other = command.spawn().unwrap();
    let output = BufReader::new(other.stdout.take().unwrap());
    let holds = output.lines().any(|line| line.unwrap() == HOLDING);
    assert!(holds, "the other process did not get its cluster");
    other
}

fn another_command(directory: &Path) -> Command {
    let thread = std::thread::current();
    let test = thread.name().expect("a test's thread has its name");
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", test, "--nocapture"])
        .env(HOLD, directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    command
}

/// Processes that work in the folder or were started with its name; without /proc, the supervisor's
/// lock stands for them.
fn processes_of(directory: &Path) -> Vec<String> {
    let name = directory.as_os_str().as_encoded_bytes();
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let works_there = fs::read_link(entry.path().join("cwd"))
            .is_ok_and(|folder| folder.starts_with(directory));
        let command = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        if works_there || command.windows(name.len()).any(|part| part == name) {
            found.push(format!(
                "{} {}",
                entry.file_name().display(),
                String::from_utf8_lossy(&command)
            ));
        }
    }
    found
}

/// Waits until the supervisor's lock is free, and asserts that no process remains.
fn assert_ended(directory: &Path) {
    wait_until(directory, || is_supervisor_gone(directory));
    assert_eq!(processes_of(directory), Vec::<String>::new());
}

fn is_supervisor_gone(directory: &Path) -> bool {
    let lock = File::open(directory.join("server.lock")).unwrap();
    lock.try_lock().is_ok()
}

/// PostgreSQL closes its socket last, with the process itself.
fn is_server_gone(directory: &Path) -> bool {
    UnixStream::connect(directory.join(".s.PGSQL.5432")).is_err()
}

fn wait_until(directory: &Path, is_so: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(30);
    while !is_so() {
        assert!(Instant::now() < deadline, "still there: {:?}", processes_of(directory));
        std::thread::yield_now();
    }
}

/// Sends the signal. The process takes a moment to end.
fn kill(pid: &str) {
    assert!(Command::new("kill").args(["-KILL", pid]).status().unwrap().success());
}

#[tokio::main(flavor = "current_thread")]
async fn query(cluster: &Cluster, statement: &'static str) -> Result<i32, sqlx::Error> {
    let mut connection = PgConnection::connect(&cluster.superuser_url("postgres")).await?;
    let value = sqlx::query_scalar(statement).fetch_one(&mut connection).await?;
    connection.close().await?;
    Ok(value)
}

#[test]
fn kill_of_the_only_user_leaves_no_process() {
    hold_in_other_process();
    let (_folder, directory) = fresh_folder();
    let mut other = another_process(&directory);
    assert!(directory.join("data/postmaster.pid").exists());
    other.kill().unwrap();
    other.wait().unwrap();
    assert_ended(&directory);
    assert!(!directory.join("data/postmaster.pid").exists(), "stopped, not killed");
}

#[test]
fn server_outlives_the_process_that_started_it_for_those_who_joined() {
    hold_in_other_process();
    let (_folder, directory) = fresh_folder();
    let mut other = another_process(&directory);
    let cluster = Cluster::open(ClusterOptions::durable(&directory)).unwrap();
    assert!(!cluster.started_here());
    other.kill().unwrap();
    other.wait().unwrap();
    assert_eq!(query(&cluster, "SELECT 1").unwrap(), 1);
    cluster.stop().unwrap();
    assert_ended(&directory);
}

#[test]
fn stop_returns_at_once_while_others_use_the_cluster() {
    let (_folder, directory) = fresh_folder();
    let first = Cluster::open(ClusterOptions::disposable(&directory)).unwrap();
    let second = Cluster::open(ClusterOptions::disposable(&directory)).unwrap();
    first.stop().unwrap();
    assert_eq!(query(&second, "SELECT 2").unwrap(), 2);
    second.stop().unwrap();
    assert_ended(&directory);
}

#[test]
fn users_who_come_and_go_at_once_always_have_a_server() {
    let (_folder, directory) = fresh_folder();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..8 {
                    let cluster = Cluster::open(ClusterOptions::durable(&directory)).unwrap();
                    assert_eq!(query(&cluster, "SELECT 3").unwrap(), 3);
                }
            });
        }
    });
    assert_ended(&directory);
}

#[test]
fn durable_cluster_keeps_its_data_and_a_disposable_one_is_removed() {
    let (_folder, directory) = fresh_folder();
    let cluster = Cluster::open(ClusterOptions::durable(&directory)).unwrap();
    query(&cluster, "WITH made AS (SELECT lo_create(4711)) SELECT 0 FROM made").unwrap();
    cluster.stop().unwrap();
    let cluster = Cluster::open(ClusterOptions::durable(&directory)).unwrap();
    let count = "SELECT count(*)::int FROM pg_largeobject_metadata WHERE oid = 4711";
    assert_eq!(query(&cluster, count).unwrap(), 1);
    assert_eq!(query(&cluster, "SELECT (current_setting('fsync') = 'on')::int").unwrap(), 1);
    cluster.stop().unwrap();

    let (_folder, directory) = fresh_folder();
    let options = ClusterOptions { max_connections: 7, ..ClusterOptions::disposable(&directory) };
    let cluster = Cluster::open(options).unwrap();
    assert_eq!(query(&cluster, "SELECT (current_setting('fsync') = 'on')::int").unwrap(), 0);
    assert_eq!(query(&cluster, "SELECT current_setting('max_connections')::int").unwrap(), 7);
    cluster.stop().unwrap();
    assert!(!directory.join("data").exists());
    assert_ended(&directory);
}

#[test]
fn files_belong_to_the_account_of_postgres_alone() {
    let (folder, directory) = fresh_folder();
    let cluster = Cluster::open(ClusterOptions::disposable(&directory)).unwrap();
    let we_are_root = fs::metadata(folder.path()).unwrap().uid() == 0;
    for path in [directory.clone(), directory.join("data"), directory.join("users")] {
        let found = fs::metadata(&path).unwrap();
        assert_ne!(found.uid(), 0, "{}", path.display());
        assert_eq!(found.mode() & 0o077, 0, "{}", path.display());
        assert!(we_are_root || found.uid() == fs::metadata(folder.path()).unwrap().uid());
    }
    cluster.stop().unwrap();
}

/// Root meets this in the folder of the package's server, whose commands need a database's URL.
#[test]
fn folder_that_the_account_of_postgres_cannot_enter_is_an_error_and_leaves_nothing() {
    let (folder, directory) = fresh_folder();
    if fs::metadata(folder.path()).unwrap().uid() != 0 {
        return;
    }
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o700)).unwrap();
    let error = Cluster::open(ClusterOptions::durable(&directory)).unwrap_err().to_string();
    assert!(error.contains("DATABASE_URL"), "{error}");
    assert!(!directory.exists());
}

#[test]
fn interrupted_initdb_is_done_again() {
    let (_folder, directory) = fresh_folder();
    fs::create_dir_all(directory.join("data.partial.1/global")).unwrap();
    let cluster = Cluster::open(ClusterOptions::disposable(&directory)).unwrap();
    assert_eq!(query(&cluster, "SELECT 4").unwrap(), 4);
    assert!(!directory.join("data.partial.1").exists());
    cluster.stop().unwrap();
}

#[test]
fn killed_server_is_recovered_by_the_next_user() {
    let (_folder, directory) = fresh_folder();
    let cluster = Cluster::open(ClusterOptions::durable(&directory)).unwrap();
    let pid_file = fs::read_to_string(directory.join("data/postmaster.pid")).unwrap();
    kill(pid_file.lines().next().unwrap());
    wait_until(&directory, || is_server_gone(&directory));
    let next = Cluster::open(ClusterOptions::durable(&directory)).unwrap();
    assert_eq!(query(&next, "SELECT 5").unwrap(), 5);
    drop((cluster, next));
    assert_ended(&directory);
}

#[cfg(target_os = "linux")]
#[test]
fn server_whose_supervisor_was_killed_is_stopped_by_the_next_user() {
    let (_folder, directory) = fresh_folder();
    let cluster = Cluster::open(ClusterOptions::durable(&directory)).unwrap();
    let pid_path = directory.join("data/postmaster.pid");
    let orphan = fs::read_to_string(&pid_path).unwrap();
    for process in processes_of(&directory) {
        if process.contains("payout-postgres") {
            kill(process.split(' ').next().unwrap());
        }
    }
    wait_until(&directory, || is_supervisor_gone(&directory));
    let next = Cluster::open(ClusterOptions::durable(&directory)).unwrap();
    assert!(next.started_here());
    assert_ne!(fs::read_to_string(&pid_path).unwrap().lines().next(), orphan.lines().next());
    drop((cluster, next));
    assert_ended(&directory);
}

#[test]
fn missing_programs_are_reported_with_install_commands() {
    hold_in_other_process();
    let (_folder, directory) = fresh_folder();
    let output = another_command(&directory).env("PG_BINDIR", "/nowhere").output().unwrap();
    let message = String::from_utf8_lossy(&output.stdout);
    for part in [
        "PG_BINDIR: no initdb and postgres",
        "apt-get install",
        "dnf install",
        "apk add",
        "brew install",
    ] {
        assert!(message.contains(part), "{part} in {message}");
    }
}

#[test]
fn path_too_long_for_a_socket_gets_a_short_one_elsewhere() {
    let (folder, _) = fresh_folder();
    let directory = folder.path().join("long".repeat(30));
    let cluster = Cluster::open(ClusterOptions::disposable(&directory)).unwrap();
    assert_eq!(query(&cluster, "SELECT 6").unwrap(), 6);
    assert!(!cluster.url("postgres", "postgres").contains("longlong"));
    cluster.stop().unwrap();
    assert_ended(&directory);
}

#[test]
fn folder_of_somebody_else_is_rejected() {
    let (folder, directory) = fresh_folder();
    symlink(folder.path(), &directory).unwrap();
    // Only root can change a folder's owner; for other users /usr belongs to another account.
    let foreign = folder.path().join("foreign");
    fs::create_dir(&foreign).unwrap();
    let foreign = match chown(&foreign, Some(54_321), None) {
        Ok(()) => foreign,
        Err(_) => "/usr".into(),
    };
    for folder in [directory, foreign] {
        let error = Cluster::open(ClusterOptions::durable(folder)).unwrap_err();
        assert!(error.to_string().contains("not a folder of ours"), "{error}");
    }
}

#[test]
fn server_that_cannot_start_is_reported_with_the_end_of_its_log() {
    let (_folder, directory) = fresh_folder();
    Cluster::open(ClusterOptions::durable(&directory)).unwrap().stop().unwrap();
    let settings = directory.join("data/postgresql.conf");
    let broken = fs::read_to_string(&settings).unwrap() + "\nno_such_setting = 1\n";
    fs::write(&settings, broken).unwrap();
    let error = Cluster::open(ClusterOptions::durable(&directory)).unwrap_err();
    assert!(error.to_string().contains("no_such_setting"), "{error}");
    assert_ended(&directory);
}
