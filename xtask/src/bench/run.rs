//! The command: chooses subjects and prints their reports. Progress goes to standard error.

use std::{
    collections::BTreeSet,
    env,
    os::unix::process::CommandExt as _,
    path::{Path, PathBuf},
    process::Command,
};

use clap::{ValueEnum, value_parser};

use super::{batches, gate, lists, portal, redirects, report::Report, statements, writes};
use crate::{
    Result,
    program::{RELEASE, build},
};

#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// What to measure [default: everything but batches, which take minutes].
    #[arg(value_enum, value_name = "SUBJECT")]
    subjects: Vec<Choice>,
    /// Write the report into server/BENCH.md, replacing the previous one.
    #[arg(long, conflicts_with = "baseline")]
    record: bool,
    /// Measure this payout-server program in the same rounds, such as a release build of an
    /// earlier commit.
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) baseline: Option<PathBuf>,
    /// Rounds per candidate [default: depends on the subject].
    #[arg(long, value_parser = value_parser!(u32).range(1..=100), value_name = "ROUNDS")]
    rounds: Option<u32>,
    /// Seconds per round [default: depends on the subject].
    #[arg(long, value_parser = value_parser!(u64).range(1..=60), value_name = "SECONDS")]
    seconds: Option<u64>,
    /// Concurrent connections; a comma-separated list is measured one after the other
    /// [default: depends on the subject].
    #[arg(long, value_delimiter = ',', value_parser = value_parser!(u16).range(1..=512))]
    #[arg(value_name = "CONNECTIONS")]
    connections: Vec<u16>,
    /// Active organisations of `gate`: from 100,000 on, getPayout by more and more of them takes
    /// part in its rounds; give these 15 or more seconds [default: 1000].
    #[arg(long, value_parser = value_parser!(u32).range(1_000..=1_000_000))]
    #[arg(value_name = "ORGANIZATIONS")]
    pub(crate) organizations: Option<u32>,
    /// Commission lines of `lists`, up to 10 million [default: 1000000].
    #[arg(long, value_parser = value_parser!(u32).range(10_000..=10_000_000), value_name = "LINES")]
    pub(crate) lines: Option<u32>,
}

/// A subject on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Choice {
    /// A batch of payouts of a million lines, and others' requests meanwhile; only when named
    Batches,
    /// Admission compared with pgbench: rate, latency, processor time, memory, overload
    Gate,
    /// The first and a late page of a list of many lines, compared with OFFSET
    Lists,
    /// Pages of the portal: processor time
    Portal,
    /// Redirects of an affiliate link: rate, and others' requests meanwhile
    Redirects,
    /// Statements: documents per CPU second, first and repeated calls, downloads
    Statements,
    /// Operations that change something, compared with a durable statement
    Writes,
}

/// The subjects of a command line that names none.
const DEFAULT: [Choice; 6] = [
    Choice::Gate,
    Choice::Lists,
    Choice::Portal,
    Choice::Redirects,
    Choice::Statements,
    Choice::Writes,
];

/// The amount of measuring.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LoadProfile {
    pub(crate) rounds: usize,
    /// Seconds of one round of one candidate.
    pub(crate) seconds: u64,
    /// Ascending, without duplicates.
    pub(crate) connections: Vec<usize>,
}

impl Options {
    fn subjects(&self) -> &[Choice] {
        if self.subjects.is_empty() { &DEFAULT } else { &self.subjects }
    }

    /// A subject's profile, with what the command line says otherwise.
    pub(crate) fn profile(
        &self,
        rounds: usize,
        seconds: u64,
        connections: &[usize],
    ) -> LoadProfile {
        let chosen: Vec<usize> = self.connections.iter().copied().map(usize::from).collect();
        let connections = if chosen.is_empty() { connections } else { &chosen };
        LoadProfile {
            rounds: self.rounds.map_or(rounds, |rounds| rounds as usize),
            seconds: self.seconds.unwrap_or(seconds),
            connections: BTreeSet::from_iter(connections.iter().copied()).into_iter().collect(),
        }
    }
}

/// Measures the chosen subjects; `false` where a goal was missed.
pub(crate) fn run(root: &Path, options: &Options) -> Result<bool> {
    if cfg!(debug_assertions) {
        return exec_release_build(root);
    }
    // One thread: the other cores are for the server.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let reports = runtime?.block_on(async {
        tokio::select! {
            reports = measure_all(root, options) => reports,
            interrupted = tokio::signal::ctrl_c() => {
                interrupted?;
                Err("interrupted; all processes were stopped".into())
            }
        }
    })?;
    for report in &reports {
        anstream::println!("{}", report.markdown());
        if options.record {
            report.record(root)?;
        }
    }
    Ok(reports.iter().all(Report::holds))
}

/// Replaces this process by a release build of it: a slow load generator would take the server's
/// processor time. Returns only on failure.
fn exec_release_build(root: &Path) -> Result<bool> {
    progress("building the bench in release mode (some minutes the first time)");
    let program = build(root, &RELEASE, "--bin", "xtask")?;
    Err(Command::new(program).args(env::args_os().skip(1)).exec().into())
}

async fn measure_all(root: &Path, options: &Options) -> Result<Vec<Report>> {
    let mut reports = Vec::new();
    for subject in options.subjects() {
        reports.push(match subject {
            Choice::Batches => batches::measure(root, options).await?,
            Choice::Gate => gate::measure(root, options).await?,
            Choice::Lists => lists::measure(root, options).await?,
            Choice::Portal => portal::measure(root, options).await?,
            Choice::Redirects => redirects::measure(root, options).await?,
            Choice::Statements => statements::measure(root, options).await?,
            Choice::Writes => writes::measure(root, options).await?,
        });
    }
    Ok(reports)
}

pub(crate) fn progress(message: &str) {
    anstream::eprintln!("bench: {message}");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> std::result::Result<Options, clap::Error> {
        crate::options(line)
    }

    #[test]
    fn without_arguments_what_takes_seconds_is_measured() {
        let options = parse("").unwrap();
        let left_out =
            Choice::value_variants().iter().filter(|it| !options.subjects().contains(it));
        assert!(left_out.eq(&[Choice::Batches]));
    }

    #[test]
    fn baseline_cannot_be_recorded() {
        assert!(parse("gate --baseline ./old").unwrap().baseline.is_some());
        assert!(parse("gate --baseline ./old --record").is_err());
    }

    #[test]
    fn profile_is_the_subjects_with_what_flags_say_sorted_and_deduplicated() {
        let profile = |line| parse(line).unwrap().profile(5, 2, &[8, 64]);
        let (rounds, flags) = (profile("--rounds 9"), profile("--connections 256,1,8,1"));
        assert_eq!((rounds.rounds, rounds.seconds, &rounds.connections[..]), (9, 2, &[8, 64][..]));
        assert_eq!(flags.connections, [1, 8, 256]);
    }
}
