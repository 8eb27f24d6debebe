//! PostgreSQL as it is operated: Patroni on two nodes over etcd, and haproxy in front of the
//! primary. Everything runs in the namespaces of this process and ends with them.

use std::{
    fs::{self, File},
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use payout_database::binaries::Binaries;
use serde_json::Value;
use sqlx::Connection as _;
use tokio::time::{sleep, timeout};

use super::node::Node;
use crate::{
    Result,
    endurance::rehearsal::connect,
    http::{Client, request},
    program::output,
};

/// The side of the switch on which etcd, haproxy, the servers and this process are.
const HERE: Ipv4Addr = Ipv4Addr::new(10, 48, 0, 254);
const NETWORK: &str = "10.48.0.0";
const NODES: [(&str, Ipv4Addr); 2] =
    [("a", Ipv4Addr::new(10, 48, 0, 1)), ("b", Ipv4Addr::new(10, 48, 0, 2))];
const ETCD_PORT: u16 = 2379;
/// The address at which `haproxy.cfg` listens.
const PROXY: &str = "127.0.0.1:5000";
const POLL_INTERVAL: Duration = Duration::from_millis(500);
const QUERY_LIMIT: Duration = Duration::from_secs(2);
/// Longer than the primary's lease, and a rewind of the former one.
const RECOVERY_LIMIT: Duration = Duration::from_secs(120);

const NETWORK_SCRIPT: &str = include_str!("settings/network.sh");
const PATRONI: &str = include_str!("settings/patroni.yml");
const ETCD: &str = include_str!("settings/etcd.yml");
const HAPROXY: &str = include_str!("settings/haproxy.cfg");

#[derive(Debug)]
pub(super) struct Cluster {
    pub(super) nodes: Vec<Node>,
    proxy: Option<Child>,
    switchover: Option<Child>,
    /// Holds settings and data.
    folder: PathBuf,
    logs: PathBuf,
}

impl Cluster {
    /// Makes the network, and starts everything on it. `folder` does not exist before: the network
    /// has an empty file system for it.
    pub(super) fn start(folder: &Path, logs: &Path) -> Result<Self> {
        let mut network = Command::new("sh");
        network.args(["-c", NETWORK_SCRIPT, "network.sh", &HERE.to_string()]);
        output(network.args(NODES.map(|(name, address)| format!("{name}={address}"))))?;
        fs::create_dir(folder)?;
        let mut cluster = Self {
            nodes: Vec::new(),
            proxy: None,
            switchover: None,
            folder: folder.to_owned(),
            logs: logs.to_owned(),
        };
        let here = HERE.to_string();
        let root = folder.to_string_lossy();
        let etcd = fill(ETCD, &[("folder", &root), ("address", &here)]);
        let settings = cluster.settings("etcd.yml", &etcd)?;
        cluster.spawn(Command::new("etcd").arg("--config-file").arg(settings), "etcd")?;
        let binaries = Binaries::find()?.directory;
        for (name, address) in NODES {
            let own = folder.join(name);
            let settings = fill(
                PATRONI,
                &[
                    ("name", name),
                    ("address", &address.to_string()),
                    ("network", NETWORK),
                    ("etcd", &here),
                    ("folder", &own.to_string_lossy()),
                    ("binaries", &binaries.to_string_lossy()),
                ],
            );
            let log = cluster.log(&format!("patroni-{name}"))?;
            let mut node = Node::new((name, address), &settings, own, log)?;
            node.start()?;
            cluster.nodes.push(node);
        }
        let [(_, a), (_, b)] = NODES;
        let haproxy = fill(HAPROXY, &[("a", &a.to_string()), ("b", &b.to_string())]);
        cluster.settings("haproxy.cfg", &haproxy)?;
        cluster.start_proxy()?;
        Ok(cluster)
    }

    pub(super) fn superuser_url(database: &str) -> String {
        format!("postgres://postgres@{PROXY}/{database}")
    }

    pub(super) fn start_proxy(&mut self) -> Result<()> {
        let settings = self.folder.join("haproxy.cfg");
        let started = self.spawn(Command::new("haproxy").arg("-f").arg(settings), "haproxy")?;
        self.proxy = Some(started);
        Ok(())
    }

    pub(super) fn stop_proxy(&mut self) -> Result<()> {
        if let Some(mut proxy) = self.proxy.take() {
            proxy.kill()?;
            proxy.wait()?;
        }
        Ok(())
    }

    /// Begins a switchover away from a node, without waiting: the load goes on.
    pub(super) fn begin_switchover(&mut self, primary: usize) -> Result<()> {
        let candidate = &self.nodes[1 - primary];
        let mut command = candidate.inside("patronictl");
        command.arg("--config-file").arg(candidate.settings());
        command.args(["switchover", "payout", "--leader", self.nodes[primary].name]);
        command.args(["--candidate", candidate.name, "--force"]);
        self.switchover = Some(self.spawn(&mut command, "patronictl")?);
        Ok(())
    }

    pub(super) fn end_switchover(&mut self) -> Result<()> {
        let Some(mut child) = self.switchover.take() else { return Ok(()) };
        if child.wait()?.success() {
            return Ok(());
        }
        let log = fs::read_to_string(self.logs.join("patronictl.log"))?;
        Err(format!("patronictl did not switch over:\n{log}").into())
    }

    /// Waits until the cluster has a primary and a synchronous standby that may take over; returns
    /// the index of the primary.
    pub(super) async fn settled(&self) -> Result<usize> {
        let begun = Instant::now();
        loop {
            let found = timeout(QUERY_LIMIT, self.primary()).await;
            if let Ok(Ok(Some(primary))) = found {
                return Ok(primary);
            }
            if begun.elapsed() > RECOVERY_LIMIT {
                return Err(format!(
                    "the cluster has no primary with a synchronous standby after {} s ({found:?}); \
                     the logs are in {}",
                    RECOVERY_LIMIT.as_secs(),
                    self.logs.display()
                )
                .into());
            }
            sleep(POLL_INTERVAL).await;
        }
    }

    /// The primary, where Patroni and PostgreSQL agree that its standby is synchronous.
    async fn primary(&self) -> Result<Option<usize>> {
        let mut etcd = Client::connect(SocketAddr::from((HERE, ETCD_PORT))).await?;
        let leader = etcd_value(&mut etcd, "leader").await?;
        let sync: Value = serde_json::from_str(&etcd_value(&mut etcd, "sync").await?)?;
        let index = |name: &str| self.nodes.iter().position(|node| node.name == name);
        let (primary, standby) = (index(&leader), sync["sync_standby"].as_str().and_then(index));
        let (Some(primary), Some(_)) = (primary, standby) else { return Ok(None) };
        let mut connection = connect(&Self::superuser_url("postgres")).await?;
        let state: (Option<String>, i64) =
            sqlx::query_as(include_str!("settings/state.sql")).fetch_one(&mut connection).await?;
        connection.close().await?;
        let is_settled = state == (Some(self.nodes[primary].address.to_string()), 1)
            && sync["leader"] == *leader;
        Ok(is_settled.then_some(primary))
    }

    fn settings(&self, name: &str, text: &str) -> Result<PathBuf> {
        let path = self.folder.join(name);
        fs::write(&path, text)?;
        Ok(path)
    }

    fn log(&self, name: &str) -> Result<File> {
        let path = self.logs.join(format!("{name}.log"));
        Ok(File::options().create(true).append(true).open(path)?)
    }

    fn spawn(&self, command: &mut Command, name: &str) -> Result<Child> {
        let log = self.log(name)?;
        command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        Ok(command.spawn().map_err(|error| format!("{name} cannot be started: {error}"))?)
    }
}

/// Returns the value that Patroni keeps under a key in etcd.
async fn etcd_value(etcd: &mut Client, key: &str) -> Result<String> {
    let path = format!("/v2/keys/service/payout/{key}");
    let address = SocketAddr::from((HERE, ETCD_PORT));
    let (_, body) = etcd.exchange(&request(address, "GET", &path, None)).await?;
    let body: Value = serde_json::from_slice(body)?;
    Ok(body["node"]["value"].as_str().unwrap_or_default().to_owned())
}

/// A template with values in place of `{name}`.
pub(super) fn fill(template: &str, values: &[(&str, &str)]) -> String {
    values.iter().fold(template.to_owned(), |text, (name, value)| {
        text.replace(&format!("{{{name}}}"), value)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_of_a_template_is_filled() {
        let values = ["name", "address", "network", "etcd", "folder", "binaries", "a", "b"];
        for template in [PATRONI, ETCD, HAPROXY] {
            let filled = fill(template, &values.map(|name| (name, "value")));
            assert!(!filled.contains(['{', '}']), "{filled}");
        }
    }
}
