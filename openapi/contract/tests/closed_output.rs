//! `contract` ends quietly when nobody reads what it prints, as after `| head`.

#![allow(clippy::unwrap_used)]

#[path = "../../tests/shared/closed_output.rs"]
mod closed_output;

use std::process::Command;

use closed_output::ends_the_same_without_a_reader;

const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../api.yaml");

#[test]
fn commands_end_the_same_without_a_reader() {
    let folder = tempfile::tempdir().unwrap();
    let faulty = folder.path().join("faulty.yaml");
    std::fs::write(&faulty, "openapi: 3.0.3\ninfo: {}\npaths: {}\n").unwrap();
    let faulty = faulty.to_str().unwrap();
    for arguments in [
        &["lint", DOCUMENT][..],
        &["lint", faulty],
        &["lint", "--format", "json", faulty],
        &["coverage", DOCUMENT],
        &["--help"],
    ] {
        ends_the_same_without_a_reader(|| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_contract"));
            command.args(arguments);
            command
        });
    }
}
