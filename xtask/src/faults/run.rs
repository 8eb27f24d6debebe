//! The command: builds server and suite, and tries the faults in groups, each in front of a server
//! of its own.

use std::{fs, path::Path, process::Command, time::Instant};

use clap::value_parser;

use super::{
    proof::{prove, run_variation},
    record,
    table::Findings,
};
use crate::{
    Result,
    conformance::TestBed,
    parallel::in_parallel,
    program::{WHOLE, build, output},
};

/// Faults of one server. The lines that cases detach are used up: a server has enough for these.
const GROUP: usize = 16;
/// Faults of one server where every case is tried on each fault.
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
    /// conformance/kills.txt
    #[arg(long, conflicts_with_all = ["only", "sample"])]
    record: bool,
    /// Servers that are judged at the same time
    #[arg(long, default_value_t = 3, value_parser = value_parser!(u16).range(1..=16))]
    #[arg(value_name = "SERVERS")]
    jobs: u16,
}

/// Tries the faults and variations; `false` where a fault is missed, or a case fails on a variation
/// or without a fault.
pub(crate) fn run(root: &Path, options: &Options) -> Result<bool> {
    let all = list(&build(root, &WHOLE, "--bin", "payout-conformance")?)?;
    let (faults, variations) = chosen(&all, options)?;
    let bed = TestBed::open(root, "faults", options.jobs)?;
    let begun = Instant::now();
    let size = if options.record { RECORDED_GROUP } else { GROUP };
    // The last fault is noticed at the end of a minute, so it has the first server to itself.
    let (others, last) = faults.split_at(faults.len().saturating_sub(1));
    let groups = std::iter::once(last).chain(others.rchunks(size));
    let groups: Vec<_> = groups.filter(|group| !group.is_empty()).enumerate().collect();
    let jobs = usize::from(options.jobs);
    let mut proofs = in_parallel(jobs, groups, |(index, group)| {
        prove(&bed, &format!("faults_{index}"), group, options.record)
    })?;
    proofs.reverse();
    let variations = in_parallel(jobs, variations.iter().enumerate().collect(), |(index, id)| {
        Ok((id.clone(), run_variation(&bed, &format!("variation_{index}"), id)?))
    })?;
    let findings = Findings::new(proofs, variations, begun.elapsed());
    anstream::println!("{}", findings.markdown());
    if options.record {
        let path = root.join("conformance/kills.txt");
        let text = record::text(&findings.faults);
        fs::write(&path, text)
            .map_err(|error| format!("{} cannot be written: {error}", path.display()))?;
        anstream::println!("recorded in {}", path.display());
    }
    Ok(findings.holds())
}

/// The ids of all faults and variations.
fn list(program: &Path) -> Result<Vec<String>> {
    let listed = output(Command::new(program).arg("faults"))?;
    let ids = listed.lines().filter_map(|line| line.split_whitespace().next());
    Ok(ids.map(str::to_owned).collect())
}

/// The chosen faults and variations. A record is of faults alone.
fn chosen(all: &[String], options: &Options) -> Result<(Vec<String>, Vec<String>)> {
    let Options { only, sample, record, .. } = options;
    if let Some(unknown) = only.iter().find(|id| !all.contains(id)) {
        let help = "`payout-conformance faults` lists them";
        return Err(format!("there is no fault {unknown}; {help}").into());
    }
    let chosen = all.iter().filter(|id| only.is_empty() || only.contains(id)).cloned();
    let (variations, mut faults): (Vec<String>, Vec<String>) =
        chosen.partition(|id| id.starts_with("allowed-"));
    if *sample {
        let count = SAMPLE.min(faults.len());
        let sample = (0..count).map(|index| faults[index * faults.len() / count].clone());
        return Ok((sample.collect(), vec![SAMPLE_VARIATION.to_owned()]));
    }
    if *record {
        // A fault of the document has the id of its case, with a dot.
        faults.retain(|id| !id.contains('.'));
        return Ok((faults, Vec::new()));
    }
    Ok((faults, variations))
}
