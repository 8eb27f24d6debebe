//! `cargo xtask codegen` as a person runs it.
//!
//! These tests refuse to write, and to compile the server inside of a test run: `--check --skip-queries`.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on shall say where it stopped"
)]

use std::{fs, path::Path, process::Command, process::Output};

fn codegen(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command
        .args(["codegen", "--check", "--skip-queries"])
        .args(arguments)
        .output()
        .unwrap()
}

fn told(output: &Output) -> String {
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
fn committed_files_are_fresh() {
    let output = codegen(&[]);
    assert!(output.status.success(), "{}", told(&output));
}

#[test]
fn stale_file_is_told_with_a_diff_and_the_mending_command() {
    let folder = tempfile::tempdir().unwrap();
    let document = changed(folder.path(), "maxLength: 200", "maxLength: 201");
    let output = codegen(&["--document", &document]);
    let told = told(&output);
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("server/src/contract/types.rs"), "{told}");
    assert!(
        told.contains("+text!(PartnerName, Text::ANY.at_least(1).at_most(201));"),
        "{told}"
    );
    assert!(told.contains("Run `cargo xtask codegen`"), "{told}");
}

#[test]
fn unsupported_construct_is_refused_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let document = changed(folder.path(), "      x-required-scope: partners:read\n", "");
    let output = codegen(&["--document", &document]);
    let told = told(&output);
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains(&format!("{document}:")), "{told}");
    assert!(
        told.contains("the operation has no `x-required-scope`; add it; known: partners:read"),
        "{told}"
    );
    assert!(told.contains("nothing was generated"), "{told}");
}

#[test]
fn missing_document_is_told_by_its_name() {
    let output = codegen(&["--document", "no/such/file.yaml"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        told(&output).contains("no/such/file.yaml"),
        "{}",
        told(&output)
    );
}
