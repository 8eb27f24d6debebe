//! A run from its plan to its report: what `run`, `record` and `compare` share.

use std::{error::Error, fs, path::Path, sync::Arc, time::Instant};

use chrono::{SecondsFormat, Utc};
use sha2::{Digest as _, Sha256};

use super::{
    arguments::{JournalFile, Recordings, Reports, TargetOptions},
    prepare::{Prepared, prepare},
};
use crate::{
    baseline::{self, ComparisonReport, Header, Mode},
    deployment::{Deployment, intents::Intents},
    document::DOCUMENT,
    expectations::Expectations,
    isolation::{self, Marker, Unmarked},
    journal::{self, Journal},
    report::{
        gap::unproved,
        html, json, junit,
        model::{Cost, FORMAT, Report, Summary, TargetReport},
        progress::Progress,
        redact, terminal, words,
    },
    run::{
        coverage::Coverage,
        plan::{Estimate, Planned},
        runner::{Event, Outcome, run_cases},
    },
    target::TargetFile,
};

/// A deployment that is ready for its run, or for several.
pub(super) struct Session {
    pub(super) deployment: Arc<Deployment>,
    options: TargetOptions,
    file: TargetFile,
    planned: Vec<Planned>,
    coverage: Coverage,
    document_version: String,
    left_out: Vec<String>,
    marker: Option<Marker>,
    began_at: String,
    begun: Instant,
}

/// The end of one run.
pub(super) struct Ended {
    pub(super) deployment: Arc<Deployment>,
    pub(super) outcome: Outcome,
}

impl Session {
    /// Prints what the run costs and opens its journal.
    pub(super) async fn open(
        options: TargetOptions,
        journal: &JournalFile,
        mut prepared: Prepared,
    ) -> Result<Self, Box<dyn Error>> {
        print_cost(&prepared);
        let marker = open_journal(journal, &options.target, &mut prepared).await?;
        let began_at = Utc::now().to_rfc3339_opts(SecondsFormat::Millis, true);
        let Prepared { file, deployment, planned, coverage, document_version, left_out } = prepared;
        let (deployment, begun) = (Arc::new(deployment), Instant::now());
        Ok(Self {
            deployment,
            options,
            file,
            planned,
            coverage,
            document_version,
            left_out,
            marker,
            began_at,
            begun,
        })
    }

    /// Opens a session whose answers are kept. It changes nothing unless the options say so.
    pub(super) async fn to_record(
        mut options: TargetOptions,
        journal: &JournalFile,
        recordings: Recordings,
    ) -> Result<Self, Box<dyn Error>> {
        options.choice.read_only |= !recordings.changes;
        options.choice.is_brief = true;
        let mut prepared = prepare(&options, Mode::default()).await?;
        prepared.deployment.snapshots.record();
        if options.deadline.is_none() {
            let deadline = &prepared.deployment.budget.deadline;
            let pause = std::time::Duration::from_secs(recordings.pause.into());
            let each = deadline.time().saturating_add(pause);
            deadline.set(each.saturating_mul(recordings.repeat.into()));
        }
        Self::open(options, journal, prepared).await
    }

    /// The deployment for one more run, with nothing recorded.
    pub(super) fn again(&self) -> Arc<Deployment> {
        Arc::new(self.deployment.again(self.deployment.client.clone()))
    }

    /// Runs the cases on this deployment, which is the session's own or that behind a proxy.
    pub(super) async fn run(
        &self,
        deployment: Arc<Deployment>,
        expectations: &Expectations,
        on_event: &mut dyn FnMut(Event<'_>),
    ) -> Ended {
        let Self { planned, coverage, .. } = self;
        let outcome = run_cases(&deployment, planned, expectations, coverage, on_event).await;
        Ended { deployment, outcome }
    }

    /// Runs the cases, and shows progress on standard error.
    pub(super) async fn run_with_progress(
        &self,
        deployment: Arc<Deployment>,
        expectations: &Expectations,
    ) -> Ended {
        let mut progress = Progress::stderr(self.planned.len());
        let mut on_event = |event: Event<'_>| match event {
            Event::Began(id) => progress.began(id),
            Event::Ended(case) => progress.ended(case),
        };
        self.run(deployment, expectations, &mut on_event).await
    }

