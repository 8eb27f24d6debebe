//! `contract` ends quietly when nobody reads what it prints, as after `| head`, and reports what it
//! could not write.

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

#[test]
#[cfg(target_os = "linux")]
fn full_output_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let document = "openapi: 3.0.3\ninfo: { title: A, version: '1' }\npaths: {}\n";
    std::fs::write(folder.path().join("api.yaml"), document).unwrap();
    for arguments in [
        &["lint", "api.yaml"][..],
        &["lint", "--format", "json", "api.yaml"],
        &["lint", "--list"],
        &["lint", "--explain", "pattern"],
        &["coverage", "api.yaml"],
        &["coverage", "--json", "api.yaml"],
        &["breaking", "api.yaml", "api.yaml"],
        &["breaking", "--changelog", "markdown", "api.yaml", "api.yaml"],
        &["bundle", "api.yaml"],
        &["freeze", "api.yaml"],
        &["mock", "api.yaml", "--listen", "127.0.0.1:0"],
        &["--help"],
        &["lint", "--help"],
        &["--version"],
    ] {
        let full = || std::fs::File::options().write(true).open("/dev/full").unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_contract"));
        command.args(arguments).current_dir(folder.path()).stdout(full());
        let output = command.output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(
            error.ends_with(
                "could not write to the standard output: No space left on device (os error 28)\n"
            ),
            "{arguments:?}: {error}"
        );
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
        assert_eq!(command.stderr(full()).status().unwrap().code(), Some(2), "{arguments:?}");
    }
}
