//! One server, sound or broken, judged by the whole suite.
//!
//! It refuses a run that judged nothing: it is neither a kill nor a survival.

use std::{
    fs, io,
    path::Path,
    process::Stdio,
    time::{Duration, Instant},
};

use serde::Deserialize;

use crate::conformance::stage::{Scene, Stage, StageError};

/// A mutant, as the server tells of it.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Mutant {
    /// `M07`.
    pub(crate) id: String,
    /// A few words.
    pub(crate) name: String,
    /// What it breaks.
    pub(crate) clause: String,
    /// How.
    pub(crate) sentence: String,
}

/// What is read of a report: six megabytes tell what was exchanged, too.
#[derive(Deserialize)]
struct Report {
    cases: Vec<Judged>,
}

/// A case of a report.
#[derive(Deserialize)]
struct Judged {
    id: String,
    verdict: String,
}

/// What became of a server.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    /// Cases that failed, in the order of the suite.
    pub(crate) failed: Vec<String>,
    /// Cases that ended neither with a pass nor with a failure nor skipped.
    pub(crate) unclear: Vec<String>,
    /// All cases that ran.
    pub(crate) ran: Vec<String>,
    /// How long the suite took, the server's start left out.
    pub(crate) elapsed: Duration,
}

/// Why a server was not judged.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TrialError {
    /// It did not start.
    #[error(transparent)]
    Stage(#[from] StageError),
    /// The suite did not start.
    #[error("payout-conformance cannot be started: {0}")]
    Start(io::Error),
    /// The suite could not run.
    #[error("the suite judged nothing on {server}; it said:\n{said}")]
    NotJudged { server: String, said: String },
}

/// A server that was judged once.
pub(crate) struct Trial<'a> {
    stage: &'a Stage,
    suite: &'a Path,
    mutant: Option<&'a Mutant>,
    scene: Scene,
    outcome: Outcome,
}

impl<'a> Trial<'a> {
    /// Starts the server on a copy of its own, and judges it. `name` is that of the copy.
    pub(crate) fn begin(
        stage: &'a Stage,
        suite: &'a Path,
        name: &str,
        mutant: Option<&'a Mutant>,
    ) -> Result<Self, TrialError> {
        let environment: Vec<(&str, &str)> = mutant
            .iter()
            .map(|mutant| ("MUTANT", mutant.id.as_str()))
            .collect();
        let scene = stage.scene(name, &environment)?;
        let outcome = judged(&scene, suite, mutant, None)?;
        Ok(Self {
            stage,
            suite,
            mutant,
            scene,
            outcome,
        })
    }

    /// Whether no case saw the mutant: it is then judged again, with cases that wait for a minute's end.
    pub(crate) fn wants_patience(&self) -> bool {
        self.mutant.is_some() && self.outcome.failed.is_empty()
    }

    /// Judges it again where that is wanted, and ends the server.
    pub(crate) fn end(self) -> Result<Outcome, TrialError> {
        let mut outcome = self.outcome.clone();
        if self.wants_patience() {
            let patient = judged(&self.scene, self.suite, self.mutant, Some("--patient"))?;
            let elapsed = outcome.elapsed + patient.elapsed;
            outcome = Outcome { elapsed, ..patient };
        }
        self.stage.close(self.scene)?;
        Ok(outcome)
    }
}

fn judged(
    scene: &Scene,
    suite: &Path,
    mutant: Option<&Mutant>,
    patience: Option<&str>,
) -> Result<Outcome, TrialError> {
    let report = scene.folder().join("report.json");
    let begun = Instant::now();
    let output = scene
        .suite(suite)
        .arg("--json")
        .arg(&report)
        .args(patience)
        .stdin(Stdio::null())
        .output()
        .map_err(TrialError::Start)?;
    let elapsed = begun.elapsed();
    let read = fs::read(&report).ok();
    let report: Option<Report> = read.and_then(|text| serde_json::from_slice(&text).ok());
    let Some(Report { cases }) = report else {
        let server = mutant.map_or("the sound server", |mutant| &mutant.id);
        return Err(TrialError::NotJudged {
            server: server.to_owned(),
            said: String::from_utf8_lossy(&output.stderr)
                .trim_end()
                .to_owned(),
        });
    };
    let of = |verdicts: &[&str]| -> Vec<String> {
        let ended = cases
            .iter()
            .filter(|case| verdicts.contains(&case.verdict.as_str()));
        ended.map(|case| case.id.clone()).collect()
    };
    Ok(Outcome {
        failed: of(&["fail"]),
        unclear: of(&["error", "inconclusive"]),
        ran: of(&["pass", "fail", "error", "inconclusive"]),
        elapsed,
    })
}
