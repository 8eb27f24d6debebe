//! Programs of the workspace: how each is built, where it is, and what it writes.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde_json::Value;

use crate::{Result, cargo::command};

/// Arguments of every debug build, so that all of them unify the features of dependencies alike.
/// cargo includes the features that tests need once a test, a bench or an example is built; this
/// example is small and needs nothing generated.
pub(crate) const WHOLE: [&str; 3] = ["--workspace", "--example", "inspect"];

/// Arguments of every release build, which leaves out the features of tests.
pub(crate) const RELEASE: [&str; 2] = ["--workspace", "--release"];

/// Builds a program, showing cargo's progress, and returns its path. `profile` is [`WHOLE`] or
/// [`RELEASE`], `kind` the flag of cargo: a test is built with the binaries that it runs.
pub(crate) fn build(root: &Path, profile: &[&str], kind: &str, name: &str) -> Result<PathBuf> {
    let output = command(root, &["build", "--locked"])
        .args(profile)
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

/// Runs a command to its end and returns what it wrote; its errors are shown only where it fails.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let output = command.stdin(Stdio::null()).output();
    let program = Path::new(command.get_program()).file_name().unwrap_or_default().display();
    let output = output.map_err(|error| format!("{program} cannot be run: {error}"))?;
    if output.status.success() {
        return Ok(String::from_utf8(output.stdout)?);
    }
    let name = command.get_args().next().unwrap_or_default().display();
    let text = String::from_utf8_lossy(&output.stderr);
    Err(format!("`{program} {name}` failed:\n{}", text.trim_end()).into())
}

/// The program's path in cargo's messages.
pub(crate) fn executable(messages: &str, name: &str) -> Option<PathBuf> {
    let messages = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut programs = messages.filter(|message| message["target"]["name"] == name);
    programs.find_map(|message| message["executable"].as_str().map(PathBuf::from))
}
