//! haproxy with the configuration that operators get, `server/packaging/haproxy/payout-cells.cfg`:
//! only its addresses are replaced. It ends with this process, also when that is killed.

use std::{
    fs, io,
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    os::unix::process::CommandExt as _,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

const CONFIGURATION: &str = include_str!("../../packaging/haproxy/payout-cells.cfg");
const MAP: &str = "/etc/haproxy/payout-moved.map";
const LISTEN: &str = "192.0.2.10:8080";
/// Runs it until standard input ends. The master process writes its id, and gets the signals.
const KEEPER: &str = r#"
exec 3<&0
haproxy -W -p "$1" -f "$2" </dev/null 3<&- &
read -r _ <&3
kill $!
wait $!
"#;
const POLL_INTERVAL: Duration = Duration::from_millis(10);
const TIMEOUT: Duration = Duration::from_secs(30);

/// A cell in the configuration: its host, an address of this machine in its place, and its servers.
pub(crate) struct ProxiedCell {
    pub(crate) name: &'static str,
    pub(crate) host: Ipv4Addr,
    pub(crate) servers: [ProxiedServer; 2],
}

#[derive(Clone, Copy)]
pub(crate) struct ProxiedServer {
    pub(crate) address: SocketAddr,
    pub(crate) health: SocketAddr,
}

/// A running haproxy; dropping it stops it.
#[derive(Debug)]
pub(crate) struct Haproxy {
    keeper: Child,
    folder: PathBuf,
    address: SocketAddr,
}

impl Haproxy {
    pub(crate) fn is_installed() -> bool {
        let version = Command::new("haproxy").arg("-v").stdout(Stdio::null()).status();
        version.is_ok_and(|status| status.success())
    }

    /// Takes a port that is free on every address of this machine.
    pub(crate) fn free_port() -> io::Result<u16> {
        Ok(TcpListener::bind((Ipv4Addr::UNSPECIFIED, 0))?.local_addr()?.port())
    }

    /// Starts it in a folder of its own, and waits until it listens.
    pub(crate) fn start(folder: &Path, port: u16, cells: &[ProxiedCell]) -> io::Result<Self> {
        let folder = folder.join("haproxy");
        fs::create_dir(&folder)?;
        let map = folder.join("payout-moved.map");
        fs::write(&map, "")?;
        let binds = cells.iter().map(|cell| format!(",{}:{port}", cell.host)).collect::<String>();
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let mut configuration = replaced(CONFIGURATION, MAP, &map.to_string_lossy());
        configuration = replaced(&configuration, LISTEN, &format!("{address}{binds}"));
        for (number, cell) in (1..).zip(cells) {
            let host = format!("{}.payout.example", cell.name);
            configuration = replaced(&configuration, &host, &cell.host.to_string());
            for (index, server) in (1..).zip(&cell.servers) {
                let ProxiedServer { address, health } = server;
                let from = format!("10.0.{number}.{index}:8080 check port 8081");
                let to = format!("{address} check port {}", health.port());
                configuration = replaced(&configuration, &from, &to);
            }
        }
        let file = folder.join("haproxy.cfg");
        fs::write(&file, configuration)?;
        let log = fs::File::create(folder.join("log"))?;
        let keeper = Command::new("sh")
            .args(["-c", KEEPER, "keeper"])
            .args([&folder.join("pid"), &file])
            .stdin(Stdio::piped())
            .stdout(log.try_clone()?)
            .stderr(log)
            // Ctrl-C reaches only us.
            .process_group(0)
            .spawn()?;
        let started = Self { keeper, folder, address };
        started.until("haproxy listens", || TcpStream::connect(address).is_ok());
        Ok(started)
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Everything that it has logged, a line for each request.
    pub(crate) fn log(&self) -> String {
        fs::read_to_string(self.folder.join("log")).unwrap_or_default()
    }

    /// Replaces the map of what has moved, and reloads as `systemctl reload haproxy` does. Returns
    /// when a new worker is ready; the old one serves its connections to their end.
    pub(crate) fn move_keys(&self, map: &str) -> io::Result<()> {
        const READY: &str = "Loading success.";
        fs::write(self.folder.join("payout-moved.map"), map)?;
        let loaded = || self.log().matches(READY).count();
        let before = loaded();
        let master = fs::read_to_string(self.folder.join("pid"))?;
        Command::new("kill").args(["-USR2", master.trim()]).status()?;
        self.until("haproxy has read the map", || loaded() > before);
        Ok(())
    }

    fn until(&self, what: &str, holds: impl Fn() -> bool) {
        let begun = Instant::now();
        while !holds() {
            assert!(begun.elapsed() < TIMEOUT, "not within {TIMEOUT:?}: {what}:\n{}", self.log());
            thread::sleep(POLL_INTERVAL);
        }
    }
}

impl Drop for Haproxy {
    fn drop(&mut self) {
        drop(self.keeper.stdin.take());
        let _ = self.keeper.wait();
    }
}

/// Replaces each occurrence of what the configuration must have.
fn replaced(configuration: &str, from: &str, to: &str) -> String {
    assert!(configuration.contains(from), "payout-cells.cfg has no {from}");
    configuration.replace(from, to)
}
