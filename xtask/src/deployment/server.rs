//! payout-server's commands, and `serve` as a process that ends with this one. Settings of the
//! shell's environment do not apply.

use std::{
    collections::BTreeMap,
    ffi::OsStr,
    fs::{self, File},
    io::{self, BufRead as _, BufReader},
    net::SocketAddr,
    os::unix::process::CommandExt as _,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use payout_database::DatabaseUrls;

use super::failed;
use crate::{Result, environment::remove_variables, program::output};

/// Prefixes of variables that would change the server's settings.
const SETTINGS: [&str; 4] = ["PAYOUT_", "DATABASE_", "RUST_LOG", "PG"];
/// Raised for loads from one address; a variable, because older builds do not have the flag.
const CONNECTIONS: (&str, &str) = ("PAYOUT_CONNECTIONS_PER_ADDRESS", "2000");
/// Runs the server until standard input ends, as it does when this process ends. Its output is
/// closed by the server, not by the shell.
const KEEPER: &str = r#"
exec 3<&0
"$@" </dev/null 3<&- &
server=$!
exec >&-
read -r _ <&3
kill "$server"
wait "$server"
"#;
const LOG_TAIL_LINES: usize = 20;

/// The programs, and the database and folder that their commands use.
#[derive(Clone, Debug)]
pub(crate) struct Installation {
    pub(crate) server: PathBuf,
    /// `payout-devdata`, which fills the database.
    pub(crate) devdata: PathBuf,
    pub(crate) folder: PathBuf,
    pub(crate) urls: DatabaseUrls,
}

impl Installation {
    /// Creates the schema and fills it with a command of `payout-devdata` that writes keys; returns
    /// these by the names of their variables, `PAYOUT_KEY_<ORGANISATION>_<KEY>`.
    pub(crate) fn fill(&self, command: &[&str]) -> Result<BTreeMap<String, String>> {
        output(self.prepare(Command::new(&self.server).arg("migrate")))?;
        let path = self.folder.join("keys.env");
        self.devdata(&[command, &["--keys-file", &path.to_string_lossy()]].concat())?;
        let keys = fs::read_to_string(&path).map_err(failed("read the keys"))?;
        let lines = keys.lines().filter(|line| !line.starts_with('#'));
        let keys = lines.filter_map(|line| line.split_once('='));
        Ok(keys.map(|(name, key)| (name.to_owned(), key.to_owned())).collect())
    }

    /// Runs a command of `payout-devdata`, and shows its progress.
    pub(crate) fn devdata(&self, arguments: &[&str]) -> Result<()> {
        let mut command = Command::new(&self.devdata);
        output(self.prepare(command.args(arguments)).stderr(Stdio::inherit())).map(drop)
    }

    /// Starts `serve` with additional flags, and waits until it listens.
    pub(crate) fn serve(&self, flags: &[&str]) -> Result<Server> {
        let flags = [&["--lame-duck-seconds", "0"], flags].concat();
        self.serve_on("127.0.0.1:0", "127.0.0.1:0", &self.folder.join("server.log"), &flags)
    }

    /// Starts `serve` on these addresses, which writes this log, and waits until it listens.
    pub(crate) fn serve_on(
        &self,
        listen: &str,
        health: &str,
        log: &Path,
        flags: &[&str],
    ) -> Result<Server> {
        let mut command = Server::command(&self.server);
        command.args(["serve", "--listen", listen, "--health-listen", health]).args(flags);
        self.prepare(&mut command).env(CONNECTIONS.0, CONNECTIONS.1);
        Server::start(command, log)
    }

    /// Sets the same environment for every command.
    pub(crate) fn prepare<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        remove_variables(command, &SETTINGS);
        command
            .env("DATABASE_URL", &self.urls.app)
            .env("DATABASE_OWNER_URL", &self.urls.owner)
            .env("PAYOUT_DATA_DIR", &self.folder)
            .stdin(Stdio::null())
    }
}

/// The server's process, and the shell that stops it.
#[derive(Debug)]
pub(crate) struct Server {
    keeper: Child,
    address: SocketAddr,
    health: SocketAddr,
}

impl Server {
    /// The command for [`Self::start`]; the caller adds arguments and environment.
    pub(crate) fn command(program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", KEEPER, "keeper"]).arg(program);
        command
    }

    /// Starts a program that prints its address, and waits until it does.
    pub(crate) fn start(mut command: Command, log_path: &Path) -> Result<Self> {
        let log = File::create(log_path).map_err(failed("write the server's log"))?;
        // In its own process group: Ctrl-C reaches only us, and we stop the rest in order.
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(log).process_group(0);
        let mut keeper = command.spawn().map_err(failed("start a shell"))?;
        let output = keeper.stdout.take().expect("it is piped");
        let none = SocketAddr::from(([127, 0, 0, 1], 0));
        let mut server = Self { keeper, address: none, health: none };
        let lines = BufReader::new(output).lines().map_while(io::Result::ok);
        // Of the API, of the documentation, and of the health port; older builds have no third.
        let mut addresses = lines.take(3).filter_map(|line| parse_address(&line));
        server.address = addresses.next().ok_or_else(|| {
            let log = fs::read_to_string(log_path).unwrap_or_default();
            let end = last_lines(&log, LOG_TAIL_LINES);
            format!("the server did not start; the end of its log:\n{end}")
        })?;
        server.health = addresses.last().unwrap_or(none);
        Ok(server)
    }

    pub(crate) fn health(&self) -> SocketAddr {
        self.health
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn keeper(&self) -> u32 {
        self.keeper.id()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The shell stops the server at the end of its input.
        drop(self.keeper.stdin.take());
        if let Err(error) = self.keeper.wait() {
            anstream::eprintln!("the server could not be waited for: {error}");
        }
    }
}

/// `API   http://127.0.0.1:41234/api/v1`.
fn parse_address(line: &str) -> Option<SocketAddr> {
    let (_, address) = line.split_once("http://")?;
    address.trim_end().split('/').next()?.parse().ok()
}

pub(crate) fn last_lines(text: &str, count: usize) -> String {
    let lines: Vec<&str> = text.trim_end().lines().collect();
    lines[lines.len().saturating_sub(count)..].join("\n")
}
