//! `run`: runs the cases and writes the reports. Prints what the run will cost before its first
//! case.

use std::{error::Error, sync::Arc};

use super::{
    arguments::RunOptions,
    prepare::prepare,
    session::{Session, document_hash, print_stops, publish},
};
use crate::{
    baseline::{Baseline, Review},
    deployment::Deployment,
    expectations::Expectations,
    probes,
    prove::behind_proxy,
    report::model::Report,
    snapshot::KnownCase,
};

/// Runs; false if some verdict was unexpected, an answer differs from the baseline, or the budget
/// stopped the run.
///
/// # Errors
/// The target or the baseline cannot be used, or every case was skipped.
pub(super) async fn run(mut options: RunOptions) -> Result<bool, Box<dyn Error>> {
    let expectations = expectations(&options)?;
    let baseline = options.baseline.as_deref().map(Baseline::read).transpose()?;
    // As in a recording.
    options.target.choice.is_brief = baseline.is_some();
    let mut prepared = prepare(&options.target, options.snapshots).await?;
    if let Some(baseline) = &baseline {
        prepared.deployment.snapshots.record();
        print_age(baseline);
    }
    let mut session = Session::open(options.target, &options.journal, prepared).await?;
    let (deployment, _proxy) = match options.through {
        None => (Arc::clone(&session.deployment), None),
        Some(fault) => {
            let (shown, proxy) = behind_proxy(&session.deployment, Some(fault)).await?;
            (Arc::new(shown), Some(proxy))
        }
    };
    let ended = session.run_with_progress(deployment, &expectations).await;
    session.close().await;
    let deployment = Arc::clone(&ended.deployment);
    let comparison = baseline.map(|baseline| {
        let recording = deployment.snapshots.take_recording();
        deployment.snapshots.compare(&baseline, &recording, options.comparing.into())
    });
    let report = session.report(ended, comparison);
    let published = publish(&report, &options.reports, options.junit.as_deref());
    let is_complete = print_stops(&deployment);
    let findings = review_snapshots(&deployment, &report)?;
    published?;
    let is_same = report.comparison.as_ref().is_none_or(|comparison| comparison.holds());
    Ok(report.summary.unexpected == 0 && is_complete && findings == 0 && is_same)
}

/// Warns if the baseline was recorded by another document: then the requests may be others.
fn print_age(baseline: &Baseline) {
    let header = &baseline.header;
    if header.document_sha256 != document_hash() {
        anstream::eprintln!(
            "The baseline was recorded with another document ({}, suite {}): some of the \
             differences may come from other requests.",
            header.document,
            header.suite
        );
    }
}

fn expectations(options: &RunOptions) -> Result<Expectations, String> {
    let known: Vec<&str> = probes::all_cases().iter().map(|case| case.id).collect();
    let path = options.expectations.as_ref();
    path.map_or_else(|| Ok(Expectations::default()), |path| Expectations::read(path, &known))
}

/// Writes snapshots to be reviewed, and prints findings about them; returns how many.
fn review_snapshots(deployment: &Deployment, report: &Report) -> Result<usize, String> {
    let answered = report.coverage.iter().filter(|covered| covered.responses > 0);
    let answered: Vec<(&str, u16)> =
        answered.map(|covered| (covered.operation.as_str(), covered.status)).collect();
    let cases = probes::all_cases();
    let cases: Vec<KnownCase> = cases.iter().map(|case| case.known()).collect();
    let Review { written, findings } = deployment.snapshots.review(&cases, &answered)?;
    if written > 0 {
        anstream::eprintln!(
            "{written} snapshots are new or changed; `cargo insta review` shows them"
        );
    }
    for finding in &findings {
        anstream::eprintln!("{finding}");
    }
    Ok(findings.len())
}
