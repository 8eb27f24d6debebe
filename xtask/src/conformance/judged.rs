//! One run of the suite, and how its cases ended.

use std::{
    collections::BTreeMap,
    fs, io,
    path::Path,
    process::Stdio,
    time::{Duration, Instant},
};

use serde::Deserialize;

use super::stage::Scene;
use crate::Result;

/// Reports that each run writes, and the flags for them.
const REPORTS: [(&str, &str); 3] =
    [("--html", "report.html"), ("--json", "report.json"), ("--junit", "report.junit.xml")];
/// How the suite reports that other cases or earlier runs have used a fixture up.
const SPENT: &str = "(none is left)";

#[derive(Clone, Debug)]
pub(crate) struct Judged {
    pub(crate) cases: BTreeMap<String, Ended>,
    /// How long the suite took, its start and its reports included.
    pub(super) elapsed: Duration,
    /// Whether no other run used the same server before this one or at the same time.
    pub(super) is_first: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ended {
    /// As the report calls it: pass, fail, …
    pub(crate) verdict: String,
    /// Whether that was foreseen.
    pub(crate) is_expected: bool,
    /// Why, in a sentence; empty on a pass.
    pub(crate) what: String,
    /// What it lacked had been used up.
    pub(super) is_spent: bool,
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
    because: Option<Diagnosis>,
}

#[derive(Default, Deserialize)]
struct Diagnosis {
    what: String,
    missing: Vec<String>,
}

/// Judges the server of a scene. The reports go into the folder, which exists; a quiet run prints
/// nothing, unless it judged nothing.
pub(crate) fn judge(
    scene: &Scene,
    suite: &Path,
    arguments: &[String],
    reports: &Path,
    is_quiet: bool,
) -> Result<Judged> {
    let mut command = scene.suite(suite, "run");
    for (flag, file) in REPORTS {
        command.arg(flag).arg(reports.join(file));
    }
    // Each response that a case shows has a reviewed snapshot here. Later arguments override this.
    command.args(["--snapshots", "required"]);
    command.args(arguments).stdin(Stdio::null());
    if !is_quiet {
        command.stdout(Stdio::inherit()).stderr(Stdio::inherit());
    }
    let begun = Instant::now();
    let output = command.output()?;
    let elapsed = begun.elapsed();
    if !matches!(output.status.code(), Some(0 | 1)) {
        let message = String::from_utf8_lossy(&output.stderr);
        return Err(format!("the suite judged nothing:\n{}", message.trim_end()).into());
    }
    let path = reports.join("report.json");
    let failed = |error: io::Error| format!("{} cannot be read: {error}", path.display());
    let text = fs::read_to_string(&path).map_err(failed)?;
    Ok(Judged {
        cases: read(&text).map_err(|error| failed(error.into()))?,
        elapsed,
        is_first: true,
    })
}

fn read(report: &str) -> serde_json::Result<BTreeMap<String, Ended>> {
    let report: Report = serde_json::from_str(report)?;
    let cases = report.cases.into_iter().map(|case| {
        let because = case.because.unwrap_or_default();
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
            {"id": "b", "verdict": "fail", "expected": false, "because": {
                "what": "No.", "expected": "1", "actual": "2", "exchange": 0, "missing": []}},
            {"id": "c", "verdict": "skipped", "expected": true, "because": {
                "what": "Not run.", "missing": ["fixture lines_to_detach (none is left)"]}},
            {"id": "d", "verdict": "skipped", "expected": true, "because": {
                "what": "Not run.", "missing": ["fixture payout", "fixture x (none is left)"]}}
        ]}"#;
        let cases = read(report).unwrap();
        let told = |id: &str| {
            let ended: &Ended = &cases[id];
            (ended.verdict.as_str(), ended.is_expected, ended.is_spent)
        };
        assert_eq!(told("a"), ("pass", true, false));
        assert_eq!(told("b"), ("fail", false, false));
        assert_eq!(told("c"), ("skipped", true, true));
        assert_eq!(told("d"), ("skipped", true, false), "one of two is missing, not spent");
        assert_eq!(cases["b"].what, "No.");
        assert!(read("{}").is_err());
    }
}
