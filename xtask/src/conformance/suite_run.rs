//! One run of the suite, and how its cases ended.

use std::{
    fs,
    path::Path,
    process::Stdio,
    time::{Duration, Instant},
};

use serde::Deserialize;

use super::test_bed::TestServer;
use crate::{Result, deployment::failed};

/// Reports that each run writes, and the flags for them.
const REPORTS: [(&str, &str); 3] =
    [("--html", "report.html"), ("--json", "report.json"), ("--junit", "report.junit.xml")];
/// The suite's words for a fixture that other cases or earlier runs have used up.
const SPENT: &str = "(none is left)";

#[derive(Clone, Debug)]
pub(crate) struct SuiteRun {
    pub(crate) cases: Vec<CaseReport>,
    /// What the suite wrote to standard error, if it ended with a failure; empty where that was
    /// shown already.
    pub(crate) failure: Option<String>,
    /// The time that the suite took, with its start and its reports.
    pub(super) elapsed: Duration,
    /// True if no other run used the same server before this one.
    pub(super) is_first: bool,
}

#[derive(Deserialize)]
struct Report {
    cases: Vec<CaseReport>,
}

/// The report of a case, as far as it is read here.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct CaseReport {
    pub(crate) id: String,
    /// pass, fail, …
    pub(crate) verdict: String,
    /// True if the verdict was foreseen.
    #[serde(rename = "expected")]
    pub(crate) is_expected: bool,
    because: Option<Diagnosis>,
}

#[derive(Clone, Debug, Default, Deserialize)]
struct Diagnosis {
    what: String,
    missing: Vec<String>,
}

impl CaseReport {
    /// Why it ended so, in a sentence; empty on a pass.
    pub(crate) fn what(&self) -> &str {
        self.because.as_ref().map_or("", |because| &because.what)
    }

    /// Returns true if what the case lacked had been used up.
    pub(super) fn is_spent(&self) -> bool {
        let missing = self.because.as_ref().map_or(&[][..], |because| &because.missing);
        !missing.is_empty() && missing.iter().all(|lack| lack.ends_with(SPENT))
    }
}

#[cfg(test)]
impl SuiteRun {
    /// A first run with these ids and verdicts; `spent` is a skip because of a used fixture.
    pub(crate) fn sample(verdicts: &[(&str, &str)]) -> Self {
        let case = |&(id, verdict): &(&str, &str)| {
            let missing = (verdict == "spent").then(|| format!("fixture x {SPENT}"));
            CaseReport {
                id: id.to_owned(),
                verdict: verdict.replace("spent", "skipped"),
                is_expected: verdict != "fail",
                because: Some(Diagnosis {
                    what: String::new(),
                    missing: missing.into_iter().collect(),
                }),
            }
        };
        let cases: Vec<CaseReport> = verdicts.iter().map(case).collect();
        let failure = cases.iter().any(|case| !case.is_expected).then(String::new);
        Self { cases, failure, elapsed: Duration::ZERO, is_first: true }
    }
}

/// Runs the suite on a server. The reports go into the folder, which exists; a quiet run prints
/// nothing.
pub(crate) fn run_suite(
    server: &TestServer,
    arguments: &[String],
    reports: &Path,
    is_quiet: bool,
) -> Result<SuiteRun> {
    let mut command = server.suite("run");
    for (flag, file) in REPORTS {
        command.arg(flag).arg(reports.join(file));
    }
    // Each response that a case shows has a reviewed snapshot here. Later arguments override this.
    command.args(["--snapshots", "required"]);
    command.args(arguments);
    if !is_quiet {
        command.stdout(Stdio::inherit()).stderr(Stdio::inherit());
    }
    let begun = Instant::now();
    let output = command.output()?;
    let elapsed = begun.elapsed();
    let message = String::from_utf8_lossy(&output.stderr).trim_end().to_owned();
    if !matches!(output.status.code(), Some(0 | 1)) {
        return Err(format!("the suite judged nothing:\n{message}").into());
    }
    let report =
        fs::read(reports.join("report.json")).map_err(failed("read the suite's report"))?;
    let Report { cases } = serde_json::from_slice(&report)?;
    Ok(SuiteRun {
        cases,
        failure: (!output.status.success()).then_some(message),
        elapsed,
        is_first: true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn report_has_verdicts_and_what_was_spent() {
        let report = br#"{"format": 1, "cases": [
            {"id": "a", "verdict": "pass", "expected": true, "because": null},
            {"id": "b", "verdict": "fail", "expected": false, "because": {
                "what": "No.", "expected": "1", "actual": "2", "exchange": 0, "missing": []}},
            {"id": "c", "verdict": "skipped", "expected": true, "because": {
                "what": "Not run.", "missing": ["fixture lines_to_detach (none is left)"]}},
            {"id": "d", "verdict": "skipped", "expected": true, "because": {
                "what": "Not run.", "missing": ["fixture payout", "fixture x (none is left)"]}}
        ]}"#;
        let Report { cases } = serde_json::from_slice(report).unwrap();
        let ended: Vec<_> = cases
            .iter()
            .map(|case| (case.verdict.as_str(), case.is_expected, case.is_spent()))
            .collect();
        // Of d, one of two fixtures is missing, not spent.
        let expected = [
            ("pass", true, false),
            ("fail", false, false),
            ("skipped", true, true),
            ("skipped", true, false),
        ];
        assert_eq!(ended, expected);
        assert_eq!(cases[1].what(), "No.");
        assert!(serde_json::from_slice::<Report>(b"{}").is_err());
    }
}
