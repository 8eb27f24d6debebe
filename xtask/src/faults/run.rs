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
    proof::{Fault, Kind, Noticed, Proof, prove},
    record,
    table::Table,
    variations,
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
/// The variation that every test run tries.
const SAMPLE_VARIATION: &str = "allowed-together";

/// Which faults, and how they are tried.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// Only these faults and variations, such as missing-key-403,allowed-chunks [default: all]
    #[arg(long, value_delimiter = ',', value_name = "FAULTS")]
    only: Vec<String>,
    /// Only eight faults, spread over all of them, and one variation: what every test run affords
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

/// Tries the faults and variations; `false` where a fault is missed, or a case fails on a variation
/// or without a fault.
pub(crate) fn run(root: &Path, options: &Options) -> Result<bool> {
    eprintln!("faults: building server, data tools, suite and proxy");
    let server = build(root, Program::Debug("payout-server"))?;
    let devdata = build(root, Program::Debug("payout-devdata"))?;
    let suite = build(root, Program::Debug("payout-conformance"))?;
    let all = list(&build(root, Program::Debug("payout-faults"))?)?;
    let (faults, variations) = chosen(&all, options)?;
    eprintln!("faults: seeding");
    let stage = Stage::open(&server, &devdata, "faults", options.jobs)?;
    let begun = Instant::now();
    let size = if options.record { RECORDED_GROUP } else { GROUP };
    // The last fault is noticed at the end of a minute, so it has the first server to itself.
    let (others, last) = faults.split_at(faults.len().saturating_sub(1));
    let groups = std::iter::once(last).chain(others.rchunks(size));
    let groups: Vec<&[String]> = groups.filter(|group| !group.is_empty()).collect();
    let proofs = in_lanes(options.jobs, groups.len(), |index| {
        let name = format!("faults_{index}");
        let proof = prove(&stage, &suite, &name, groups[index], options.record)?;
        report_progress(&proof);
        Ok(proof)
    })?;
    let variations = in_lanes(options.jobs, variations.len(), |index| {
        let name = format!("variation_{index}");
        let variation = variations::run(&stage, &suite, &name, &variations[index])?;
        let (id, failing) = (&variation.id, variation.failing.len());
        eprintln!("faults: {id}: {failing} cases failed, {} passed", variation.passed);
        Ok(variation)
    })?;
    let proofs = proofs.into_iter().rev().collect();
    let table = Table::new(proofs, variations, begun.elapsed());
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

/// The chosen faults and variations. A record is of faults alone.
fn chosen(all: &[Fault], options: &Options) -> Result<(Vec<String>, Vec<String>)> {
    let of = |kind| -> Vec<String> {
        let chosen = all.iter().filter(|fault| {
            fault.kind == kind && (options.only.is_empty() || options.only.contains(&fault.id))
        });
        chosen.map(|fault| fault.id.clone()).collect()
    };
    if let Some(unknown) = options.only.iter().find(|id| all.iter().all(|fault| fault.id != **id)) {
        let text = format!(
            "there is no fault {unknown}; `cargo run --bin payout-faults list` prints them"
        );
        return Err(text.into());
    }
    let (faults, variations) = (of(Kind::Fault), of(Kind::Variation));
    if options.sample {
        let count = SAMPLE.min(faults.len());
        let sample = (0..count).map(|index| faults[index * faults.len() / count].clone());
        return Ok((sample.collect(), vec![SAMPLE_VARIATION.to_owned()]));
    }
    if options.record {
        // A fault of the document has the id of its case, with a dot.
        return Ok((faults.into_iter().filter(|id| !id.contains('.')).collect(), Vec::new()));
    }
    Ok((faults, variations))
}

/// Runs this many jobs, some at the same time; returns their results in their order.
fn in_lanes<T: Send>(
    lanes: u16,
    jobs: usize,
    run: impl Fn(usize) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<Option<T>>> = Mutex::new((0..jobs).map(|_| None).collect());
    let lane = || -> Result<()> {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= jobs {
                return Ok(());
            }
            let result = run(index)?;
            results.lock().unwrap_or_else(PoisonError::into_inner)[index] = Some(result);
        }
    };
    thread::scope(|scope| {
        let lanes: Vec<_> = (0..lanes).map(|_| scope.spawn(lane)).collect();
        let mut ended = lanes.into_iter().map(|lane| lane.join().expect("a lane does not panic"));
        ended.try_for_each(|lane| lane)
    })?;
    let results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(results.into_iter().flatten().collect())
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
