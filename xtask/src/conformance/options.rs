//! What can be asked of the command.
//!
//! It refuses to repeat the suite's own flags: they are handed on.

use std::{path::PathBuf, time::Duration};

use clap::value_parser;

const PROOFS: &str = "\
One run shows the suite's own report. With --runs or --together each run is told in a line, \
and a summary follows: failures by case and how often, verdicts that changed from run to run, \
seconds at least, in the median and at most. A case that is \
skipped because earlier runs have spent its fixtures is told, and is no change.

The proofs of the suite:
  cargo xtask conformance --runs 25                              twice in a row: the same verdicts
  cargo xtask conformance --runs 25 --fresh                      no failure on a correct server
  cargo xtask conformance --runs 10 --latency-ms 200             nor on a slow way
  cargo xtask conformance --runs 5 --fresh --at-second 55        nor over a minute's end
  cargo xtask conformance --runs 10 --together 2                 nor beside another run
  cargo xtask conformance --without-fixtures                     finds what it can, tells the rest
  cargo xtask conformance -- --read-only                         changes no table but meters

Exit status: 0 every verdict as expected, and the same in every run; 1 not so, or a \
read-only run changed data; 2 nothing was judged.";

/// Judge a fresh server of this checkout with the conformance suite; write its reports
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = PROOFS)]
pub(crate) struct Options {
    /// Where the reports go: report.html, report.json, report.junit.xml; of several runs, those of
    /// the first and of each that ended otherwise than expected [default: target/conformance]
    #[arg(long, value_name = "FOLDER")]
    pub(super) reports: Option<PathBuf>,
    /// Runs, one after the other on the same server
    #[arg(
        long, default_value_t = 1,
        value_parser = value_parser!(u32).range(1..=1_000),
        value_name = "RUNS"
    )]
    pub(super) runs: u32,
    /// Begin each of them on a fresh server with a fresh copy of the data set
    #[arg(long)]
    pub(super) fresh: bool,
    /// So many runs at once on one server, each time
    #[arg(
        long, default_value_t = 1,
        value_parser = value_parser!(u32).range(1..=8),
        value_name = "RUNS"
    )]
    pub(super) together: u32,
    /// Put a relay between suite and server, in which each request is so late
    #[arg(
        long, default_value_t = 0,
        value_parser = value_parser!(u64).range(0..=5_000),
        value_name = "MILLISECONDS"
    )]
    pub(super) latency_ms: u64,
    /// Wait for this second of the UTC minute before each run
    #[arg(long, value_parser = value_parser!(u8).range(0..=59), value_name = "SECOND")]
    pub(super) at_second: Option<u8>,
    /// Tell the suite nothing but address and keys: no fixtures, hooks or features
    #[arg(long)]
    pub(super) without_fixtures: bool,
    /// Handed on to `payout-conformance run`, such as --case ID or --decisions off
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "ARGUMENTS"
    )]
    pub(super) arguments: Vec<String>,
}

impl Options {
    pub(super) fn servers(&self) -> u32 {
        if self.fresh { self.runs } else { 1 }
    }

    /// How many times one server is judged, by as many runs as are together.
    pub(super) fn times(&self) -> u32 {
        if self.fresh { 1 } else { self.runs }
    }

    pub(super) fn all_runs(&self) -> u32 {
        self.runs * self.together
    }

    /// How late each request is; nothing without a relay.
    pub(super) fn latency(&self) -> Option<Duration> {
        (self.latency_ms > 0).then(|| Duration::from_millis(self.latency_ms))
    }

    pub(super) fn is_read_only(&self) -> bool {
        self.arguments
            .iter()
            .any(|argument| argument == "--read-only")
    }
}
