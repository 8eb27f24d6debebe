//! `run`: runs the cases and writes the reports. Prints what the run will cost before its first
//! case.

use std::{collections::BTreeSet, error::Error, fs, path::Path, sync::Arc, time::Instant};

use chrono::{SecondsFormat, Utc};

use super::{
    arguments::{Files, RunOptions, TargetOptions},
    prepare::{Prepared, prepare},
};
use crate::{
    deployment::{Deployment, intents::Intents},
    expectations::Expectations,
    isolation::{self, Marker, Unmarked},
    journal::{self, Journal},
    probes,
    prove::behind_proxy,
    report::{
        gap::unproved,
        html, json, junit,
        model::{Cost, FORMAT, Report, Summary, TargetReport},
        progress::Progress,
        redact, terminal, words,
    },
    run::{
        plan::{Estimate, Planned},
        runner::{Event, run_cases},
    },
    target::TargetFile,
    verdict::Verdict,
};

/// Runs; false if some verdict was unexpected, or the budget stopped the run.
///
/// # Errors
/// The target cannot be used, or every case was skipped.
pub(super) async fn run(options: RunOptions) -> Result<bool, Box<dyn Error>> {
    let expectations = expectations(&options)?;
    let mut prepared = prepare(&options.target, options.snapshots).await?;
    print_cost(&prepared);
    let marker = open_journal(&options.files, &options.target.target, &mut prepared).await?;
    let Prepared { file, deployment, planned, coverage, document_version, left_out } = prepared;
    let (deployment, _proxy) = match options.through {
        None => (deployment, None),
        Some(fault) => {
            let (shown, proxy) = behind_proxy(&deployment, Some(fault)).await?;
            (shown, Some(proxy))
        }
    };
    let deployment = Arc::new(deployment);
    let (began_at, begun) = (Utc::now(), Instant::now());
    let is_whole = options.target.choice.cases.is_empty();
    let mut progress = Progress::stderr(planned.len());
    let mut on_event = |event: Event<'_>| match event {
        Event::Began(id) => progress.began(id),
        Event::Ended(case) => progress.ended(case),
    };
    let outcome = run_cases(&deployment, &planned, &expectations, &coverage, &mut on_event).await;
    release(marker).await;
    let report = Report {
        format: FORMAT,
        suite_version: env!("CARGO_PKG_VERSION").to_owned(),
        document_version,
        target: TargetReport { left_out, ..tested(&options, &file, &deployment) },
        began_at: began_at.to_rfc3339_opts(SecondsFormat::Millis, true),
        elapsed_milliseconds: u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
        summary: Summary::of(&outcome.cases),
        unproved: if is_whole {
            unproved(&outcome.cases, deployment.with_decisions)
        } else {
            Vec::new()
        },
        coverage: coverage.report(),
        cost: Cost {
            requests: deployment.budget.sent(),
            credits: deployment.budget.credits(),
            irreversible: words::irreversible(&outcome.cases, &outcome.remains),
            paced_milliseconds: deployment.pace.waited_milliseconds(),
        },
        remains: outcome.remains,
        cases: outcome.cases,
    };
    // Whatever has slipped through until here.
    let report = redact::redact(&report, &deployment.redaction());
    save(options.files.json.as_deref(), || json::text(&report))?;
    save(options.junit.as_deref(), || junit::text(&report))?;
    save(options.files.html.as_deref(), || html::page(&report))?;
    anstream::print!("{}", terminal::text(&report));
    let is_complete = print_stops(&deployment);
    let findings = review_snapshots(&deployment, &report)?;
    if report.summary.skipped == report.cases.len() {
        let why = "no case ran: each was skipped, for the reason above, so nothing was tested";
        return Err(
            format!("{why}; `payout-conformance doctor` shows what the target lacks").into()
        );
    }
    Ok(report.summary.unexpected == 0 && is_complete && findings == 0)
}

fn tested(options: &RunOptions, file: &TargetFile, deployment: &Deployment) -> TargetReport {
    let TargetOptions { target, choice, .. } = &options.target;
    TargetReport {
        name: file.name.clone(),
        file: target.display().to_string(),
        base_url: deployment.client.base_url.clone(),
        profiles: file.profiles.names().iter().map(ToString::to_string).collect(),
        left_out: Vec::new(),
        random_requests: choice.cases.is_empty().then_some(choice.generate),
        with_decisions: deployment.with_decisions,
        read_only: choice.read_only,
    }
}

/// Prints why the budget or the deadline stopped the run; true if they did not.
fn print_stops(deployment: &Deployment) -> bool {
    let stops = deployment.budget.stops();
    for stop in &stops {
        anstream::eprintln!(
            "The run was stopped: {stop}. The cases that did not start are skipped above, so this \
             is not a complete result."
        );
    }
    stops.is_empty()
}

