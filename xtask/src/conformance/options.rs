//! The flags of `cargo xtask conformance`. The suite's own flags are passed on.

use std::path::PathBuf;

use clap::value_parser;

const PROOFS: &str = "\
A single run shows the suite's own report. With --runs each run prints one line, and \
a summary follows: failures by case and how often, verdicts that changed between runs, and the \
shortest, median and longest time. A case that is skipped because earlier runs used up its \
fixtures is reported, and is no change.

CONTRIBUTING.md lists what can be proved of the suite, such as `--runs 25 --fresh`: no failure on \
a correct server.

Exit status: 0 every run ended with 0 and with the same verdicts; 1 otherwise, such as for an \
unexpected verdict or a run that its deadline stopped, or a read-only run changed data; 2 nothing \
was judged.";

/// Run the conformance suite against a fresh server of this checkout; write its reports
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = PROOFS)]
pub(crate) struct Options {
    /// Where the reports go: report.html, report.json, report.junit.xml; of several runs, those of
    /// the first and of each that ended otherwise than expected [default: target/conformance]
    #[arg(long, value_name = "FOLDER")]
    pub(super) reports: Option<PathBuf>,
    /// Runs, one after the other on the same server
    #[arg(long, default_value_t = 1, value_parser = value_parser!(u32).range(1..=1_000))]
    #[arg(value_name = "RUNS")]
    pub(super) runs: u32,
    /// Start each run on a fresh server with a fresh copy of the data set
    #[arg(long)]
    pub(super) fresh: bool,
    /// Delay each request, as a slow connection does
    #[arg(long, default_value_t = 0, value_parser = value_parser!(u64).range(0..=5_000))]
    #[arg(value_name = "MILLISECONDS")]
    pub(super) latency_ms: u64,
    /// Wait for this second of the UTC minute before each run
    #[arg(long, value_parser = value_parser!(u8).range(0..=59), value_name = "SECOND")]
    pub(super) at_second: Option<u8>,
    /// Give the suite address and keys alone: no fixtures, hooks or features
    #[arg(long)]
    pub(super) without_fixtures: bool,
    /// Run the suite once on each of two cells, through one haproxy in front of both
    #[arg(long, conflicts_with_all = ["runs", "fresh"])]
    pub(super) cells: bool,
    /// Test a deployment of the core and this profile; may be repeated [default: all]
    #[arg(long, value_name = "PROFILE")]
    pub(super) profile: Vec<String>,
    /// Passed on to `payout-conformance run`, such as --case ID or --decisions off
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENTS")]
    pub(super) arguments: Vec<String>,
}

impl Options {
    /// The flags of `payout-devdata target`.
    pub(super) fn target_flags(&self) -> Vec<String> {
        let without_fixtures = self.without_fixtures.then(|| "--without-fixtures".to_owned());
        let profile = self.profile.iter().map(|profile| format!("--profile={profile}"));
        without_fixtures.into_iter().chain(profile).collect()
    }

    pub(super) fn is_read_only(&self) -> bool {
        self.arguments.iter().any(|argument| argument == "--read-only")
    }
}
