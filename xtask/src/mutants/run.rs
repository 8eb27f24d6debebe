//! The command: build the server that can be broken, break it in every way, judge each, and the sound one many times.
//!
//! It refuses to stop at the first survivor: the whole table is what helps.

use std::{
    collections::VecDeque,
    fs, io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread::{self, ScopedJoinHandle},
    time::Instant,
};

use clap::value_parser;

use super::{
    table::Table,
    trial::{Mutant, Outcome, Trial, TrialError},
};
use crate::{
    cargo::{BuildError, Program, build_with},
    conformance::stage::{Stage, StageError},
};

/// One each of tenancy, lists, shapes, statements and meters; each is seen by a few cases, and none by a law alone.
const SAMPLE: [&str; 5] = ["M16", "M27", "M34", "M57", "M71"];

/// Server and suite are compiled a level higher than usual for the whole table: that takes a minute and a half longer once, and
/// each of 160 runs is a tenth shorter. A few mutants take them as they are.
const WHOLE_TABLE: [&str; 2] = [
    "profile.dev.package.payout-server.opt-level=2",
    "profile.dev.package.payout-conformance.opt-level=2",
];

/// Servers beside each of those that are judged side by side, on which cases wait for a minute's end. Each takes connections of
/// the one PostgreSQL.
const PATIENT_LIMIT: u16 = 2;

