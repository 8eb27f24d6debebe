//! The command `cargo xtask codegen`, with `--check --skip-queries`: no test writes a file or
//! compiles the server.

#![expect(clippy::unwrap_used, reason = "a panic names its line")]

use std::{fs, path::Path, process::Command, process::Output};

fn codegen(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.args(["codegen", "--check", "--skip-queries"]).args(arguments).output().unwrap()
}

fn message(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Our document with one text replaced.
fn changed(folder: &Path, from: &str, to: &str) -> String {
    let ours = Path::new(env!("CARGO_MANIFEST_DIR")).join("../openapi/api.yaml");
    let text = fs::read_to_string(ours).unwrap();
    assert!(text.contains(from), "{from}");
    let path = folder.join("changed.yaml");
    fs::write(&path, text.replacen(from, to, 1)).unwrap();
    path.display().to_string()
}

#[test]
fn stale_file_is_reported_with_a_diff_and_the_command() {
    let folder = tempfile::tempdir().unwrap();
    let document = changed(folder.path(), "maxLength: 200", "maxLength: 201");
    let output = codegen(&["--document", &document]);
    let message = message(&output);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("server/src/contract/types.rs"), "{message}");
    assert!(
        message.contains("+text!(PartnerName, Text::ANY.at_least(1).at_most(201));"),
        "{message}"
    );
    assert!(message.contains("Run `cargo xtask codegen`"), "{message}");
}

#[test]
fn missing_document_is_reported_by_name() {
    let output = codegen(&["--document", "no/such/file.yaml"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(message(&output).contains("no/such/file.yaml"), "{}", message(&output));
}
