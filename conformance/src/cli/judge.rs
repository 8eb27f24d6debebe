//! `run`: the cases, and the reports of it.
//!
//! It refuses to begin without having told what it will cost, and to change anything that its journal does not hold.

use std::{collections::BTreeMap, error::Error, fs, path::Path, sync::Arc, time::Instant};

use chrono::{SecondsFormat, Utc};

use super::{
    arguments::{Decisions, RunOptions},
    prepare::{Prepared, prepare},
};
use crate::{
    case::Changes,
    expectations::Expectations,
    journal::{self, Journal},
    report::{
        html, json, junit,
        model::{CaseReport, Cost, FORMAT, Remains, Report, Summary, TargetReport},
        progress, redact, terminal, words,
    },
    run::{Deployment, Estimate, Planned, Progress, run_cases},
};

/// Runs; `false` where some case ended otherwise than expected, or the budget ended the run.
pub(super) async fn run(options: RunOptions) -> Result<bool, Box<dyn Error>> {
    let known: Vec<&str> = crate::cases::all().iter().map(|case| case.id).collect();
    let expectations = match &options.expectations {
        Some(path) => Expectations::read(path, &known)?,
        None => Expectations::default(),
    };
    let prepared = prepare(&options.target, options.snapshots).await?;
    tell_cost(&prepared);
    let journal = open_journal(&options, &prepared)?;
    let Prepared {
        file,
        deployment,
        planned,
        document_version,
        discovered: _,
    } = prepared;
    let deployment = Arc::new(match journal {
        Some(journal) => deployment.with_journal(journal),
        None => deployment,
    });
    let began_at = Utc::now();
    let begun = Instant::now();
    let progress = progress::Progress::stderr(planned.len());
    let (mut cases, remains) = run_cases(&deployment, &planned, &mut Told(progress)).await;
    let summary = judged(&mut cases, &expectations);
    let remains: Vec<Remains> = remains
        .into_iter()
        .map(|(case, what)| Remains { case, what })
        .collect();
    let report = Report {
        format: FORMAT,
        suite_version: env!("CARGO_PKG_VERSION").to_owned(),
        document_version,
        target: TargetReport {
            name: file.name.clone(),
            file: options.target.target.display().to_string(),
            base_url: deployment.client.base_url().to_owned(),
            profile: file.profile.name().to_owned(),
            with_decisions: options.target.decisions == Decisions::On,
            read_only: options.target.read_only,
        },
        began_at: began_at.to_rfc3339_opts(SecondsFormat::Millis, true),
        elapsed_milliseconds: u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
        summary,
        coverage: deployment.coverage.report(),
        cost: cost(&deployment, &cases, &remains),
        remains,
        cases,
    };
    // Whatever has slipped past until here.
    let report = redact::redact(&report, &deployment.redaction());
    write(&options, &report)?;
    anstream::print!("{}", terminal::text(&report));
    let stops = deployment.budget.stops();
    for stop in &stops {
        eprintln!(
            "The run was stopped: {stop}. What was not begun is skipped above, so this is no whole judgement."
        );
    }
    let findings = tell_snapshots(&deployment, &report)?;
    Ok(report.summary.unexpected == 0 && stops.is_empty() && findings == 0)
}

/// Whether each case ended as the expectations file, or its silence, foresees.
fn judged(cases: &mut [CaseReport], expectations: &Expectations) -> Summary {
    let mut summary = Summary::default();
    for case in cases {
        let judgement = expectations.judge(&case.id, case.verdict);
        case.expected = judgement.expected;
        case.expectation = judgement.comment;
        case.advice = judgement.remark;
        summary.count(case.verdict, case.expected);
    }
    summary
}