/// Which mutants, and how often the sound server is judged.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// Only these mutants, such as M07,M12 [default: all]
    #[arg(long, value_delimiter = ',', value_name = "MUTANTS")]
    only: Vec<String>,
    /// Only five, each of another kind: what every test run affords
    #[arg(long, conflicts_with = "only")]
    sample: bool,
    /// How often the sound server is judged; it must never fail
    #[arg(long, default_value_t = 20, value_parser = value_parser!(u32).range(0..=1000), value_name = "RUNS")]
    sound_runs: u32,
    /// Servers that are judged side by side
    #[arg(long, default_value_t = 2, value_parser = value_parser!(u16).range(1..=16), value_name = "SERVERS")]
    jobs: u16,
    /// Write the table as JSON, too
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Why there is no table.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MutantsError {
    /// Server or suite cannot be built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// There is no PostgreSQL, or no data set.
    #[error(transparent)]
    Stage(#[from] StageError),
    /// One server was not judged.
    #[error(transparent)]
    Trial(#[from] TrialError),
    /// The server does not tell its mutants.
    #[error("`payout-server mutants` does not list them: {0}")]
    List(String),
    /// No such mutant.
    #[error("there is no mutant {0}; there are {1}")]
    Unknown(String, String),
    /// The JSON cannot be written.
    #[error("{0} cannot be written: {1}")]
    Write(PathBuf, io::Error),
}

/// Judges every mutant, and the sound server; `false` where one survives or the sound one fails.
///
/// # Errors
/// Something could not be judged.
pub(crate) fn run(root: &Path, options: &Options) -> Result<bool, MutantsError> {
    let sample = SAMPLE.map(str::to_owned);
    let only = if options.sample {
        &sample
    } else {
        &options.only[..]
    };
    let is_whole = only.is_empty();
    let settings = if is_whole { &WHOLE_TABLE[..] } else { &[] };
    eprintln!("mutants: building the server that can be broken, and the suite");
    let server = build_with(root, Program::Mutable("payout-server"), settings)?;
    let devdata = build_with(root, Program::Debug("payout-devdata"), settings)?;
    let suite = build_with(root, Program::Debug("payout-conformance"), settings)?;
    let mutants = chosen(list(&server)?, only)?;
    eprintln!("mutants: seeding");
    let servers = options.jobs * (1 + PATIENT_LIMIT);
    let stage = Stage::open(&server, &devdata, "mutants", servers)?;
    let begun = Instant::now();
    let trials: Vec<Option<&Mutant>> = mutants
        .iter()
        .map(Some)
        .chain((0..options.sound_runs).map(|_| None))
        .collect();
    let mut outcomes = side_by_side(&stage, &suite, &trials, options.jobs)?;
    let sound = outcomes.split_off(mutants.len());
    let table = Table {
        mutants: mutants.into_iter().zip(outcomes).collect(),
        sound,
        elapsed: begun.elapsed(),
        is_whole,
    };
    println!("{}", table.markdown());
    if let Some(path) = &options.json {
        let text = format!("{:#}\n", table.json());
        fs::write(path, text).map_err(|error| MutantsError::Write(path.clone(), error))?;
    }
    Ok(table.holds())
}

fn list(server: &Path) -> Result<Vec<Mutant>, MutantsError> {
    let output = Command::new(server)
        .arg("mutants")
        .stdin(Stdio::null())
        .output();
    let output = output.map_err(|error| MutantsError::List(error.to_string()))?;
    serde_json::from_slice(&output.stdout).map_err(|error| MutantsError::List(error.to_string()))
}

fn chosen(all: Vec<Mutant>, only: &[String]) -> Result<Vec<Mutant>, MutantsError> {
    let unknown = only
        .iter()
        .find(|id| all.iter().all(|mutant| mutant.id != **id));
    if let Some(unknown) = unknown {
        let known: Vec<&str> = all.iter().map(|mutant| mutant.id.as_str()).collect();
        return Err(MutantsError::Unknown(unknown.clone(), known.join(", ")));
    }
    let is_chosen = |mutant: &Mutant| only.is_empty() || only.contains(&mutant.id);
    Ok(all.into_iter().filter(is_chosen).collect())
}

/// Judges all, some side by side; outcomes in their order. What waits for a minute's end takes nobody's place: it costs little
/// but time.
fn side_by_side(
    stage: &Stage,
    suite: &Path,
    trials: &[Option<&Mutant>],
    jobs: u16,
) -> Result<Vec<Outcome>, TrialError> {
    let next = AtomicUsize::new(0);
    let outcomes: Mutex<Vec<Option<Outcome>>> = Mutex::new(vec![None; trials.len()]);
    let end = |index: usize, trial: Trial<'_>| -> Result<(), TrialError> {
        let outcome = trial.end()?;
        tell(index + 1, trials.len(), trials[index], &outcome);
        let mut outcomes = outcomes.lock().unwrap_or_else(PoisonError::into_inner);
        outcomes[index] = Some(outcome);
        Ok(())
    };
    thread::scope(|scope| {
        let work = || -> Result<(), TrialError> {
            let mut patient = VecDeque::new();
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(mutant) = trials.get(index) else {
                    break;
                };
                let trial = Trial::begin(stage, suite, &format!("trial_{index}"), *mutant)?;
                if trial.wants_patience() {
                    if patient.len() == usize::from(PATIENT_LIMIT) {
                        patient.pop_front().map_or(Ok(()), joined)?;
                    }
                    patient.push_back(scope.spawn(move || end(index, trial)));
                } else {
                    end(index, trial)?;
                }
            }
            patient.into_iter().try_for_each(joined)
        };
        let workers: Vec<_> = (0..jobs).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(joined)
    })?;
    let outcomes = outcomes
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    Ok(outcomes.into_iter().flatten().collect())
}

fn joined(worker: ScopedJoinHandle<'_, Result<(), TrialError>>) -> Result<(), TrialError> {
    worker.join().expect("a worker does not panic")
}

fn tell(number: usize, all: usize, mutant: Option<&Mutant>, outcome: &Outcome) {
    let who = mutant.map_or_else(
        || "the sound server".to_owned(),
        |mutant| format!("{} {}", mutant.id, mutant.name),
    );
    let what = match (mutant, outcome.failed.first()) {
        (Some(_), Some(case)) => format!("killed by {case}"),
        (Some(_), None) => "SURVIVES".to_owned(),
        (None, Some(case)) => format!("FALSE FAILURE of {case}"),
        (None, None) => "passes".to_owned(),
    };
    eprintln!("mutants: {number}/{all} {who}: {what}");
}
