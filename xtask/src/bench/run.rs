//! The command: which subjects to measure, for how long, and what is told at the end.
//!
//! It refuses to mix what people wait by with what they asked for: progress goes to standard error, the report to standard
//! output.

use std::{env, io, os::unix::process::CommandExt as _, path::Path, process::Command};

use clap::ValueEnum;

use super::{
    effort::EffortOptions,
    gate, lists,
    load::LoadError,
    record,
    report::Report,
    rounds::MeasureError,
    statements::{self, DocumentsError},
};
use crate::{
    cargo::{BuildError, Program, build},
    deployment::DeploymentError,
};

/// What to measure, and for how long.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// What to measure [default: everything].
    #[arg(value_enum, value_name = "SUBJECT")]
    subjects: Vec<Subject>,
    /// Print JSON in place of tables.
    #[arg(long)]
    json: bool,
    /// Write the figures into server/BENCH.md, in place of the last ones.
    #[arg(long)]
    record: bool,
    #[command(flatten)]
    pub(crate) effort: EffortOptions,
}

impl Options {
    fn subjects(&self) -> &[Subject] {
        match self.subjects.as_slice() {
            [] => Subject::value_variants(),
            chosen => chosen,
        }
    }
}

/// What can be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Subject {
    /// Admission beside pgbench: rate, latency, processor time, memory, overload
    Gate,
    /// A list's first page and its end, over a million lines, beside OFFSET
    Lists,
    /// Documents for each second of processor time, repeated calls beside getPayout, first calls, downloads
    Statements,
}

/// Why nothing was measured.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BenchError {
    /// The release build failed.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// There is no server to measure.
    #[error(transparent)]
    Deployment(#[from] DeploymentError),
    /// An answer was not what is measured.
    #[error(transparent)]
    Measure(#[from] MeasureError),
    /// What is measured beside the server does something else.
    #[error("{0}, so nothing was measured: mend the statement in xtask/src/bench")]
    Unlike(String),
    /// The documents could not be measured.
    #[error(transparent)]
    Documents(#[from] DocumentsError),
    /// server/BENCH.md cannot be written.
    #[error("server/BENCH.md cannot be written: {0}")]
    Record(io::Error),
    /// No threads, or no signals.
    #[error("the bench cannot start: {0}")]
    Start(io::Error),
    /// Ctrl-C.
    #[error("interrupted; everything that was started has ended")]
    Interrupted,
}

/// Measures the chosen subjects; `false` where a goal was missed.
///
/// # Errors
/// Something could not be measured.
pub(crate) fn run(root: &Path, options: &Options) -> Result<bool, BenchError> {
    if cfg!(debug_assertions) {
        return Err(become_released(root));
    }
    // One thread: what is left of the machine is the server's.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let reports = runtime.map_err(BenchError::Start)?.block_on(async {
        tokio::select! {
            reports = measure(root, options) => reports,
            interrupted = tokio::signal::ctrl_c() => {
                interrupted.map_err(BenchError::Start)?;
                Err(BenchError::Interrupted)
            }
        }
    })?;
    for report in &reports {
        if options.json {
            println!("{}", report.json());
        } else {
            println!("{}", report.markdown());
        }
        if options.record {
            record::write(root, report).map_err(BenchError::Record)?;
        }
    }
    Ok(reports.iter().all(Report::holds))
}

impl From<LoadError> for BenchError {
    fn from(error: LoadError) -> Self {
        MeasureError::from(error).into()
    }
}

/// Becomes this very command in a release build: a slow client would take the cores from the server, and measure itself.
/// Returns only where that fails.
fn become_released(root: &Path) -> BenchError {
    progress("building the bench itself (some minutes the first time)");
    match build(root, Program::Released("xtask")) {
        Ok(program) => BenchError::Start(Command::new(program).args(env::args_os().skip(1)).exec()),
        Err(error) => error.into(),
    }
}

async fn measure(root: &Path, options: &Options) -> Result<Vec<Report>, BenchError> {
    let mut reports = Vec::new();
    for subject in options.subjects() {
        reports.push(match subject {
            Subject::Gate => gate::measure(root, options).await?,
            Subject::Lists => lists::measure(root, options).await?,
            Subject::Statements => statements::measure(root, options).await?,
        });
    }
    Ok(reports)
}

/// Tells who waits what is being done.
pub(crate) fn progress(what: &str) {
    eprintln!("bench: {what}");
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    #[derive(Debug, clap::Parser)]
    struct Line {
        #[command(flatten)]
        options: Options,
    }

    fn parse(line: &str) -> Result<Options, clap::Error> {
        let words = std::iter::once("bench").chain(line.split_whitespace());
        Line::try_parse_from(words).map(|line| line.options)
    }

    #[test]
    fn without_arguments_everything_is_measured() {
        let options = parse("").unwrap();
        assert_eq!(options.subjects(), Subject::value_variants());
    }

    #[test]
    fn arguments_choose_subject_and_effort() {
        let options =
            parse("statements --connections 1,256 --rounds 9 --seconds 1 --json").unwrap();
        assert_eq!(options.subjects(), [Subject::Statements]);
        assert!(options.json && !options.record);
        assert!(parse("unknown").is_err());
    }
}
