//! The command: builds server and suite, and tries the faults in groups, each in front of a server
//! of its own.

use std::{
    fmt::Display,
    fs,
    path::Path,
    process::{Command, Stdio},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Instant,
};

use clap::value_parser;

use super::{
    proof::{Fault, Noticed, Proof, prove},
    record,
    table::Table,
};
use crate::{
    Result,
    conformance::stage::Stage,
    program::{Program, build},
};

/// Faults of one server. The lines that cases detach are used up: a server has enough for these.
const GROUP: usize = 16;
/// The same where every case is tried on each fault.
const RECORDED_GROUP: usize = 2;
/// Faults that every test run tries, spread over all of them.
const SAMPLE: usize = 8;

/// Which faults, and how they are tried.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// Only these faults, such as key-from-query,oldest-first [default: all]
    #[arg(long, value_delimiter = ',', value_name = "FAULTS")]
    only: Vec<String>,
    /// Only eight, spread over all of them: what every test run affords
    #[arg(long, conflicts_with = "only")]
    sample: bool,
    /// Try every case on every fault, and write which cases are to be tried first:
    /// conformance/faults/kills.txt
    #[arg(long, conflicts_with_all = ["only", "sample"])]
    record: bool,
    /// Servers that are judged at the same time
    #[arg(
        long, default_value_t = 3,
        value_parser = value_parser!(u16).range(1..=16),
        value_name = "SERVERS"
    )]
    jobs: u16,
}

/// Tries the faults; `false` where one is missed, or a case fails without a fault.
pub(crate) fn run(root: &Path, options: &Options) -> Result<bool> {
    eprintln!("faults: building server, data tools, suite and proxy");
    let server = build(root, Program::Debug("payout-server"))?;
    let devdata = build(root, Program::Debug("payout-devdata"))?;
    let suite = build(root, Program::Debug("payout-conformance"))?;
    let faults = chosen(list(&build(root, Program::Debug("payout-faults"))?)?, options)?;
    eprintln!("faults: seeding");
    let stage = Stage::open(&server, &devdata, "faults", options.jobs)?;
    let begun = Instant::now();
    let size = if options.record { RECORDED_GROUP } else { GROUP };
    // The last fault is noticed at the end of a minute, so it has the first server to itself.
    let (others, last) = faults.split_at(faults.len().saturating_sub(1));
    let groups: Vec<&[String]> = std::iter::once(last).chain(others.rchunks(size)).collect();
    let proofs = prove_all(&stage, &suite, &groups, options)?;
    let table = Table::new(proofs.into_iter().rev().collect(), begun.elapsed());
    println!("{}", table.markdown());
    if options.record {
        let path = root.join("conformance/faults/kills.txt");
        let text = record::text(&table.faults);
        fs::write(&path, text)
            .map_err(|error| format!("{} cannot be written: {error}", path.display()))?;
        println!("recorded in {}", path.display());
    }
    Ok(table.holds())
}

fn list(program: &Path) -> Result<Vec<Fault>> {
    let failed = |error: &dyn Display| format!("`payout-faults list` does not list them: {error}");
    let mut command = Command::new(program);
    let output = command.arg("list").stdin(Stdio::null()).output();
    let output = output.map_err(|error| failed(&error))?;
    Ok(serde_json::from_slice(&output.stdout).map_err(|error| failed(&error))?)
}

fn chosen(all: Vec<Fault>, options: &Options) -> Result<Vec<String>> {
    let all: Vec<String> = all.into_iter().map(|fault| fault.id).collect();
    if let Some(unknown) = options.only.iter().find(|id| !all.contains(id)) {
        let text = format!(
            "there is no fault {unknown}; `cargo run --bin payout-faults list` prints them"
        );
        return Err(text.into());
    }
    if options.sample {
        let count = SAMPLE.min(all.len());
        return Ok((0..count).map(|index| all[index * all.len() / count].clone()).collect());
    }
    if options.record {
        // A fault of the document has the id of its case, with a dot.
        return Ok(all.into_iter().filter(|id| !id.contains('.')).collect());
    }
    Ok(if options.only.is_empty() { all } else { options.only.clone() })
}

/// Tries all groups, some at the same time; proofs in the order of the groups.
fn prove_all(
    stage: &Stage,
    suite: &Path,
    groups: &[&[String]],
    options: &Options,
) -> Result<Vec<Proof>> {
    let next = AtomicUsize::new(0);
    let proofs: Mutex<Vec<Option<Proof>>> = Mutex::new(vec![None; groups.len()]);
    let lane = || -> Result<()> {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(group) = groups.get(index) else {
                return Ok(());
            };
            let name = format!("faults_{index}");
            let proof = prove(stage, suite, &name, group, options.record)?;
            report_progress(&proof);
            proofs.lock().unwrap_or_else(PoisonError::into_inner)[index] = Some(proof);
        }
    };
    thread::scope(|scope| {
        let lanes: Vec<_> = (0..options.jobs).map(|_| scope.spawn(lane)).collect();
        let mut ended = lanes.into_iter().map(|lane| lane.join().expect("a lane does not panic"));
        ended.try_for_each(|lane| lane)
    })?;
    let proofs = proofs.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(proofs.into_iter().flatten().collect())
}

fn report_progress(proof: &Proof) {
    for fault in &proof.faults {
        let outcome = match fault.noticed {
            Noticed::Yes => format!("noticed by {}", fault.cases.join(", ")),
            Noticed::Missed => "MISSED".to_owned(),
            Noticed::NotTried => format!("NOT TRIED: {}", fault.missing.join(", ")),
        };
        eprintln!("faults: {}: {outcome}", fault.id);
    }
}
