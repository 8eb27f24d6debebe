//! `cargo xtask endurance failover`: the rehearsal of failovers. A load over two servers goes on
//! while the database's machines are killed, frozen and cut off, and every response is compared
//! with the database afterwards.

mod cluster;
mod enter;
mod events;
mod node;
mod report;
mod rounds;

use std::{
    fs,
    path::{Path, PathBuf},
};

use clap::{
    builder::{PossibleValue, PossibleValuesParser},
    value_parser,
};

pub(crate) use self::enter::check as can_run;
use self::events::EVENTS;
use super::{Profile, progress};
use crate::{Result, program::build};

#[derive(Clone, Debug, clap::Args)]
pub(super) struct Options {
    /// Only this event; repeatable [default: all]
    #[arg(long = "event", value_name = "EVENT", value_parser = names())]
    events: Vec<String>,
    /// Rounds of each event, of about a minute each
    #[arg(long, default_value_t = 1, value_parser = value_parser!(u32).range(1..=1_000))]
    rounds: u32,
    /// Operations a second
    #[arg(long, default_value_t = 200, value_parser = value_parser!(u32).range(1..=100_000))]
    rate: u32,
    /// Seed of the operations
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The build of the servers
    #[arg(long, value_enum, default_value_t)]
    profile: Profile,
    /// Programs that are built already; given where the command runs itself in its namespaces
    #[arg(long, hide = true, num_args = 2, value_names = ["SERVER", "DEVDATA"])]
    inside: Option<Vec<PathBuf>>,
}

fn names() -> PossibleValuesParser {
    EVENTS.map(|event| PossibleValue::new(event.name).help(event.about)).into()
}

/// Rehearses the chosen events; `false` where something was lost, doubled, stale or answered
/// otherwise than with 200, 201 or 503.
pub(super) fn run(root: &Path, options: &Options) -> Result<bool> {
    let logs = root.join("target/endurance/failover");
    if let Some([server, devdata]) = options.inside.as_deref() {
        return rounds::run((server, devdata), &logs, options);
    }
    enter::check()?;
    progress("building the server (some minutes the first time)");
    let server = build(root, options.profile.arguments(), "--bin", "payout-server")?;
    let devdata = build(root, options.profile.arguments(), "--bin", "payout-devdata")?;
    if logs.exists() {
        fs::remove_dir_all(&logs)?;
    }
    fs::create_dir_all(&logs)?;
    enter::run(&[Path::new("--inside"), &server, &devdata])
}
