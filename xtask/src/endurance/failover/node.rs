//! A machine of the rehearsal: a network namespace in which Patroni and its PostgreSQL run.

use std::{
    fs::{self, File},
    net::Ipv4Addr,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use rustix::process::{Pid, Signal, kill_process};

use crate::{Result, program::output};

/// Processes of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Patroni,
    Postgres,
    /// PostgreSQL's first process alone.
    Postmaster,
    Everything,
}

#[derive(Debug)]
pub(super) struct Node {
    /// The name of its namespace, and of Patroni's member.
    pub(super) name: &'static str,
    pub(super) address: Ipv4Addr,
    folder: PathBuf,
    log: File,
    patroni: Option<Child>,
}

impl Node {
    /// A node with a new folder, which has Patroni's settings and belongs to the user postgres.
    pub(super) fn new(
        (name, address): (&'static str, Ipv4Addr),
        settings: &str,
        folder: PathBuf,
        log: File,
    ) -> Result<Self> {
        let mut make = Command::new("install");
        output(make.args(["--directory", "--owner=postgres", "--group=postgres"]).arg(&folder))?;
        fs::write(folder.join("patroni.yml"), settings)?;
        Ok(Self { name, address, folder, log, patroni: None })
    }

    /// Starts Patroni, which starts PostgreSQL.
    pub(super) fn start(&mut self) -> Result<()> {
        if let Some(mut killed) = self.patroni.take() {
            killed.wait()?;
        }
        let mut command = self.inside("setpriv");
        command
            .args(["--reuid", "postgres", "--regid", "postgres", "--clear-groups", "patroni"])
            .arg(self.settings())
            .env("LC_ALL", "C")
            .current_dir("/")
            .stdin(Stdio::null())
            .stdout(self.log.try_clone()?)
            .stderr(self.log.try_clone()?);
        self.patroni = Some(command.spawn()?);
        Ok(())
    }

    pub(super) fn settings(&self) -> PathBuf {
        self.folder.join("patroni.yml")
    }

    /// A command in the node's network.
    pub(super) fn inside(&self, program: &str) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", self.name, program]);
        command
    }

    /// Sends a signal to processes of the node; an error where there is none.
    pub(super) fn signal(&self, part: Part, signal: Signal) -> Result<()> {
        let processes = self.processes(part)?;
        if processes.is_empty() {
            return Err(format!("node {} has no process of {part:?}", self.name).into());
        }
        for process in processes {
            // One that ended since it was listed needs no signal.
            let _ = kill_process(process, signal);
        }
        Ok(())
    }

    /// Takes the node's cable out of the switch, or puts it back.
    pub(super) fn connect(&self, is_connected: bool) -> Result<()> {
        let (port, state) =
            (format!("port-{}", self.name), if is_connected { "up" } else { "down" });
        output(Command::new("ip").args(["link", "set", &port, state])).map(drop)
    }

    fn processes(&self, part: Part) -> Result<Vec<Pid>> {
        if part == Part::Postmaster {
            let file = fs::read_to_string(self.folder.join("data/postmaster.pid"))?;
            let first = file.lines().next().and_then(|line| line.parse().ok());
            return Ok(first.and_then(Pid::from_raw).into_iter().collect());
        }
        let namespace = fs::metadata(Path::new("/run/netns").join(self.name))?.ino();
        let namespace = format!("net:[{namespace}]");
        let mut processes = Vec::new();
        for entry in fs::read_dir("/proc")? {
            let path = entry?.path();
            let number = path.file_name().and_then(|name| name.to_str()?.parse().ok());
            let Some(process) = number.and_then(Pid::from_raw) else { continue };
            // A process may end at any time.
            let Ok(its) = fs::read_link(path.join("ns/net")) else { continue };
            let name = fs::read_to_string(path.join("comm")).unwrap_or_default();
            let is_chosen = match part {
                Part::Postgres | Part::Postmaster => name.trim() == "postgres",
                Part::Patroni => name.trim() != "postgres",
                Part::Everything => true,
            };
            if its.as_os_str() == namespace.as_str() && is_chosen {
                processes.push(process);
            }
        }
        Ok(processes)
    }
}
