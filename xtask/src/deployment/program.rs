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

/// Settings of the server in the environment: those of the person who runs the bench must not change a figure.
const SETTINGS: [&str; 4] = ["PAYOUT_", "DATABASE_", "RUST_LOG", "PG"];
/// Runs the server until standard input ends, which it does with us. Its output ends with the server, not with the shell.
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
/// A limit for strangers, that a bench on one machine must not meet. It is named where `serve` knows it.
const CONNECTIONS_FLAG: &str = "--connections-per-address";
const CONNECTIONS: &str = "2000";

/// What the server's commands need.
pub(crate) struct Place<'a> {
    pub(crate) program: &'a Path,
    pub(crate) folder: &'a Path,
    pub(crate) urls: &'a DatabaseUrls,
}

impl Place<'_> {
    /// Runs a command to its end.
    pub(crate) fn run(&self, arguments: &[&str]) -> Result<(), DeploymentError> {
        let mut command = Command::new(self.program);
        let output = self.prepare(command.args(arguments)).output();
        let output = output.map_err(failed("start payout-server"))?;
        if output.status.success() {
            return Ok(());
        }
        Err(DeploymentError::Command {
            command: arguments[0].to_owned(),
            output: String::from_utf8_lossy(&output.stderr)
                .trim_end()
                .to_owned(),
        })
    }

    /// Starts `serve` with these flags and variables besides, and waits until it answers.
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
        // A group of its own, so that Ctrl-C reaches us alone, and we end the rest in order.
        self.prepare(&mut command)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(log)
            .process_group(0);
        let mut keeper = command.spawn().map_err(failed("start a shell"))?;
        let mut told = String::new();
        let output = keeper.stdout.take().expect("it is piped");
        let read = BufReader::new(output).read_line(&mut told);
        let address = read.ok().and_then(|_| parse_address(&told));
        let mut server = Server {
            keeper,
            address: SocketAddr::from(([127, 0, 0, 1], 0)),
        };
        let Some(address) = address else {
            drop(server);
            return Err(DeploymentError::Server(tail(&log_path)));
        };
        server.address = address;
        Ok(server)
    }

    /// Whether `serve` has this flag.
    fn knows(&self, flag: &str) -> Result<bool, DeploymentError> {
        let mut command = Command::new(self.program);
        let output = self.prepare(command.args(["serve", "--help"])).output();
        let output = output.map_err(failed("start payout-server"))?;
        Ok(String::from_utf8_lossy(&output.stdout).contains(flag))
    }

    /// The same surroundings for every command, whatever this shell has set.
    fn prepare<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        for (name, _) in env::vars_os() {
            let bytes = name.as_encoded_bytes();
            let is_setting = SETTINGS
                .iter()
                .any(|prefix| bytes.starts_with(prefix.as_bytes()));
            // PG_BINDIR says which PostgreSQL is run; it changes no connection.
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

/// The server's process, below the shell that ends it.
#[derive(Debug)]
pub(crate) struct Server {
    keeper: Child,
    address: SocketAddr,
}

impl Server {
    /// Where the API answers.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// The process below which the server is.
    pub(crate) fn keeper(&self) -> u32 {
        self.keeper.id()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // End of file tells the keeper to end the server.
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
    fn address_is_what_the_server_says() {
        let address = parse_address("API   http://127.0.0.1:41234/api/v1\n");
        assert_eq!(address, Some(SocketAddr::from(([127, 0, 0, 1], 41_234))));
        assert_eq!(parse_address(""), None);
    }
}
