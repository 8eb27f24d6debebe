//! `--decisions off` is the specification alone: a deployment that keeps every sentence of it and
//! departs from the decisions passes so, and fails with decisions.

#![allow(clippy::unwrap_used)]

mod baseline;
mod data;
mod files;
mod operations;
mod server;

use std::{collections::BTreeSet, path::Path, process::Output};

use payout_conformance::DOCUMENT;
use serde_json::{Value, json};
use tokio::process::Command;

/// The target file of the server.
const TARGET: &str = include_str!("target.toml");

/// A case that a run with `--read-only` skips.
const CHANGES_DATA: &str = "update-partner.body.name.accepted";

/// Sentences that no case can prove here, and why.
const UNPROVED: [(&str, &str); 2] = [
    ("§4.3.partnerOwnerId", "how a partner shows its owner's id is not specified"),
    ("§7.404", "it is stated for the statement endpoint: §4.7.5"),
];

/// Decisions from which the deployment departs without a case that fails by its own assertion.
const UNNOTICED: [(&str, &str); 8] = [
    ("A1", "its keys have another form, so the case is skipped"),
    ("A4", "a 402 is counted here, too"),
    ("E.codes", "an invariant of every response"),
    ("R2.null", NO_CONTROL),
    ("R2.unknown", NO_CONTROL),
    ("R4.400", NO_CONTROL),
    ("R4.415", NO_CONTROL),
    ("V5", "an invariant of every response"),
];
const NO_CONTROL: &str = "the control gets a 410 in place of a 404, so the cases are inconclusive";

async fn run(folder: &Path, decisions: &str, flags: &[&str]) -> (Output, Value) {
    let report = folder.join(format!("{decisions}.json"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_payout-conformance"));
    command.arg("run").arg("--target").arg(folder.join("target.toml"));
    command.args(["--decisions", decisions, "--consent", "irreversible"]).args(flags);
    command.arg("--json").arg(&report);
    let target: toml::Table = TARGET.parse().unwrap();
    for (role, variable) in target["keys"].as_table().unwrap() {
        command.env(variable.as_str().unwrap(), server::key(role));
    }
    let output = command.output().await.unwrap();
    let text = std::fs::read_to_string(report).unwrap();
    (output, serde_json::from_str(&text).unwrap())
}

/// Starts a server with fresh data, and runs the suite against it.
async fn test(decisions: &str, flags: &[&str]) -> (Output, Value) {
    let folder = tempfile::tempdir().unwrap();
    let base_url = server::start(folder.path().to_owned()).await;
    let target = TARGET.replace("{base_url}", &base_url);
    std::fs::write(folder.path().join("target.toml"), target).unwrap();
    run(folder.path(), decisions, flags).await
}

#[tokio::test(flavor = "multi_thread")]
async fn sound_deployment_passes_by_the_specification_alone_and_is_not_asked_for_more() {
    let (output, report) = test("off", &[]).await;
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{text}");
    for verdict in ["fail", "error", "inconclusive", "unexpected"] {
        assert_eq!(report["summary"][verdict], 0, "{verdict}: {text}");
    }
    let unproved = report["unproved"].as_array().unwrap().iter();
    let unproved: BTreeSet<&str> = unproved
        .filter(|unproved| unproved["withoutCase"].is_null())
        .map(|unproved| unproved["clause"]["id"].as_str().unwrap())
        .collect();
    assert_eq!(unproved, UNPROVED.map(|(id, _)| id).into(), "{text}");
    // Operations that the deployment leaves out are named once, and fail nothing.
    let operations = DOCUMENT.operations().iter();
    let others = operations.filter(|operation| operation.profile.as_deref() != Some("core"));
    let others: Vec<&str> = others.map(|operation| operation.id.as_str()).collect();
    assert!(others.contains(&"createPayoutBatch"), "{others:?}");
    assert_eq!(report["target"]["leftOut"], json!(others), "{text}");
    let sentence = format!("Not in these profiles, and not judged: {}.", others.join(", "));
    assert_eq!(text.matches(&sentence).count(), 1, "{text}");
    for id in others {
        let is_about = |case: &&Value| case["operation"] == id;
        assert_eq!(report["cases"].as_array().unwrap().iter().find(is_about), None);
        let words = text.split(|letter: char| !letter.is_alphanumeric());
        assert_eq!(words.filter(|word| *word == id).count(), 1, "{id}: {text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn same_deployment_fails_by_each_decision() {
    let (output, report) = test("on", &[]).await;
    assert_eq!(output.status.code(), Some(1));
    let cases = || report["cases"].as_array().unwrap().iter();
    let clauses: BTreeSet<&str> = cases()
        .filter(|case| case["clause"]["source"] == "decision")
        .map(|case| case["clause"]["id"].as_str().unwrap())
        .collect();
    // Every response lacks its request id (R13); a case must also fail by what it asserts itself.
    let fails = |clause: &str| {
        let mut about = cases().filter(|case| case["clause"]["id"] == clause);
        about.any(|case| {
            let what = case["because"]["what"].as_str().unwrap_or_default();
            case["verdict"] == "fail" && !what.starts_with("A response violates an invariant")
        })
    };
    let unnoticed: BTreeSet<&str> = clauses.into_iter().filter(|clause| !fails(clause)).collect();
    assert_eq!(unnoticed, UNNOTICED.map(|(id, _)| id).into());
}

#[tokio::test(flavor = "multi_thread")]
async fn run_in_which_every_case_was_skipped_tested_nothing() {
    let (output, report) = test("off", &["--read-only", "--case", CHANGES_DATA]).await;
    assert_eq!(report["summary"]["skipped"], 1);
    assert_eq!(report["cases"].as_array().unwrap().len(), 1);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(errors.contains("error: no case ran"), "{errors}");
}
