//! payout-server's commands, and `serve` as a process that ends with this one. Settings of the
//! shell's environment do not apply.

use std::{
    env, fs,
    fs::File,
    io::{BufRead as _, BufReader},
    net::SocketAddr,
    os::unix::process::CommandExt as _,
    path::Path,
    process::{Child, Command, Stdio},
};

use payout_database::DatabaseUrls;

use super::error::{DeploymentError, failed};

/// Prefixes of variables that would change the server's settings.
const SETTINGS: [&str; 4] = ["PAYOUT_", "DATABASE_", "RUST_LOG", "PG"];
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
/// Raised for loads from one address; older builds do not have the flag.
const CONNECTIONS_FLAG: &str = "--connections-per-address";
const CONNECTIONS: &str = "2000";

/// What the commands of both programs need.
pub(crate) struct Place<'a> {
    pub(crate) program: &'a Path,
    /// `payout-devdata`, which fills the database.
    pub(crate) devdata: &'a Path,
    pub(crate) folder: &'a Path,
    pub(crate) urls: &'a DatabaseUrls,
}

impl Place<'_> {
    /// Runs a command of `payout-server` and waits for it.
    pub(crate) fn run(&self, arguments: &[&str]) -> Result<(), DeploymentError> {
        self.run_program(self.program, arguments)
    }

    /// Runs a command of `payout-devdata` and waits for it.
    pub(crate) fn run_devdata(&self, arguments: &[&str]) -> Result<(), DeploymentError> {
        self.run_program(self.devdata, arguments)
    }

    fn run_program(&self, program: &Path, arguments: &[&str]) -> Result<(), DeploymentError> {
        let mut command = Command::new(program);
        let output = self.prepare(command.args(arguments)).output();
        let output = output.map_err(failed("start a program"))?;
        if output.status.success() {
            return Ok(());
        }
        let name = program.file_name().unwrap_or_default().to_string_lossy();
        Err(DeploymentError::Command {
            command: format!("{name} {}", arguments[0]),
            output: String::from_utf8_lossy(&output.stderr).trim_end().to_owned(),
        })
    }

    /// Starts `serve` with additional flags and variables, and waits until it listens.
    pub(crate) fn serve(
        &self,
        flags: &[&str],
        environment: &[(&str, &str)],
    ) -> Result<Server, DeploymentError> {
        let log_path = self.folder.join("server.log");
        let log = File::create(&log_path).map_err(failed("write the server's log"))?;
        let mut command = Command::new("sh");
        command.args(["-c", KEEPER, "keeper"]).arg(self.program);
        command.args(["serve", "--listen", "127.0.0.1:0"]);
        command.args(flags);
        if self.knows(CONNECTIONS_FLAG)? {
            command.args([CONNECTIONS_FLAG, CONNECTIONS]);
        }
        command.envs(environment.iter().copied());
        // In its own process group: Ctrl-C reaches only us, and we stop the rest in order.
        self.prepare(&mut command)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(log)
            .process_group(0);
        let mut keeper = command.spawn().map_err(failed("start a shell"))?;
        let mut line = String::new();
        let output = keeper.stdout.take().expect("it is piped");
        let read = BufReader::new(output).read_line(&mut line);
        let address = read.ok().and_then(|_| parse_address(&line));
        let mut server = Server { keeper, address: SocketAddr::from(([127, 0, 0, 1], 0)) };
        let Some(address) = address else {
            drop(server);
            return Err(DeploymentError::Server(tail(&log_path)));
        };
        server.address = address;
        Ok(server)
    }

    fn knows(&self, flag: &str) -> Result<bool, DeploymentError> {
        let mut command = Command::new(self.program);
        let output = self.prepare(command.args(["serve", "--help"])).output();
        let output = output.map_err(failed("start payout-server"))?;
        Ok(String::from_utf8_lossy(&output.stdout).contains(flag))
    }

    /// Sets the same environment for every command.
    fn prepare<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        for (name, _) in env::vars_os() {
            let bytes = name.as_encoded_bytes();
            let is_setting = SETTINGS.iter().any(|prefix| bytes.starts_with(prefix.as_bytes()));
            // PG_BINDIR selects the PostgreSQL installation.
            if is_setting && name != "PG_BINDIR" {
                command.env_remove(name);
            }
        }
        command
            .env("DATABASE_URL", &self.urls.app)
            .env("DATABASE_OWNER_URL", &self.urls.owner)
            .env("PAYOUT_DATA_DIR", self.folder)
            .stdin(Stdio::null())
    }
}

/// The server's process, and the shell that stops it.
#[derive(Debug)]
pub(crate) struct Server {
    keeper: Child,
    address: SocketAddr,
}

impl Server {
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
            eprintln!("the server could not be waited for: {error}");
        }
    }
}

/// `API   http://127.0.0.1:41234/api/v1`.
fn parse_address(line: &str) -> Option<SocketAddr> {
    let (_, address) = line.split_once("http://")?;
    address.split('/').next()?.parse().ok()
}

fn tail(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(LOG_TAIL_LINES)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_is_parsed_from_the_servers_output() {
        let address = parse_address("API   http://127.0.0.1:41234/api/v1\n");
        assert_eq!(address, Some(SocketAddr::from(([127, 0, 0, 1], 41_234))));
        assert_eq!(parse_address(""), None);
    }
}
