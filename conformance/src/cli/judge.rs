//! `run`: the cases, and the reports of it.
//!
//! It refuses to begin without having told what it will cost.

use std::{
    collections::BTreeMap,
    error::Error,
    fs,
    io::{self, IsTerminal as _},
    path::Path,
    time::Instant,
};

use chrono::{SecondsFormat, Utc};

use super::{
    arguments::{Decisions, RunOptions},
    prepare::{Prepared, prepare},
};
use crate::{
    case::Changes,
    expectations::Expectations,
    report::{
        html, json, junit,
        model::{CaseReport, Cost, FORMAT, Remains, Report, Summary, TargetReport},
        redact,
        terminal::{self, Paint},
    },
    run::{Progress, conduct},
};

/// Runs; `false` where some case ended otherwise than expected.
pub(super) async fn run(options: RunOptions) -> Result<bool, Box<dyn Error>> {
    let known: Vec<&str> = crate::cases::all().iter().map(|case| case.id).collect();
    let expectations = match &options.expectations {
        Some(path) => Expectations::read(path, &known)?,
        None => Expectations::default(),
    };
    let prepared = prepare(&options.target).await?;
    tell_cost(&prepared);
    let began_at = Utc::now();
    let begun = Instant::now();
    let is_terminal = io::stderr().is_terminal();
    let progress = terminal::progress::Progress::new(
        io::stderr(),
        is_terminal,
        Paint::of(is_terminal),
        prepared.planned.len(),
    );
    let (mut cases, remains) =
        conduct(&prepared.deployment, &prepared.planned, &mut Told(progress)).await;
    let mut summary = Summary::default();
    for case in &mut cases {
        let judgement = expectations.judge(&case.id, case.verdict);
        case.expected = judgement.expected;
        case.expectation = judgement.comment;
        summary.count(case.verdict, case.expected);
    }
    let deployment = &prepared.deployment;
    let mut report = Report {
        format: FORMAT,
        suite_version: env!("CARGO_PKG_VERSION").to_owned(),
        document_version: prepared.document_version.clone(),
        target: TargetReport {
            name: prepared.file.name.clone(),
            file: options.target.target.display().to_string(),
            base_url: deployment.client.base_url().to_owned(),
            profile: prepared.file.profile.name().to_owned(),
            with_decisions: options.target.decisions == Decisions::On,
            read_only: options.target.read_only,
        },
        began_at: began_at.to_rfc3339_opts(SecondsFormat::Millis, true),
        elapsed_milliseconds: u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
        summary,
        coverage: deployment.coverage.report(),
        cost: cost(&prepared, &cases),
        remains: remains
            .into_iter()
            .map(|(case, what)| Remains { case, what })
            .collect(),
        cases,
    };
    // Whatever has slipped past until here.
    redact::redact(&mut report, &deployment.redaction());
    write(&options, &report)?;
    print!(
        "{}",
        terminal::text(&report, Paint::of(io::stdout().is_terminal()))
    );
    Ok(report.summary.unexpected == 0)
}

/// Progress on standard error.
struct Told(terminal::progress::Progress<io::Stderr>);

impl Progress for Told {
    fn ended(&mut self, report: &CaseReport) {
        self.0.ended(report);
    }
}

/// Tells what the run will cost before its first call.
fn tell_cost(prepared: &Prepared) {
    let runs = prepared
        .planned
        .iter()
        .filter(|planned| planned.missing.is_empty());
    let (mut cases, mut requests, mut irreversible) = (0_u32, 0_u32, 0_u32);
    for planned in runs {
        cases += 1;
        requests += planned.case.requests;
        irreversible += u32::from(planned.case.changes == Changes::Irreversible);
    }
    let skipped = prepared.planned.len() - usize::try_from(cases).unwrap_or(0);
    eprintln!(
        "{name} at {url}: {cases} cases, at most {requests} requests and as many credits, {irreversible} cases that cannot be undone; {skipped} skipped",
        name = prepared.file.name,
        url = prepared.deployment.client.base_url(),
    );
}

/// What the run cost: requests, and credits by what metered answers told.
fn cost(prepared: &Prepared, cases: &[CaseReport]) -> Cost {
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
        requests: prepared.deployment.client.requests(),
        credits,
        irreversible: Vec::new(),
        paced_milliseconds: prepared.deployment.pace.waited_milliseconds(),
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
