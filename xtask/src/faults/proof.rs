//! One server on a copy of the data set, and the faults that `payout-conformance prove` tries in
//! front of it.

use std::{fs, path::Path, process::Stdio};

use serde::Deserialize;

use crate::{
    Result,
    conformance::stage::{Scene, Stage},
};

/// A fault or variation, as `payout-faults list` prints it.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Fault {
    pub(crate) kind: Kind,
    /// Such as `missing-key-403`.
    pub(crate) id: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    Fault,
    Variation,
}

/// What `payout-conformance prove` found, as far as it is read here.
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
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Self {
            id: id.to_owned(),
            clause: "R9".to_owned(),
            sentence: "Broken.".to_owned(),
            noticed: if cases.is_empty() { Noticed::Missed } else { Noticed::Yes },
            cases: owned(cases),
            cases_about_the_clause: owned(about),
            recorded_and_silent: Vec::new(),
            missing: Vec::new(),
            elapsed_milliseconds: 1_250,
        }
    }
}

/// Tries these faults on a server of their own. `name` is that of the server's copy of the data.
pub(crate) fn prove(
    stage: &Stage,
    suite: &Path,
    name: &str,
    faults: &[String],
    every_case: bool,
) -> Result<Proof> {
    let scene = stage.scene(name, &[])?;
    let proof = prove_on(&scene, suite, faults, every_case);
    stage.close(scene)?;
    proof
}

fn prove_on(scene: &Scene, suite: &Path, faults: &[String], every_case: bool) -> Result<Proof> {
    let (report, faults) = (scene.folder().join("proof.json"), faults.join(","));
    let mut command = scene.suite(suite, "prove");
    command.args(["--patient", "--only", &faults, "--json"]).arg(&report);
    if every_case {
        command.arg("--every-case");
    }
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("payout-conformance cannot be started: {error}"))?;
    let read = fs::read(&report).ok();
    read.and_then(|text| serde_json::from_slice(&text).ok()).ok_or_else(|| {
        let said = String::from_utf8_lossy(&output.stderr).trim_end().to_owned();
        format!("`payout-conformance prove --only {faults}` tried nothing; it said:\n{said}").into()
    })
}
