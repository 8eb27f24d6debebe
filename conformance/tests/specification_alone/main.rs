//! `--decisions off` is the specification alone: a deployment that keeps every sentence of it and
//! departs from the decisions passes so, and fails with decisions.

#![allow(clippy::unwrap_used)]

mod data;
mod files;
mod operations;
mod server;

use std::{collections::BTreeSet, path::Path, process::Output};

use payout_conformance::DOCUMENT;
use serde_json::{Value, json};
use tokio::process::Command;

/// Keys by role; the server knows what each may do.
const ROLES: [&str; 14] = [
    "all",
    "partners_read",
    "partners_write",
    "commissions_read",
    "commissions_write",
    "affiliate_write",
    "portal_sessions_write",
    "expired",
    "revoked",
    "other_organization",
    "no_billing",
    "exhausted",
    "tight",
    "unlimited",
];
/// What cases need and no request of the API does: the server reads these files.
const HOOKS: &str = r#"
[hooks]
set_note = ["sh", "-c", 'printf %s "$2" > "note-$1"', "sh", "{payout}", "{note}"]
clear_note = ["sh", "-c", ': > "note-$1"', "sh", "{payout}"]
set_po_number = ["sh", "-c", 'printf %s "$2" > "po-$1"', "sh", "{payout}", "{po_number}"]
clear_po_number = ["sh", "-c", ': > "po-$1"', "sh", "{payout}"]
set_template = ["sh", "-c", 'printf %s "$1" > template', "sh", "{title}"]
clear_template = ["rm", "template"]
upload_statement = ["sh", "-c", 'cp "$2" "upload-$1"', "sh", "{payout}", "{file}"]
remove_upload = ["sh", "-c", 'rm "upload-$1"', "sh", "{payout}"]
create_key = ["sh", "-c", 'cp key.json made; cat made # $1', "sh", "{name}"]
revoke_key = ["sh", "-c", 'rm made # $1', "sh", "{key_id}"]
"#;

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
    for role in ROLES {
        command.env(format!("KEY_{}", role.to_uppercase()), server::key(role));
    }
    let output = command.output().await.unwrap();
    let text = std::fs::read_to_string(report).unwrap();
    (output, serde_json::from_str(&text).unwrap())
}

/// Starts a server with fresh data, and runs the suite against it.
async fn test(decisions: &str, flags: &[&str]) -> (Output, Value) {
    let folder = tempfile::tempdir().unwrap();
    let base_url = server::start(folder.path().to_owned()).await;
    let head = format!("name = \"other\"\nbase_url = \"{base_url}\"\nprofile = \"core\"\n");
    let roles = ROLES.map(|role| format!("{role} = \"KEY_{}\"\n", role.to_uppercase()));
    let target = format!(
        "{head}features = [\"short_links\"]\n[keys]\n{}{}{HOOKS}",
        roles.concat(),
        data::fixtures()
    );
    std::fs::write(folder.path().join("target.toml"), target).unwrap();
    run(folder.path(), decisions, flags).await
}

#[tokio::test(flavor = "multi_thread")]
async fn sound_deployment_passes_by_the_specification_alone() {
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
}

#[tokio::test(flavor = "multi_thread")]
async fn operations_that_the_deployment_leaves_out_are_named_once_and_fail_nothing() {
    let (output, report) = test("off", &[]).await;
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{text}");
    let operations = DOCUMENT.operations().iter();
    let extended = operations.filter(|operation| operation.profile.as_deref() == Some("extended"));
    let extended: Vec<&str> = extended.map(|operation| operation.id.as_str()).collect();
    assert!(extended.contains(&"createPayoutBatch"), "{extended:?}");
    assert_eq!(report["target"]["leftOut"], json!(extended), "{text}");
    let sentence = format!("Not in this profile, and not judged: {}.", extended.join(", "));
    assert_eq!(text.matches(&sentence).count(), 1, "{text}");
    for id in extended {
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
