//! Servers on copies of the data set: the faults that `payout-conformance prove` tries in front of
//! one, and the whole suite through a variation. The types are what is read of the suite's JSON.

use std::{fs, process::Stdio};

use serde::Deserialize;

use crate::{
    Result,
    conformance::{SuiteRun, TestBed, run_suite},
};

/// The report of `payout-conformance prove`, as far as it is read here.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Proof {
    pub(crate) faults: Vec<FaultReport>,
    pub(crate) failing_without_fault: Vec<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FaultReport {
    pub(crate) id: String,
    pub(crate) clause: String,
    pub(crate) sentence: String,
    pub(crate) noticed: Noticed,
    pub(crate) cases: Vec<String>,
    pub(crate) cases_about_the_clause: Vec<String>,
    pub(crate) recorded_and_silent: Vec<String>,
    pub(crate) missing: Vec<String>,
    pub(crate) elapsed_milliseconds: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Noticed {
    #[serde(rename = "noticed")]
    Yes,
    Missed,
    NotTried,
}

#[cfg(test)]
impl FaultReport {
    /// A fault that these cases noticed.
    pub(super) fn sample(id: &str, cases: &[&str], about: &[&str]) -> Self {
        let noticed = if cases.is_empty() { "missed" } else { "noticed" };
        let report = serde_json::json!({
            "id": id, "clause": "R9", "sentence": "Broken.", "noticed": noticed, "cases": cases,
            "casesAboutTheClause": about, "recordedAndSilent": [], "missing": [],
            "elapsedMilliseconds": 1_250,
        });
        serde_json::from_value(report).expect("the form of the suite's report")
    }
}

/// Tries these faults on a server of their own. `name` is that of the server's copy of the data.
pub(crate) fn prove(
    bed: &TestBed,
    name: &str,
    faults: &[String],
    every_case: bool,
) -> Result<Proof> {
    let server = bed.start(name, &[])?;
    let (report, faults) = (server.folder().join("proof.json"), faults.join(","));
    let mut command = server.suite("prove");
    command.args(["--patient", "--only", &faults, "--json"]).arg(&report);
    if every_case {
        command.arg("--every-case");
    }
    // Its progress is shown; its exit status is that of missed faults, which are in the report.
    let ended = command.stdout(Stdio::null()).status();
    ended.map_err(|error| format!("payout-conformance cannot be started: {error}"))?;
    let proof = fs::read(&report).ok().and_then(|text| serde_json::from_slice(&text).ok());
    server.close()?;
    proof.ok_or_else(|| {
        format!("`payout-conformance prove --only {faults}` tried nothing; see above").into()
    })
}

/// Runs the suite through a variation, at a server that is not known to hold the data set.
pub(crate) fn run_variation(bed: &TestBed, name: &str, id: &str) -> Result<SuiteRun> {
    // Values of lists are not compared.
    let server = bed.start(name, &["--with-generated-lines".to_owned()])?;
    let arguments = ["--through", id, "--snapshots", "accepted"].map(str::to_owned);
    let run = run_suite(&server, &arguments, server.folder(), true);
    server.close()?;
    run
}
