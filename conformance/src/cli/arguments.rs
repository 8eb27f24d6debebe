//! What can be asked for on the command line.
//!
//! It refuses a key as an argument: whoever lists processes would see it.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::snapshot::Mode;

/// Judges a deployment of the Partner and Commission Payout API from outside, over HTTP.
#[derive(Debug, Parser)]
#[command(
    name = "payout-conformance",
    version,
    after_help = "Exit status: 0 everything ended as expected, 1 some case did not, 2 nothing was judged.\n\
                  A run that its budget stopped ends with 1, and so does a doctor who finds what would be skipped.\n\
                  A first report: cargo xtask conformance"
)]
pub(super) struct Arguments {
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Run the cases, and report
    Run(RunOptions),
    /// Tell, before a run, what was found of a deployment, what a run costs, and which cases would be skipped; exit status 1
    /// where some would be
    Doctor(TargetOptions),
    /// Tell what earlier runs were about to change when they were ended; exit status 1 where there is something
    Journal(JournalOptions),
    /// List the cases
    List(ListOptions),
    /// Tell all about one case: what it proves, why that matters, what it needs and changes
    Explain {
        /// The case's id, as `list` prints it
        case: String,
    },
}

/// Which deployment, and by what it is judged.
#[derive(Clone, Debug, Args)]
pub(super) struct TargetOptions {
    /// The target file; conformance/targets/example.toml explains every field
    #[arg(long, value_name = "FILE")]
    pub(super) target: PathBuf,
    /// Whether to judge by the decisions of this project too, or by the specification alone
    #[arg(long, value_enum, default_value = "on", value_name = "ON_OR_OFF")]
    pub(super) decisions: Decisions,
    /// Run no case that changes data
    #[arg(long)]
    pub(super) read_only: bool,
    /// Agree to what cannot be undone, such as a detach
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(super) consent: Option<Consent>,
    /// Run cases that wait for the end of a minute, too: up to a minute longer
    #[arg(long)]
    pub(super) patient: bool,
    /// Run only this case; may be given several times
    #[arg(long = "case", value_name = "ID")]
    pub(super) cases: Vec<String>,
}

/// How a run is made and reported.
#[derive(Clone, Debug, Args)]
pub(super) struct RunOptions {
    #[command(flatten)]
    pub(super) target: TargetOptions,
    /// Known failures and skips
    #[arg(long, value_name = "FILE")]
    pub(super) expectations: Option<PathBuf>,
    /// Where each change is written before it is asked for [default: beside the target file, such as staging.journal.jsonl]
    #[arg(long, value_name = "FILE")]
    pub(super) journal: Option<PathBuf>,
    /// What becomes of responses without an accepted snapshot: `accepted` says nothing of them, `required` calls them errors,
    /// `new` writes them, and those that differ, for review
    #[arg(
        long,
        value_enum,
        default_value = "accepted",
        overrides_with = "snapshots",
        value_name = "MODE"
    )]
    pub(super) snapshots: Mode,
    /// Write the report as JSON
    #[arg(long, value_name = "FILE")]
    pub(super) json: Option<PathBuf>,
    /// Write the report as JUnit XML
    #[arg(long, value_name = "FILE")]
    pub(super) junit: Option<PathBuf>,
    /// Write the report as one HTML page that works without a network
    #[arg(long, value_name = "FILE")]
    pub(super) html: Option<PathBuf>,
}

/// Which journal, and what becomes of it.
#[derive(Clone, Debug, Args)]
pub(super) struct JournalOptions {
    /// The target file whose journal it is
    #[arg(long, value_name = "FILE", required_unless_present = "journal")]
    pub(super) target: Option<PathBuf>,
    /// The journal itself
    #[arg(long, value_name = "FILE")]
    pub(super) journal: Option<PathBuf>,
    /// What is told was looked at, and is as it should be: tell it no more
    #[arg(long)]
    pub(super) settle: bool,
}

#[derive(Clone, Debug, Args)]
pub(super) struct ListOptions {
    /// Only cases of this operation
    #[arg(long, value_name = "OPERATION")]
    pub(super) operation: Option<String>,
    /// Only cases that prove this clause, such as §4.5 or R9
    #[arg(long, value_name = "CLAUSE")]
    pub(super) clause: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Decisions {
    /// By specification and decisions.
    On,
    /// By the specification alone.
    Off,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Consent {
    /// Cases may do what no request undoes.
    Irreversible,
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
