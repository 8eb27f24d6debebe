//! One run of the suite, and how its cases ended.
//!
//! It refuses a run that wrote no report: it is neither a good one nor a bad one.

use std::{
    collections::BTreeMap,
    fs, io,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use serde::Deserialize;

use super::stage::Scene;

/// Reports that each run writes, and the flags for them.
const REPORTS: [(&str, &str); 3] = [
    ("--html", "report.html"),
    ("--json", "report.json"),
    ("--junit", "report.junit.xml"),
];
/// How the suite says that other cases, or earlier runs, have used a fixture up.
const SPENT: &str = "(none is left)";

#[derive(Clone, Debug)]
pub(super) struct Judged {
    pub(super) cases: BTreeMap<String, Ended>,
    /// How long the suite took, its start and its reports included.
    pub(super) elapsed: Duration,
    /// Whether another run was made on the same server before this one, or beside it.
    pub(super) is_first: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ended {
    /// As the report calls it: pass, fail, …
    pub(super) verdict: String,
    /// Whether that was foreseen.
    pub(super) is_expected: bool,
    /// Why, in a sentence; empty on a pass.
    pub(super) what: String,
    /// What it lacked had been used up.
    pub(super) is_spent: bool,
}

/// Whose voice a run has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Voice {
    /// Its own: what it says is seen at once.
    Own,
    /// None: what it says is kept, for a run that judged nothing.
    None,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum RunError {
    #[error("payout-conformance cannot be started: {0}")]
    Start(io::Error),
    #[error("the suite judged nothing; it said:\n{0}")]
    NotJudged(String),
    #[error("the suite's report {0} cannot be read: {1}")]
    Report(String, io::Error),
}

#[derive(Deserialize)]
struct Report {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    id: String,
    verdict: String,
    expected: bool,
    because: Option<Because>,
}

#[derive(Deserialize)]
struct Because {
    what: String,
    missing: Vec<String>,
}

/// Judges the server of a scene; the reports go into the folder, which exists.
pub(super) fn judge(
    scene: &Scene,
    suite: &Path,
    arguments: &[String],
    reports: &Path,
    voice: Voice,
) -> Result<Judged, RunError> {
    let mut command = scene.suite(suite, "run");
    for (flag, file) in REPORTS {
        command.arg(flag).arg(reports.join(file));
    }
    // On the data set of this checkout each answer that a case shows has a reviewed snapshot. Whoever says otherwise, says it last.
    command.args(["--snapshots", "required"]);
    command.args(arguments).stdin(Stdio::null());
    let begun = Instant::now();
    let (code, said) = run(&mut command, voice).map_err(RunError::Start)?;
    let elapsed = begun.elapsed();
    if !matches!(code, Some(0 | 1)) {
        return Err(RunError::NotJudged(said));
    }
    let path = reports.join("report.json");
    let failed = |error| RunError::Report(path.display().to_string(), error);
    let text = fs::read_to_string(&path).map_err(failed)?;
    let cases = read(&text).map_err(|error| failed(error.into()))?;
    Ok(Judged {
        cases,
        elapsed,
        is_first: true,
    })
}

fn run(command: &mut Command, voice: Voice) -> io::Result<(Option<i32>, String)> {
    if voice == Voice::Own {
        let status = command.status()?;
        return Ok((status.code(), "see above".to_owned()));
    }
    let output = command.output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    Ok((output.status.code(), said.trim_end().to_owned()))
}

fn read(report: &str) -> Result<BTreeMap<String, Ended>, serde_json::Error> {
    let report: Report = serde_json::from_str(report)?;
    let cases = report.cases.into_iter().map(|case| {
        let because = case.because.unwrap_or(Because {
            what: String::new(),
            missing: Vec::new(),
        });
        let mut missing = because.missing.iter();
        let ended = Ended {
            is_spent: !because.missing.is_empty() && missing.all(|lack| lack.ends_with(SPENT)),
            verdict: case.verdict,
            is_expected: case.expected,
            what: because.what,
        };
        (case.id, ended)
    });
    Ok(cases.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn report_tells_verdicts_and_what_was_spent() {
        let report = r#"{"format": 1, "cases": [
            {"id": "a", "verdict": "pass", "expected": true, "because": null},
            {"id": "b", "verdict": "fail", "expected": false, "because": {"what": "No.", "expected": "1", "actual": "2", "exchange": 0, "missing": []}},
            {"id": "c", "verdict": "skipped", "expected": true, "because": {"what": "Not run.", "missing": ["fixture lines_to_detach (none is left)"]}},
            {"id": "d", "verdict": "skipped", "expected": true, "because": {"what": "Not run.", "missing": ["fixture payout", "fixture x (none is left)"]}}
        ]}"#;
        let cases = read(report).unwrap();
        let told = |id: &str| {
            let ended: &Ended = &cases[id];
            (ended.verdict.as_str(), ended.is_expected, ended.is_spent)
        };
        assert_eq!(told("a"), ("pass", true, false));
        assert_eq!(told("b"), ("fail", false, false));
        assert_eq!(told("c"), ("skipped", true, true));
        assert_eq!(
            told("d"),
            ("skipped", true, false),
            "one of two is missing, not spent"
        );
        assert_eq!(cases["b"].what, "No.");
        assert!(read("{}").is_err());
    }
}
