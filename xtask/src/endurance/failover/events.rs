//! What happens to the cluster while it is under load, and how it is undone.

use std::time::Duration;

use rustix::process::Signal;

use super::{cluster::Cluster, node::Part};
use crate::Result;

/// An event. `begin` and `end` get the cluster and the name of the node that it happens to.
pub(super) struct Event {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    pub(super) at: Role,
    begin: fn(&mut Cluster, usize) -> Result<()>,
    /// The time after which it is undone.
    pub(super) lasts: Duration,
    end: fn(&mut Cluster, usize) -> Result<()>,
}

/// The node that an event happens to, by what it is when the event begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Primary,
    Standby,
}

impl Event {
    pub(super) fn begin(&self, cluster: &mut Cluster, node: usize) -> Result<()> {
        (self.begin)(cluster, node)
    }

    pub(super) fn end(&self, cluster: &mut Cluster, node: usize) -> Result<()> {
        (self.end)(cluster, node)
    }
}

pub(super) const EVENTS: [Event; 12] = [
    Event {
        name: "nothing",
        about: "no event: what the load does by itself",
        at: Role::Primary,
        begin: nothing,
        lasts: Duration::ZERO,
        end: nothing,
    },
    Event {
        name: "kill",
        about: "kill -9 of the primary's PostgreSQL; Patroni starts it there again",
        at: Role::Primary,
        begin: |cluster, node| cluster.nodes[node].signal(Part::Postmaster, Signal::KILL),
        lasts: Duration::ZERO,
        end: nothing,
    },
    Event {
        name: "machine-gone",
        about: "kill -9 of everything on the primary; after 20 s it starts again",
        at: Role::Primary,
        begin: kill_everything,
        lasts: Duration::from_secs(20),
        end: |cluster, node| cluster.nodes[node].start(),
    },
    Event {
        name: "freeze",
        about: "SIGSTOP to PostgreSQL and Patroni of the primary, SIGCONT after 20 s",
        at: Role::Primary,
        begin: |cluster, node| cluster.nodes[node].signal(Part::Everything, Signal::STOP),
        lasts: Duration::from_secs(20),
        end: wake,
    },
    Event {
        name: "freeze-postgres",
        about: "SIGSTOP to PostgreSQL of the primary alone, SIGCONT after 20 s",
        at: Role::Primary,
        begin: |cluster, node| cluster.nodes[node].signal(Part::Postgres, Signal::STOP),
        lasts: Duration::from_secs(20),
        end: wake,
    },
    Event {
        name: "freeze-patroni",
        about: "SIGSTOP to Patroni of the primary alone, SIGCONT after 25 s: for 10 s there are \
                two primaries",
        at: Role::Primary,
        begin: |cluster, node| cluster.nodes[node].signal(Part::Patroni, Signal::STOP),
        lasts: Duration::from_secs(25),
        end: wake,
    },
    Event {
        name: "cut-primary",
        about: "the primary's network is cut for 30 s",
        at: Role::Primary,
        begin: cut,
        lasts: Duration::from_secs(30),
        end: mend,
    },
    Event {
        name: "cut-standby",
        about: "the standby's network is cut for 30 s",
        at: Role::Standby,
        begin: cut,
        lasts: Duration::from_secs(30),
        end: mend,
    },
    Event {
        name: "standby-gone",
        about: "kill -9 of everything on the standby; after 20 s it starts again",
        at: Role::Standby,
        begin: kill_everything,
        lasts: Duration::from_secs(20),
        end: |cluster, node| cluster.nodes[node].start(),
    },
    Event {
        name: "freeze-standby",
        about: "SIGSTOP to PostgreSQL and Patroni of the standby, SIGCONT after 35 s",
        at: Role::Standby,
        begin: |cluster, node| cluster.nodes[node].signal(Part::Everything, Signal::STOP),
        lasts: Duration::from_secs(35),
        end: wake,
    },
    Event {
        name: "switchover",
        about: "patronictl switchover to the standby",
        at: Role::Primary,
        begin: |cluster, node| cluster.begin_switchover(node),
        lasts: Duration::from_secs(10),
        end: |cluster, _| cluster.end_switchover(),
    },
    Event {
        name: "haproxy",
        about: "haproxy is killed, and starts again after 1.5 s",
        at: Role::Primary,
        begin: |cluster, _| cluster.stop_proxy(),
        lasts: Duration::from_millis(1_500),
        end: |cluster, _| cluster.start_proxy(),
    },
];

fn nothing(_: &mut Cluster, _: usize) -> Result<()> {
    Ok(())
}

fn kill_everything(cluster: &mut Cluster, node: usize) -> Result<()> {
    cluster.nodes[node].signal(Part::Everything, Signal::KILL)
}

fn wake(cluster: &mut Cluster, node: usize) -> Result<()> {
    cluster.nodes[node].signal(Part::Everything, Signal::CONT)
}

fn cut(cluster: &mut Cluster, node: usize) -> Result<()> {
    cluster.nodes[node].connect(false)
}

fn mend(cluster: &mut Cluster, node: usize) -> Result<()> {
    cluster.nodes[node].connect(true)
}