fn expectations(options: &RunOptions) -> Result<Expectations, String> {
    let known: Vec<&str> = probes::all_cases().iter().map(|case| case.id).collect();
    let path = options.expectations.as_ref();
    path.map_or_else(|| Ok(Expectations::default()), |path| Expectations::read(path, &known))
}

/// Writes snapshots to be reviewed, and prints findings about them; returns how many.
fn review_snapshots(deployment: &Deployment, report: &Report) -> Result<usize, String> {
    let written = deployment.snapshots.write_new()?;
    if written > 0 {
        anstream::eprintln!(
            "{written} snapshots are new or changed; `cargo insta review` shows them"
        );
    }
    let passed = words::of(report, Verdict::Pass);
    let passed: BTreeSet<&str> = passed.map(|case| case.id.as_str()).collect();
    let answered = report.coverage.iter().filter(|covered| covered.responses > 0);
    let answered: Vec<(&str, u16)> =
        answered.map(|covered| (covered.operation.as_str(), covered.status)).collect();
    let cases = probes::all_cases();
    let cases = cases.iter().map(|case| (case.id, case.is_derived && !case.is_generated));
    let findings = deployment.snapshots.findings(&cases.collect::<Vec<_>>(), &passed, &answered);
    for finding in &findings {
        anstream::eprintln!("{finding}");
    }
    Ok(findings.len())
}

fn print_cost(prepared: &Prepared) {
    let estimate = Estimate::of(&prepared.planned);
    let (name, url) = (&prepared.file.name, prepared.deployment.client.base_url.as_str());
    anstream::eprintln!("{name} at {url}: {estimate}");
    for warning in estimate.warnings(&prepared.deployment) {
        anstream::eprintln!("{warning}");
    }
}

/// Opens the journal, if something will be changed, restores what killed runs left, and marks the
/// organisation. What is not restored is printed anyway.
///
/// # Errors
/// Another run is active, with this journal or in this organisation.
pub(super) async fn open_journal(
    files: &Files,
    target: &Path,
    prepared: &mut Prepared,
) -> Result<Option<Marker>, Box<dyn Error>> {
    let path = files.journal.clone().unwrap_or_else(|| journal::beside(target));
    let will_change = prepared.planned.iter().any(Planned::changes_data);
    if !will_change {
        // Nothing will be written, so a broken journal does not matter.
        let left = journal::unfinished(&path).unwrap_or_default();
        anstream::eprint!("{}", super::journal::text(&left, &path));
        return Ok(None);
    }
    let deployment = &mut prepared.deployment;
    let journal = Journal::open(&path, deployment.redaction()).map_err(|error| {
        format!("{error}; or run with --read-only, which changes nothing (--journal names a file)")
    })?;
    let left = journal::unfinished(&path)?;
    deployment.intents = Intents::new(journal);
    let direct = Arc::new(deployment.again(deployment.client.direct()));
    let own: Vec<&str> = left.iter().map(|intent| &*intent.run).collect();
    if let Ok(Some(holder)) = isolation::holder(&direct, &own).await {
        return Err(isolation::refusal(&holder).into());
    }
    for line in isolation::recover(&direct, &left).await? {
        anstream::eprintln!("An earlier run was ended before it restored this. {line}");
    }
    anstream::eprint!("{}", super::journal::text(&journal::unfinished(&path)?, &path));
    anstream::eprintln!("journal: {}", path.display());
    match Marker::set(direct).await {
        Ok(marker) => Ok(Some(marker)),
        Err(Unmarked::Held(why)) => Err(why.into()),
        Err(Unmarked::Impossible(why)) => {
            anstream::eprintln!(
                "A run on another machine would not notice this one, because {why}: make sure that \
                 there is none."
            );
            Ok(None)
        }
    }
}

/// Removes the marker of a run that has ended.
pub(super) async fn release(marker: Option<Marker>) {
    let left = match &marker {
        Some(marker) => marker.release().await,
        None => Vec::new(),
    };
    for what in left {
        anstream::eprintln!("The marker of this run is not removed: {what}");
    }
}

pub(super) fn save(path: Option<&Path>, text: impl FnOnce() -> String) -> Result<(), String> {
    let Some(path) = path else {
        return Ok(());
    };
    let folder = path.parent().map_or(Ok(()), fs::create_dir_all);
    folder
        .and_then(|()| fs::write(path, text()))
        .map_err(|error| format!("{} cannot be written: {error}", path.display()))
}
