//! `record`: writes what a deployment answers as a baseline. It is recorded more than once, so that
//! noise is measured.

use std::{error::Error, path::PathBuf, time::Duration};

use clap::Args;

use super::{
    arguments::{JournalFile, Recordings, TargetOptions},
    session::{Ended, Session, print_stops},
};
use crate::{
    baseline::{self, Baseline, Noise},
    expectations::Expectations,
    report::words::counted,
    snapshot::Recording,
    verdict::Verdict,
};

/// Places of noise that are printed.
const SHOWN: usize = 60;

/// Options of `record`: cases, and the folder of the baseline.
#[derive(Clone, Debug, Args)]
pub(super) struct RecordOptions {
    #[command(flatten)]
    target: TargetOptions,
    /// The folder to write: a new one, or a baseline that is replaced
    #[arg(long, value_name = "FOLDER")]
    baseline: PathBuf,
    /// Write what is new or changed beside the files of the baseline, for `cargo insta review
    /// --workspace-root FOLDER`, instead of replacing it
    #[arg(long)]
    review: bool,
    #[command(flatten)]
    recordings: Recordings,
    #[command(flatten)]
    journal: JournalFile,
}

/// Records; false if the budget or the deadline stopped it, so that nothing was written.
pub(super) async fn run(options: RecordOptions) -> Result<bool, Box<dyn Error>> {
    if options.review {
        Baseline::read(&options.baseline)?;
    }
    // Before the first request.
    baseline::check(&options.baseline)?;
    let mut session =
        Session::to_record(options.target, &options.journal, options.recordings).await?;
    let (recordings, last) = record(&session, options.recordings).await;
    session.close().await;
    if !print_stops(&last.deployment) {
        anstream::eprintln!("Nothing was written.");
        return Ok(false);
    }
    let (baseline, _) = session.deployment.snapshots.baseline(session.header(), recordings);
    let baseline = baseline.without(&last.deployment.redaction());
    if baseline.is_empty() {
        return Err("no case ran, so there is nothing to record; `payout-conformance doctor` \
                    shows what the target lacks"
            .into());
    }
    print_noise(&baseline.header.noise);
    let cases = &last.outcome.cases;
    let failed = cases.iter().filter(|case| case.verdict == Verdict::Fail).count();
    if failed > 0 {
        anstream::eprintln!(
            "{} failed: the baseline holds what the deployment answered to them.",
            counted(failed, "case", "cases")
        );
    }
    let folder = options.baseline.display();
    if options.review {
        let (count, gone) = baseline.write_for_review(&options.baseline)?;
        let files = counted(count, "file is", "files are");
        anstream::println!(
            "{files} new or changed; `cargo insta review --workspace-root {folder}` shows them."
        );
        for name in gone {
            anstream::println!("No case takes {name} any more: delete {folder}/{name}.snap.");
        }
        return Ok(true);
    }
    baseline.write(&options.baseline)?;
    anstream::println!("{folder}: {}.", baseline.summary());
    Ok(true)
}

/// Runs the cases as often as requested, with pauses.
async fn record(session: &Session, recordings: Recordings) -> (Vec<Recording>, Ended) {
    let mut taken = Vec::new();
    let mut number = 1;
    let mut deployment = session.deployment.clone();
    loop {
        print_progress(number, recordings);
        let ended = session.run_with_progress(deployment, &Expectations::default()).await;
        taken.push(ended.deployment.snapshots.take_recording());
        let is_stopped = !ended.deployment.budget.stops().is_empty();
        if number == recordings.repeat || is_stopped {
            return (taken, ended);
        }
        number += 1;
        pause(recordings).await;
        deployment = session.again();
    }
}

pub(super) fn print_progress(number: u8, recordings: Recordings) {
    anstream::eprintln!("recording {number} of {}", recordings.repeat);
}

/// Waits between two recordings, so that values of the clock differ.
pub(super) async fn pause(recordings: Recordings) {
    if recordings.pause > 0 {
        anstream::eprintln!(
            "waiting {} s, so that values of the clock differ (--pause)",
            recordings.pause
        );
        tokio::time::sleep(Duration::from_secs(recordings.pause.into())).await;
    }
}

fn print_noise(noise: &[Noise]) {
    if noise.is_empty() {
        return;
    }
    anstream::println!("Different from recording to recording, and not compared:");
    for Noise { response, at, count } in noise.iter().take(SHOWN) {
        let times = counted(*count, "time", "times");
        anstream::println!("  {response}  {at}  ({times})");
    }
    if noise.len() > SHOWN {
        anstream::println!("  … and {} more, in baseline.toml", noise.len() - SHOWN);
    }
}
