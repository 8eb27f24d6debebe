//! The command `contract round-trip` with a document that is there already.

#![expect(clippy::unwrap_used, reason = "a panic names its line")]

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

const DOCUMENT: &str = r#"openapi: 3.0.3
info: { title: A library, version: "1" }
paths:
  /loans:
    get:
      operationId: listLoans
      summary: List loans
      responses: { "200": { description: The loans. } }
"#;

fn run(folder: &Path, arguments: &[&str]) -> Output {
    let arguments = [&["round-trip", "--emitted", "emitted.yaml"], arguments].concat();
    let mut program = Command::new(env!("CARGO_BIN_EXE_contract"));
    program.args(arguments).current_dir(folder).output().unwrap()
}

fn printed(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// A project whose server loses the summary.
fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("openapi")).unwrap();
    fs::write(folder.path().join("openapi/api.yaml"), DOCUMENT).unwrap();
    let emitted = DOCUMENT.replace("      summary: List loans\n", "");
    fs::write(folder.path().join("emitted.yaml"), emitted).unwrap();
    folder
}

fn ledger(count: &str) -> String {
    format!(
        "[[ledger]]\nelements = [\"operation.summary\"]\ncount = {count}\nreason = \"A test.\"\n"
    )
}

#[test]
fn suggested_rule_is_accepted_once_it_has_a_reason() {
    let folder = project();
    let output = run(folder.path(), &[]);
    assert_eq!(output.status.code(), Some(1));
    let text = printed(&output);
    let finding = "openapi/api.yaml:7:7: GET /loans: operation.summary \"List loans\" is not in \
                   the emitted document\n";
    assert!(text.starts_with(finding), "{text}");
    let (_, rule) = text.split_once("\n\n").unwrap();
    let (rule, numbers) = rule.split_once("\n\n").unwrap();
    assert!(numbers.ends_with(" 0 in the ledger, 1 open\n"), "{numbers}");
    let file = folder.path().join("openapi/round-trip.toml");
    fs::write(&file, rule).unwrap();
    let output = run(folder.path(), &[]);
    assert_eq!(output.status.code(), Some(1));
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(error.contains("round-trip.toml: line 1: the rule has no reason"), "{error}");
    fs::write(&file, rule.replace('…', "A test.")).unwrap();
    let output = run(folder.path(), &[]);
    assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
    assert!(printed(&output).ends_with(" 1 in the ledger, 0 open\n"), "{}", printed(&output));
}

#[test]
fn update_lowers_a_count_and_never_raises_it() {
    let folder = project();
    let file = folder.path().join("openapi/round-trip.toml");
    fs::write(&file, ledger("5")).unwrap();
    assert_eq!(run(folder.path(), &[]).status.code(), Some(1));
    assert_eq!(run(folder.path(), &["--update"]).status.code(), Some(0));
    assert_eq!(fs::read_to_string(&file).unwrap(), ledger("1"));
    fs::write(&file, ledger("0")).unwrap();
    assert_eq!(run(folder.path(), &["--update"]).status.code(), Some(1));
    assert_eq!(fs::read_to_string(&file).unwrap(), ledger("0"));
}

#[test]
fn findings_are_also_json_and_annotations() {
    let folder = project();
    let json = printed(&run(folder.path(), &["--format", "json"]));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["findings"][0]["element"], "operation.summary");
    assert_eq!(json["findings"][0]["line"], 7);
    assert_eq!(json["total"]["open"], 1);
    let annotations = printed(&run(folder.path(), &["--format", "github"]));
    let expected = "::error file=openapi/api.yaml,line=7,col=7,title=operation.summary::";
    assert!(annotations.starts_with(expected), "{annotations}");
}

#[test]
fn all_prints_a_table() {
    let text = printed(&run(project().path(), &["--all"]));
    assert!(text.contains("| operation.summary | 0 | 0 | 0 | 1 |\n"), "{text}");
    assert!(text.contains("| operation | 1 | 0 | 0 | 0 |\n"), "{text}");
}
