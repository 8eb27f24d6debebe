//! The arguments of the command line. No argument takes a key, as anyone who lists processes would
//! see it.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::{
    baseline::{Compare, Comparing, Mode},
    faults,
    proxy::Fault,
    run::plan::Choice,
};

/// Tests whether a deployment conforms to the Partner and Commission Payout API, over HTTP.
#[derive(Debug, Parser)]
#[command(
    name = "payout-conformance",
    version,
    after_help = "Exit status: 0 every verdict was expected, 1 some verdict was not, 2 nothing was \
                  tested.\nA run that its budget or deadline stopped exits with 1, and so does a \
                  doctor that finds cases to skip, and a comparison that finds a \
                  difference.\nTo see a first report: cargo xtask conformance"
)]
pub(super) struct Arguments {
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Run the cases and write reports
    Run(Box<RunOptions>),
    /// Record what a deployment answers as a baseline, a folder of snapshots that later runs are
    /// compared with; changes nothing unless --changes is given
    Record(Box<super::record::RecordOptions>),
    /// Send the same requests to two deployments and compare the answers; changes nothing unless
    /// --changes is given, and exits with 1 if the answers differ
    Compare(Box<super::compare::CompareOptions>),
    /// Show what is known about a deployment, what a run would cost and which cases it would skip;
    /// exits with 1 if it would skip any
    Doctor(TargetOptions),
    /// Show which seeded faults this suite would notice at a deployment, with its keys, fixtures
    /// and budget; exits with 1 if it would miss any
    Prove(Box<super::prove::ProveOptions>),
    /// List the seeded faults of `prove`, and the variations that conform (`allowed-*`)
    Faults,
    /// Show changes that earlier runs did not finish or undo; exits with 1 if there are any
    Journal(JournalOptions),
    /// List the cases
    List(ListOptions),
    /// Show what a case proves, why that matters, what it needs and what it changes
    Explain {
        /// The case's id, as `list` prints it
        case: String,
    },
}

/// The deployment, and which cases may run.
#[derive(Clone, Debug, Args)]
pub(super) struct TargetOptions {
    /// The target file; conformance/targets/example.toml explains every field
    #[arg(long, value_name = "FILE")]
    pub(super) target: PathBuf,
    /// How long it may take: no wait lasts longer, and cases that do not start in time are skipped
    /// [default: ten times the estimate, at least 300]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) deadline: Option<u32>,
    /// Delay each request, as a slow connection does: `cargo xtask conformance --latency-ms`
    #[arg(long, hide = true, default_value_t = 0, value_name = "MILLISECONDS")]
    pub(super) latency_ms: u64,
    #[command(flatten)]
    pub(super) choice: Choice,
}

/// Options of a run.
#[derive(Clone, Debug, Args)]
pub(super) struct RunOptions {
    #[command(flatten)]
    pub(super) target: TargetOptions,
    /// Known failures and skips, in TOML
    #[arg(long, value_name = "FILE")]
    pub(super) expectations: Option<PathBuf>,
    #[command(flatten)]
    pub(super) journal: JournalFile,
    #[command(flatten)]
    pub(super) reports: Reports,
    /// Compare the answers with this baseline, a folder that `record` wrote
    #[arg(long, value_name = "FOLDER", conflicts_with = "snapshots")]
    pub(super) baseline: Option<PathBuf>,
    #[command(flatten)]
    pub(super) comparing: ComparingOptions,
    /// Run through a proxy that shows this fault, as `faults` lists them, or an allowed variation
    #[arg(long, value_name = "FAULT", value_parser = shown)]
    pub(super) through: Option<&'static Fault>,
    /// How to treat responses without a snapshot: ignore, report as error, or write for review
    #[arg(
        long,
        value_enum,
        default_value = "accepted",
        overrides_with = "snapshots",
        value_name = "MODE"
    )]
    pub(super) snapshots: Mode,
    /// Write the report as JUnit XML
    #[arg(long, value_name = "FILE")]
    pub(super) junit: Option<PathBuf>,
}

/// How answers are compared.
#[derive(Clone, Copy, Debug, Args)]
pub(super) struct ComparingOptions {
    /// What is compared
    #[arg(long, value_enum, default_value = "stable", value_name = "WHAT")]
    compare: Compare,
    /// Count additions as differences: headers, members and responses that are new
    #[arg(long)]
    strict: bool,
}

impl From<ComparingOptions> for Comparing {
    fn from(ComparingOptions { compare, strict }: ComparingOptions) -> Self {
        Self { compare, is_strict: strict }
    }
}

/// How often a deployment is recorded, and whether its data may change.
#[derive(Clone, Copy, Debug, Args)]
pub(super) struct Recordings {
    /// Record so many times: what differs between the recordings is left out of comparisons
    #[arg(long, default_value_t = 2, value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u8).range(1..=10))]
    pub(super) repeat: u8,
    /// Pause between two recordings, so that values of the clock differ
    #[arg(long, default_value_t = 60, value_name = "SECONDS")]
    pub(super) pause: u32,
    /// Also run cases that change data, as `run` does
    #[arg(long, conflicts_with = "read_only")]
    pub(super) changes: bool,
}

/// The journal of a run.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct JournalFile {
    /// Where each change is recorded before it is made [default: beside the target file, such as
    /// staging.journal.jsonl]
    #[arg(long, value_name = "FILE")]
    pub(super) journal: Option<PathBuf>,
}

/// Reports that a command writes.
#[derive(Clone, Debug, Args)]
pub(super) struct Reports {
    /// Write the report as JSON
    #[arg(long, value_name = "FILE")]
    pub(super) json: Option<PathBuf>,
    /// Write the report as one HTML page that works offline
    #[arg(long, value_name = "FILE")]
    pub(super) html: Option<PathBuf>,
}

fn shown(id: &str) -> Result<&'static Fault, String> {
    let unknown = || "there is no such fault; `payout-conformance faults` lists them".to_owned();
    faults::find_shown(id).ok_or_else(unknown)
}

/// Which journal, and whether to close its intents.
#[derive(Clone, Debug, Args)]
pub(super) struct JournalOptions {
    /// The target file whose journal to read
    #[arg(long, value_name = "FILE", required_unless_present = "journal")]
    pub(super) target: Option<PathBuf>,
    /// The journal itself
    #[arg(long, value_name = "FILE")]
    pub(super) journal: Option<PathBuf>,
    /// Close what is shown, after you checked the deployment and undid what was left
    #[arg(long)]
    pub(super) settle: bool,
}

#[derive(Clone, Debug, Args)]
pub(super) struct ListOptions {
    /// Only cases of this operation
    #[arg(long, value_name = "OPERATION")]
    pub(super) operation: Option<String>,
    /// Only cases that prove this requirement, such as §4.5 or R9
    #[arg(long, value_name = "REQUIREMENT")]
    pub(super) clause: Option<String>,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn arguments_are_consistent() {
        Arguments::command().debug_assert();
    }
}