    /// Removes the marker of the run.
    pub(super) async fn close(&mut self) {
        release(self.marker.take()).await;
    }

    /// Describes this deployment for the head of its baseline.
    pub(super) fn header(&self) -> Header {
        let Self { file, deployment, document_version, .. } = self;
        let profiles = file.profiles.names();
        Header {
            format: baseline::FORMAT,
            suite: env!("CARGO_PKG_VERSION").to_owned(),
            document: document_version.clone(),
            document_sha256: document_hash(),
            target: file.name.clone(),
            base_url: deployment.client.base_url.clone(),
            recorded_at: self.began_at.clone(),
            read_only: self.options.choice.read_only,
            decisions: deployment.with_decisions,
            profiles: profiles.iter().map(ToString::to_string).collect(),
            ..Header::default()
        }
    }

    /// The report of a run, without secrets.
    pub(super) fn report(&self, ended: Ended, comparison: Option<ComparisonReport>) -> Report {
        let Ended { deployment, outcome } = ended;
        let is_whole = self.options.choice.cases.is_empty();
        let report = Report {
            format: FORMAT,
            suite_version: env!("CARGO_PKG_VERSION").to_owned(),
            document_version: self.document_version.clone(),
            target: self.tested(&deployment),
            began_at: self.began_at.clone(),
            elapsed_milliseconds: u64::try_from(self.begun.elapsed().as_millis())
                .unwrap_or(u64::MAX),
            summary: Summary::of(&outcome.cases),
            comparison,
            unproved: if is_whole {
                unproved(&outcome.cases, deployment.with_decisions)
            } else {
                Vec::new()
            },
            coverage: self.coverage.report(),
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
        redact::redact(&report, &deployment.redaction())
    }

    fn tested(&self, deployment: &Deployment) -> TargetReport {
        let TargetOptions { target, choice, .. } = &self.options;
        let Self { file, left_out, .. } = self;
        TargetReport {
            name: file.name.clone(),
            file: target.display().to_string(),
            base_url: deployment.client.base_url.clone(),
            profiles: file.profiles.names().iter().map(ToString::to_string).collect(),
            left_out: left_out.clone(),
            random_requests: choice.cases.is_empty().then_some(choice.generate),
            with_decisions: deployment.with_decisions,
            read_only: choice.read_only,
        }
    }
}

/// SHA-256 of the document, by which a baseline of another one is noticed.
pub(super) fn document_hash() -> String {
    hex::encode(Sha256::digest(DOCUMENT.value().to_string()))
}

/// Writes the reports, and prints the one of the terminal.
///
/// # Errors
/// A file cannot be written, or every case was skipped.
pub(super) fn publish(
    report: &Report,
    reports: &Reports,
    junit: Option<&Path>,
) -> Result<(), Box<dyn Error>> {
    save(reports.json.as_deref(), || json::text(report))?;
    save(junit, || junit::text(report))?;
    save(reports.html.as_deref(), || html::page(report))?;
    anstream::print!("{}", terminal::text(report));
    if report.summary.skipped == report.cases.len() {
        let why = "no case ran: each was skipped, for the reason above, so nothing was tested";
        return Err(
            format!("{why}; `payout-conformance doctor` shows what the target lacks").into()
        );
    }
    Ok(())
}

/// Prints why the budget or the deadline stopped the run; true if they did not.
pub(super) fn print_stops(deployment: &Deployment) -> bool {
    let stops = deployment.budget.stops();
    for stop in &stops {
        anstream::eprintln!(
            "The run was stopped: {stop}. The cases that did not start are skipped above, so this \
             is not a complete result."
        );
    }
    stops.is_empty()
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
    file: &JournalFile,
    target: &Path,
    prepared: &mut Prepared,
) -> Result<Option<Marker>, Box<dyn Error>> {
    let path = file.journal.clone().unwrap_or_else(|| journal::beside(target));
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
