//! `compare`: sends the same requests to two deployments, at the same time, and compares the
//! answers. Each is recorded more than once, so that its own noise is no difference.

use std::{collections::BTreeSet, error::Error, path::PathBuf};

use clap::Args;

use super::{
    arguments::{ComparingOptions, JournalFile, Recordings, Reports, TargetOptions},
    record::{pause, print_progress},
    session::{Ended, Session, print_stops, publish},
};
use crate::{
    expectations::Expectations, report::words::counted, run::runner::Event, verdict::Verdict,
};

/// Which deployments, and how they are compared.
#[derive(Clone, Debug, Args)]
pub(super) struct CompareOptions {
    #[command(flatten)]
    target: TargetOptions,
    /// The target file of the deployment whose answers are judged by those of --target
    #[arg(long, value_name = "FILE")]
    with: PathBuf,
    #[command(flatten)]
    comparing: ComparingOptions,
    #[command(flatten)]
    recordings: Recordings,
    #[command(flatten)]
    reports: Reports,
    /// Write the report as JUnit XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
}

/// Compares; false if the answers differ, a case fails at the second deployment alone, or a budget
/// stopped the run.
pub(super) async fn run(options: CompareOptions) -> Result<bool, Box<dyn Error>> {
    let CompareOptions { target, with, comparing, recordings, reports, junit } = options;
    let second = TargetOptions { target: with, ..target.clone() };
    let mut first = Session::to_record(target, &JournalFile::default(), recordings).await?;
    let mut second = match Session::to_record(second, &JournalFile::default(), recordings).await {
        Ok(second) => second,
        Err(error) => {
            first.close().await;
            return Err(error);
        }
    };
    let (mut old, mut new) = (Vec::new(), Vec::new());
    let mut number = 1;
    let mut deployments = (first.deployment.clone(), second.deployment.clone());
    let (before, after) = loop {
        print_progress(number, recordings);
        let nothing = Expectations::default();
        // Both at the same time: what changes with the hour changes for both.
        let (mut ignore, mut ignore_too) = (|_: Event<'_>| (), |_: Event<'_>| ());
        let (before, after) = tokio::join!(
            first.run(deployments.0, &nothing, &mut ignore),
            second.run(deployments.1, &nothing, &mut ignore_too),
        );
        old.push(before.deployment.snapshots.take_recording());
        new.push(after.deployment.snapshots.take_recording());
        if number == recordings.repeat {
            break (before, after);
        }
        number += 1;
        pause(recordings).await;
        deployments = (first.again(), second.again());
    };
    first.close().await;
    second.close().await;
    let (baseline, _) = first.deployment.snapshots.baseline(first.header(), old);
    let (own, recording) = second.deployment.snapshots.baseline(second.header(), new);
    let snapshots = &second.deployment.snapshots;
    let mut comparison = snapshots.compare(&baseline, &recording, comparing.into());
    comparison.noise.extend(own.header.noise);
    comparison.noise.sort();
    let is_complete = print_stops(&before.deployment) & print_stops(&after.deployment);
    let worse = failing_after(&before, &after);
    let report = second.report(after, Some(comparison));
    publish(&report, &reports, junit.as_deref())?;
    if !worse.is_empty() {
        anstream::eprintln!(
            "{} at the second deployment alone: {}",
            counted(worse.len(), "case fails", "cases fail"),
            worse.join(", ")
        );
    }
    let is_same = report.comparison.as_ref().is_some_and(|comparison| comparison.holds());
    Ok(is_same && is_complete && worse.is_empty())
}

/// The cases that fail at the second deployment and passed at the first.
fn failing_after(before: &Ended, after: &Ended) -> Vec<String> {
    let of = |ended: &Ended, verdict: Verdict| -> BTreeSet<String> {
        let cases = ended.outcome.cases.iter().filter(|case| case.verdict == verdict);
        cases.map(|case| case.id.clone()).collect()
    };
    let (passed, failed) = (of(before, Verdict::Pass), of(after, Verdict::Fail));
    passed.intersection(&failed).cloned().collect()
}
