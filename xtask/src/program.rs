//! Programs of the workspace: how each is built, and where it is.

use std::{
    path::{Path, PathBuf},
    process::Stdio,
};

use serde_json::Value;

use crate::{Result, cargo::command};

/// Arguments of every debug build, so that all of them unify the features of dependencies alike.
/// cargo includes the features that tests need once a test, a bench or an example is built; this
/// example is small and needs nothing generated.
pub(crate) const WHOLE: [&str; 3] = ["--workspace", "--example", "inspect"];

/// A program of the workspace, and how it is built.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Program {
    /// A binary in the dev profile.
    Debug(&'static str),
    /// A binary in the release profile.
    Released(&'static str),
    /// A bench target in the release profile.
    Bench(&'static str),
    /// An example in the release profile.
    ReleasedExample(&'static str),
    /// A test binary in the release profile; the binaries that it runs are built with it.
    ReleasedTest(&'static str),
}

/// Builds a program, showing cargo's progress, and returns its path.
pub(crate) fn build(root: &Path, program: Program) -> Result<PathBuf> {
    // A release is built without the features of tests.
    let release = &["--workspace", "--release"][..];
    let (packages, kind, name) = match program {
        Program::Debug(name) => (&WHOLE[..], "--bin", name),
        Program::Released(name) => (release, "--bin", name),
        Program::Bench(name) => (release, "--bench", name),
        Program::ReleasedExample(name) => (release, "--example", name),
        Program::ReleasedTest(name) => (release, "--test", name),
    };
    let output = command(root, &["build", "--locked"])
        .args(packages)
        .args([kind, name, "--message-format", "json-render-diagnostics"])
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("cargo cannot be started: {error}"))?;
    let messages = String::from_utf8_lossy(&output.stdout);
    let built = executable(&messages, name).filter(|_| output.status.success());
    built.ok_or_else(|| {
        format!(
            "{name} cannot be built; fix the compile errors above, then run the same command again"
        )
        .into()
    })
}

/// The program's path in cargo's messages.
fn executable(messages: &str, name: &str) -> Option<PathBuf> {
    let messages = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut programs = messages.filter(|message| message["target"]["name"] == name);
    programs.find_map(|message| message["executable"].as_str().map(PathBuf::from))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn program_is_found_in_cargos_messages() {
        let messages = r#"{"target":{"name":"payout_server"},"executable":null}
{"target":{"name":"payout-server"},"executable":"/build/debug/payout-server"}
{"reason":"build-finished","success":true}"#;
        assert_eq!(
            executable(messages, "payout-server"),
            Some("/build/debug/payout-server".into())
        );
        assert_eq!(executable("not json", "payout-server"), None);
    }
}
