//! The commands `contract breaking` and `contract freeze`, as their users call them.

use std::{fs, path::Path, process::Command};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{base, with};

/// Makes a folder with a document, the released one, and a configuration that names them.
fn project() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "old.json", &base().to_string());
    write(folder.path(), "new.json", &edited().to_string());
    let config = "document = \"new.json\"\nreleased = \"released\"\n";
    write(folder.path(), "contract.toml", config);
    folder
}

/// Changes an operation id, removes a parameter, and adds a description.
fn edited() -> Value {
    let operation = "/paths/~1things~1{id}/post";
    let document = with(base(), &format!("{operation}/parameters/1"), &Value::Null);
    let document = with(document, &format!("{operation}/operationId"), &json!("updateThing"));
    with(document, &format!("{operation}/description"), &json!("Changes it."))
}

fn write(folder: &Path, name: &str, text: &str) {
    fs::write(folder.join(name), text).unwrap();
}

/// Runs the program, and returns its exit status and the text of both streams.
fn contract(folder: &Path, arguments: &[&str]) -> (i32, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_contract"));
    let output = command.args(arguments).current_dir(folder).output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap(), String::from_utf8(text).unwrap())
}

fn breaking(folder: &Path, arguments: &[&str]) -> (i32, String) {
    contract(folder, &[&["breaking", "old.json", "new.json"], arguments].concat())
}

fn fingerprint(folder: &Path, rule: &str) -> String {
    let (_, report) = breaking(folder, &["--format", "json"]);
    let report: Value = serde_json::from_str(&report).unwrap();
    let changes = report["changes"].as_array().unwrap();
    let change = changes.iter().find(|change| change["rule"] == rule).unwrap();
    change["fingerprint"].as_str().unwrap().to_owned()
}

#[test]
fn report_has_place_sentence_and_operation_and_ends_with_the_line_that_accepts() {
    let folder = project();
    let (status, text) = breaking(folder.path(), &[]);
    assert_eq!(status, 1, "{text}");
    let expected = "old.json:1:";
    assert!(text.starts_with(expected), "{text}");
    for part in [
        "breaking: A client that sends the parameter `sort` is rejected",
        "[request-parameter-removed]\n    parameter sort of POST /things/{id}; fingerprint ",
        "warning: The operation has the operationId `updateThing` instead of `changeThing`",
        "1 breaking, 1 warnings, 0 compatible, 0 accepted: old.json -> new.json\n",
    ] {
        assert!(text.contains(part), "{part}\n\n{text}");
    }
    let fingerprint = fingerprint(folder.path(), "request-parameter-removed");
    let last = format!("    {{ fingerprint = \"{fingerprint}\", reason = \"…\" }},\n");
    assert!(text.ends_with(&last), "{text}");
}

#[test]
fn descriptions_are_reported_on_request_only() {
    let folder = project();
    assert!(!breaking(folder.path(), &[]).1.contains("description-changed"));
    assert!(breaking(folder.path(), &["--all"]).1.contains("[description-changed]"));
}

#[test]
fn accepted_change_is_no_finding() {
    let folder = project();
    let fingerprint = fingerprint(folder.path(), "request-parameter-removed");
    let accept = |fingerprint: &str, reason: &str| {
        let line = format!("{{ fingerprint = \"{fingerprint}\", reason = \"{reason}\" }}");
        write(folder.path(), "accepted.toml", &format!("accepted = [{line}]\n"));
        breaking(folder.path(), &["--accepted", "accepted.toml"])
    };
    let (status, text) = accept(&fingerprint, "Nobody sorts.");
    assert_eq!(status, 0, "{text}");
    assert!(text.contains(": accepted: A client") && text.contains("Nobody sorts."), "{text}");
    let (status, text) = accept("0123456789ab", "Nobody sorts.");
    assert_eq!(status, 1, "{text}");
    assert!(text.contains("warning: the accepted 0123456789ab matches no change"), "{text}");
    let (status, text) = accept(&fingerprint, " ");
    assert_eq!(status, 2, "{text}");
    assert!(text.contains("has no reason"), "{text}");
    write(folder.path(), "accepted.toml", "accepted = [{ fingerprint = \"0123456789ab\" }]");
    let (status, text) = breaking(folder.path(), &["--accepted", "accepted.toml"]);
    assert_eq!(status, 2, "{text}");
    assert!(text.contains("reason"), "{text}");
}