/// Tells what is found of the snapshots as a whole, and writes those that wait for review; returns how many are found.
fn tell_snapshots(deployment: &Deployment, report: &Report) -> Result<usize, String> {
    let written = deployment.snapshots.write_new()?;
    if written > 0 {
        eprintln!(
            "{written} snapshots are new or differ; `cargo insta review` shows those that wait"
        );
    }
    let findings = deployment
        .snapshots
        .findings(&report.cases, &report.coverage);
    for finding in &findings {
        eprintln!("{finding}");
    }
    Ok(findings.len())
}

/// Progress on standard error.
struct Told(progress::Progress<anstream::Stderr>);

impl Progress for Told {
    fn began(&mut self, id: &str) {
        self.0.began(id);
    }

    fn ended(&mut self, report: &CaseReport) {
        self.0.ended(report);
    }
}

/// Tells what the run will cost before its first request.
fn tell_cost(prepared: &Prepared) {
    let estimate = Estimate::of(&prepared.planned);
    eprintln!(
        "{name} at {url}; cases: {estimate}",
        name = prepared.file.name,
        url = prepared.deployment.client.base_url(),
    );
    for warning in estimate.warnings(&prepared.deployment) {
        eprintln!("{warning}");
    }
}

/// The journal, where something will be changed; and what an earlier run left unfinished is told in any case.
fn open_journal(
    options: &RunOptions,
    prepared: &Prepared,
) -> Result<Option<Journal>, Box<dyn Error>> {
    let path = options.journal.clone();
    let path = path.unwrap_or_else(|| journal::beside(&options.target.target));
    let changes =
        |planned: &Planned| planned.missing.is_empty() && planned.case.changes >= Changes::Restored;
    if !prepared.planned.iter().any(changes) {
        // Nothing will be written: a journal that cannot be read stops nobody.
        tell_unfinished(&journal::unfinished(&path).unwrap_or_default(), &path);
        return Ok(None);
    }
    tell_unfinished(&journal::unfinished(&path)?, &path);
    let journal = Journal::open(&path, prepared.deployment.keys.redaction());
    let journal = journal.map_err(|error| {
        format!("{error}; or change nothing, with --read-only (--journal names the file)")
    })?;
    eprintln!("journal: {}", path.display());
    Ok(Some(journal))
}

fn tell_unfinished(left: &[journal::Unfinished], path: &Path) {
    if !left.is_empty() {
        eprint!("{}", super::journal::told(left, path));
    }
}

/// What the run cost: requests, credits by what metered responses told, and what cases that cannot be undone left.
fn cost(deployment: &Deployment, cases: &[CaseReport], remains: &[Remains]) -> Cost {
    let mut credits = BTreeMap::new();
    let exchanges = cases.iter().flat_map(|case| &case.exchanges);
    for exchange in exchanges {
        let is_metered = exchange.response.iter().any(|response| {
            let mut headers = response.headers.iter();
            headers.any(|(name, _)| name == "x-service-credits-remaining-month")
                && exchange.status != Some(402)
        });
        let mut headers = exchange.request.headers.iter();
        let key = headers.find(|(name, _)| name == "x-api-key");
        if let Some((_, key)) = key
            && is_metered
        {
            *credits.entry(key.clone()).or_insert(0) += 1;
        }
    }
    Cost {
        requests: deployment.client.requests(),
        credits,
        irreversible: words::irreversible(cases, remains),
        paced_milliseconds: deployment.pace.waited_milliseconds(),
    }
}

fn write(options: &RunOptions, report: &Report) -> Result<(), Box<dyn Error>> {
    let put = |path: &Option<std::path::PathBuf>, text: &dyn Fn() -> String| match path {
        Some(path) => save(path, &text()),
        None => Ok(()),
    };
    put(&options.json, &|| json::text(report))?;
    put(&options.junit, &|| junit::text(report))?;
    put(&options.html, &|| html::page(report))
}

fn save(path: &Path, text: &str) -> Result<(), Box<dyn Error>> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, text)
        .map_err(|error| format!("{} cannot be written: {error}", path.display()).into())
}
