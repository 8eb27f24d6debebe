//! Two servers on one database behind haproxy, which stops to use a server whose `/readyz` is not
//! 200. Each can be replaced by another program on the same ports.

use std::{
    fs,
    net::{SocketAddr, TcpListener},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use tokio::{task::spawn_blocking, time::sleep};

use crate::{
    Result,
    deployment::{Installation, Server},
    http::{Client, request},
};

const HAPROXY: &str = include_str!("haproxy.cfg");
const START_LIMIT: Duration = Duration::from_secs(30);
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// haproxy asks every second; within this time it has seen a new state.
const NOTICED: Duration = Duration::from_secs(2);
/// A server drains for longer than haproxy needs to notice it, and waits where the machine is slow:
/// a 503 for that is none of the upgrade. The time limit for locks is the default.
const FLAGS: [&str; 6] =
    ["--lame-duck-seconds", "3", "--queue-milliseconds", "10000", "--acquire-seconds", "10"];

pub(super) struct Servers {
    slots: Vec<Slot>,
    pub(super) proxy: SocketAddr,
    haproxy: Child,
    logs: PathBuf,
}

/// The addresses of a server, and the server that has them now.
struct Slot {
    listen: SocketAddr,
    health: SocketAddr,
    server: Option<Server>,
}

impl Servers {
    /// Starts both with this program, and haproxy in front of them.
    pub(super) async fn start(installation: &Installation, logs: &Path) -> Result<Self> {
        let [proxy, first, first_health, second, second_health] = free_addresses()?;
        let slot = |(listen, health)| Slot { listen, health, server: None };
        let slots = [(first, first_health), (second, second_health)].map(slot);
        let settings = [
            ("proxy", proxy),
            ("first", first),
            ("first_health", first_health),
            ("second", second),
            ("second_health", second_health),
        ];
        let settings = settings.into_iter().fold(HAPROXY.to_owned(), |text, (name, address)| {
            text.replace(&format!("{{{name}}}"), &address.port().to_string())
        });
        let path = logs.join("haproxy.cfg");
        fs::write(&path, settings)?;
        let log = fs::File::create(logs.join("haproxy.log"))?;
        // It ends with this process.
        let haproxy = Command::new("setpriv")
            .args(["--pdeathsig", "TERM", "haproxy", "-f"])
            .arg(path)
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .spawn()?;
        let slots = slots.into_iter().collect();
        let mut servers = Self { slots, proxy, haproxy, logs: logs.to_owned() };
        for slot in 0..servers.slots.len() {
            servers.replace(slot, installation, "first").await?;
        }
        Ok(servers)
    }

    /// Stops a server as its service manager does, and starts another one in its place; ends when
    /// haproxy uses it.
    pub(super) async fn replace(
        &mut self,
        slot: usize,
        installation: &Installation,
        step: &str,
    ) -> Result<()> {
        let Slot { listen, health, server } = &mut self.slots[slot];
        let (listen, health, former) = (*listen, *health, server.take());
        let log = self.logs.join(format!("server-{slot}-{step}.log"));
        let installation = installation.clone();
        let started = spawn_blocking(move || {
            drop(former);
            installation.serve_on(&listen.to_string(), &health.to_string(), &log, &FLAGS)
        });
        self.slots[slot].server = Some(started.await??);
        let begun = Instant::now();
        while !is_ready(health).await.unwrap_or(false) {
            if begun.elapsed() > START_LIMIT {
                return Err(format!("server {slot} is not ready after {START_LIMIT:?}").into());
            }
            sleep(POLL_INTERVAL).await;
        }
        sleep(NOTICED).await;
        Ok(())
    }
}

impl Drop for Servers {
    fn drop(&mut self) {
        self.slots.clear();
        // It may have ended already.
        let _ = self.haproxy.kill();
        let _ = self.haproxy.wait();
    }
}

async fn is_ready(health: SocketAddr) -> Result<bool> {
    let mut client = Client::connect(health).await?;
    let (status, _) = client.exchange(&request(health, "GET", "/readyz", None)).await?;
    Ok(status == 200)
}

/// Addresses of ports that are free now.
fn free_addresses<const COUNT: usize>() -> Result<[SocketAddr; COUNT]> {
    let mut listeners = Vec::new();
    for _ in 0..COUNT {
        listeners.push(TcpListener::bind("127.0.0.1:0")?);
    }
    let mut addresses = [SocketAddr::from(([127, 0, 0, 1], 0)); COUNT];
    for (address, listener) in addresses.iter_mut().zip(&listeners) {
        *address = listener.local_addr()?;
    }
    Ok(addresses)
}