#[test]
fn warnings_are_findings_on_request_only() {
    let folder = project();
    let renamed = with(base(), "/paths/~1things~1{id}/post/operationId", &json!("updateThing"));
    write(folder.path(), "new.json", &renamed.to_string());
    assert_eq!(breaking(folder.path(), &[]).0, 0);
    assert_eq!(breaking(folder.path(), &["--fail-on", "warning"]).0, 1);
}

#[test]
fn annotations_name_file_and_line() {
    let (_, text) = breaking(project().path(), &["--format", "github"]);
    let expected = "::error file=old.json,line=1,title=request-parameter-removed::A client";
    assert!(text.starts_with(expected), "{text}");
    assert!(
        text.contains("\n::warning file=new.json,line=1,title=operation-id-changed::"),
        "{text}"
    );
}

#[test]
fn changelog_is_grouped_by_level_and_operation() {
    let (_, text) = breaking(project().path(), &["--changelog", "markdown"]);
    let expected = "# Changes from 1 to 1\n\n## Breaking\n\n### POST /things/{id}\n\n- A client";
    assert!(text.starts_with(expected), "{text}");
    assert!(text.contains("\n## To be checked by clients\n"), "{text}");
}

#[test]
fn command_that_cannot_run_ends_with_2() {
    let folder = project();
    let (status, text) = contract(folder.path(), &["breaking", "absent.yaml", "new.json"]);
    assert_eq!(status, 2);
    assert!(text.contains("absent.yaml: cannot read the document"), "{text}");
    let (status, text) = contract(folder.path(), &["breaking"]);
    assert_eq!(status, 2);
    assert!(text.contains("write one with `contract freeze`"), "{text}");
}

#[test]
fn newest_released_document_is_compared_with_the_current_one() {
    let folder = project();
    let (status, text) = contract(folder.path(), &["freeze", "old.json"]);
    assert_eq!((status, text.ends_with(": frozen\n")), (0, true), "{text}");
    let (status, text) = contract(folder.path(), &["breaking"]);
    assert_eq!(status, 1);
    assert!(text.contains("1 breaking, 1 warnings") && text.contains("released/1-"), "{text}");
}

#[test]
fn frozen_document_never_changes() {
    let folder = project();
    assert_eq!(contract(folder.path(), &["freeze", "--check"]).0, 1);
    assert_eq!(contract(folder.path(), &["freeze", "old.json"]).0, 0);
    let (status, text) = contract(folder.path(), &["freeze", "old.json"]);
    assert_eq!((status, text.contains("already frozen")), (0, true), "{text}");
    let (status, text) = contract(folder.path(), &["freeze"]);
    assert_eq!((status, text.contains("raise info.version")), (1, true), "{text}");
    assert_eq!(contract(folder.path(), &["freeze", "--check"]).0, 0);
    let released = fs::read_dir(folder.path().join("released")).unwrap().next().unwrap().unwrap();
    fs::write(released.path(), edited().to_string()).unwrap();
    let (status, text) = contract(folder.path(), &["freeze", "--check"]);
    assert_eq!((status, text.contains("never changes")), (1, true), "{text}");
}

#[test]
fn version_that_is_no_file_name_is_not_frozen() {
    let folder = project();
    let outside = with(base(), "/info/version", &json!("../1"));
    write(folder.path(), "new.json", &outside.to_string());
    let (status, text) = contract(folder.path(), &["freeze"]);
    assert_eq!((status, text.contains("cannot be part of a file name")), (2, true), "{text}");
}
