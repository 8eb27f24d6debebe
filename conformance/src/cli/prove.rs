//! `prove`: which seeded faults the suite would notice at a deployment.

use std::{error::Error, time::Instant};

use clap::Args;

use super::{
    arguments::{JournalFile, Reports, TargetOptions},
    prepare::{Prepared, prepare},
    session::{open_journal, release, save},
};
use crate::{
    baseline::Mode,
    faults,
    prove::{Prover, failed},
    proxy::Fault,
    report::{
        json,
        proof::{FORMAT, ProofReport},
    },
};

/// Which faults, and how the proof is reported.
#[derive(Clone, Debug, Args)]
pub(super) struct ProveOptions {
    #[command(flatten)]
    target: TargetOptions,
    /// Only these faults, by their ids
    #[arg(long, value_delimiter = ',', value_name = "FAULTS")]
    only: Vec<String>,
    /// Only so many faults, spread over all of them
    #[arg(long, value_name = "COUNT", conflicts_with = "only")]
    sample: Option<usize>,
    /// Try every case on every fault, not only until one notices it
    #[arg(long)]
    every_case: bool,
    #[command(flatten)]
    journal: JournalFile,
    #[command(flatten)]
    reports: Reports,
}

/// Proves; `false` where a fault was missed.
pub(super) async fn run(options: ProveOptions) -> Result<bool, Box<dyn Error>> {
    let faults = chosen(&options)?;
    let begun = Instant::now();
    let mut prepared = prepare(&options.target, Mode::default()).await?;
    if options.target.deadline.is_none() {
        // Each fault may take as long as a run.
        let runs = u32::try_from(faults.len()).unwrap_or(u32::MAX).saturating_add(2);
        let deadline = &prepared.deployment.budget.deadline;
        deadline.set(deadline.time().saturating_mul(runs));
    }
    let marker = open_journal(&options.journal, &options.target.target, &mut prepared).await?;
    let Prepared { file, deployment, planned, coverage, .. } = prepared;
    let mut prover = Prover::new(deployment, planned, coverage, options.every_case);
    anstream::eprintln!("{}: every case that is needed, without a fault", file.name);
    let before = prover.run_without_fault(&faults).await?;
    let mut reports = Vec::new();
    for (index, fault) in faults.iter().enumerate() {
        let report = prover.attempt(fault).await?;
        anstream::eprintln!("{}/{} {}", index + 1, faults.len(), report.line());
        reports.push(report);
    }
    anstream::eprintln!("{}: the same cases once more, without a fault", file.name);
    let after = prover.run_without_fault(&faults).await?;
    release(marker).await;
    let mut failing = failed(&before);
    failing.extend(failed(&after));
    failing.sort();
    failing.dedup();
    let deployment = prover.deployment();
    let proof = ProofReport {
        format: FORMAT,
        target: file.name.clone(),
        base_url: deployment.client.base_url.clone(),
        passing_without_fault: before.len() - failed(&before).len(),
        failing_without_fault: failing,
        requests: deployment.budget.sent(),
        elapsed_milliseconds: u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
        faults: reports,
    };
    save(options.reports.json.as_deref(), || json::text(&proof))?;
    save(options.reports.html.as_deref(), || proof.page())?;
    anstream::print!("{}", proof.text());
    Ok(proof.holds())
}

fn chosen(options: &ProveOptions) -> Result<Vec<&'static Fault>, String> {
    let all: Vec<&'static Fault> = faults::list().collect();
    if !options.only.is_empty() {
        let find = |id: &String| {
            let unknown =
                || format!("there is no fault {id}; `payout-conformance faults` lists them");
            faults::find(id).ok_or_else(unknown)
        };
        return options.only.iter().map(find).collect();
    }
    let count = options.sample.unwrap_or(all.len()).min(all.len());
    Ok((0..count).map(|index| all[index * all.len() / count]).collect())
}

pub(super) fn list() -> bool {
    let all = faults::list().chain(faults::variations());
    for fault in all {
        anstream::println!("{:<34} {:<12} {}", fault.id, fault.clause, fault.sentence);
    }
    true
}
