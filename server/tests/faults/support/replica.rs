//! One server process, `payout-server serve`: started, frozen, killed. Every setting is the default
//! or set by the scenario; the test's environment is not inherited.

use std::{
    fs::{self, File},
    io::{BufRead as _, BufReader},
    net::SocketAddr,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use crate::postgres::signal;

const LOG_TAIL_LINES: usize = 12;
/// Settings that the server would read from the environment.
const SETTINGS: [&str; 4] = ["PAYOUT_", "DATABASE_", "RUST_LOG", "PG"];

/// The command line of a server that is started repeatedly.
#[derive(Clone, Debug)]
pub struct Recipe {
    pub app_url: String,
    pub folder: PathBuf,
    pub flags: Vec<String>,
}

/// A running server, killed on drop.
#[derive(Debug)]
pub struct Replica {
    process: Child,
    address: SocketAddr,
    health: SocketAddr,
    log: PathBuf,
}

impl Replica {
    /// Starts one, and blocks until it responds; panics with the end of its log if it ends instead.
    pub fn start(recipe: &Recipe, name: &str) -> Self {
        let log = recipe.folder.join(format!("{name}.log"));
        let mut command = Command::new(env!("CARGO_BIN_EXE_payout-server"));
        for (name, _) in std::env::vars_os() {
            let bytes = name.as_encoded_bytes();
            if SETTINGS.iter().any(|prefix| bytes.starts_with(prefix.as_bytes())) {
                command.env_remove(name);
            }
        }
        let mut process = command
            .args(["serve", "--listen", "127.0.0.1:0", "--environment", "test"])
            .args(&recipe.flags)
            .env("DATABASE_URL", &recipe.app_url)
            .env("PAYOUT_DATA_DIR", &recipe.folder)
            .env("PAYOUT_HEALTH_LISTEN", "127.0.0.1:0")
            .env("PAYOUT_LAME_DUCK_SECONDS", "0")
            .env("RUST_LOG", "error")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            // A server that is started again continues the log of the one that was killed.
            .stderr(File::options().create(true).append(true).open(&log).unwrap())
            .spawn()
            .unwrap();
        let output = process.stdout.take().unwrap();
        let lines = BufReader::new(output).lines().map_while(Result::ok);
        // Those of the API, of the documentation and of the health port.
        let addresses: Vec<SocketAddr> = lines.take(3).filter_map(|line| address(&line)).collect();
        let [address, _, health] = addresses[..] else {
            panic!("the server did not start:\n{}", tail(&log))
        };
        Self { process, address, health, log }
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub fn health(&self) -> SocketAddr {
        self.health
    }

    /// SIGKILL: no destructor, no flush.
    pub fn kill(&mut self) {
        // An error means that it has already ended, which the load would have reported.
        let _ = self.process.kill();
        self.process.wait().unwrap();
    }

    /// SIGSTOP, until [`Replica::thaw`].
    pub fn freeze(&self) {
        signal("STOP", &[self.process.id()]);
    }

    /// SIGCONT.
    pub fn thaw(&self) {
        signal("CONT", &[self.process.id()]);
    }
}

impl Drop for Replica {
    fn drop(&mut self) {
        self.kill();
        if std::thread::panicking() {
            eprintln!("the end of {}:\n{}", self.log.display(), tail(&self.log));
        }
    }
}

/// `API   http://127.0.0.1:41234/api/v1`.
fn address(line: &str) -> Option<SocketAddr> {
    let (_, address) = line.split_once("http://")?;
    address.split('/').next()?.parse().ok()
}

fn tail(log: &Path) -> String {
    let text = fs::read_to_string(log).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(LOG_TAIL_LINES)..].join("\n")
}
