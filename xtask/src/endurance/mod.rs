//! `cargo xtask endurance`: runs the fault scenarios of `server/tests/faults` for minutes or hours,
//! longer than `cargo xtask test` does and with one seed after the other, then every fuzz target.
//! Its subcommands rehearse what operators go through: failovers and upgrades.

mod failover;
mod fuzz;
mod rehearsal;
mod scenarios;
mod upgrade;

use std::path::Path;

use clap::{Subcommand, ValueEnum};

pub(crate) use self::failover::can_run as failover_can_run;
use crate::{
    Result,
    program::{RELEASE, WHOLE},
};

#[derive(Clone, Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Options {
    #[command(flatten)]
    scenarios: scenarios::Scenarios,
    #[command(subcommand)]
    rehearsal: Option<Rehearsal>,
}

#[derive(Clone, Debug, Subcommand)]
enum Rehearsal {
    /// Kill, freeze and cut off the machines of a PostgreSQL under Patroni while two servers are
    /// under load; exit status 1 where something was lost, doubled, stale or not answered
    ///
    /// Needs Linux, root, etcd, Patroni, haproxy and iproute2. Everything runs in namespaces of its
    /// own, with data in memory, and ends with the command.
    Failover(failover::Options),
    /// Migrate under load, run an older version and this one side by side, and replace one after
    /// the other; exit status 1 for an error that a client sees, or a lost row
    Upgrade(upgrade::Options),
}

/// How the servers of a rehearsal are compiled.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Profile {
    #[default]
    Release,
    /// Quick to build, for rehearsals of the rehearsal
    Dev,
}

impl Profile {
    /// Arguments of cargo.
    fn arguments(self) -> &'static [&'static str] {
        match self {
            Self::Release => &RELEASE,
            Self::Dev => &WHOLE,
        }
    }
}

/// Runs the scenarios or a rehearsal; `false` where it has findings.
pub(crate) fn run(root: &Path, options: &Options) -> Result<bool> {
    match &options.rehearsal {
        None => scenarios::run(root, &options.scenarios),
        Some(Rehearsal::Failover(options)) => failover::run(root, options),
        Some(Rehearsal::Upgrade(options)) => upgrade::run(root, options),
    }
}

fn progress(message: &str) {
    anstream::eprintln!("endurance: {message}");
}
