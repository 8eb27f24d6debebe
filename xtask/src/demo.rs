//! `cargo xtask demo`: builds the server, and becomes `payout-server demo`.
//!
//! It refuses to stay in between: the server replaces this process, so that every signal reaches it and nothing is
//! left behind.

use std::{
    io,
    os::unix::process::CommandExt as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde_json::Value;

use crate::cargo;

const SERVER: &str = "payout-server";

/// What is told to `payout-server demo`.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Handed on to `payout-server demo`, such as --once; `payout-server demo --help` lists them.
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "ARGUMENTS"
    )]
    arguments: Vec<String>,
}

/// Why there is no demo.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DemoError {
    /// The compiler has said why.
    #[error(
        "the server cannot be built; mend what the compiler names above, then run `cargo xtask demo` again"
    )]
    Build,
    /// cargo or the server cannot be started.
    #[error("{0} cannot be started: {1}")]
    Start(String, io::Error),
}

/// Builds the server and becomes it; returns only where that fails.
///
/// # Errors
/// The server cannot be built or started.
pub(crate) fn run(root: &Path, options: &Options) -> Result<bool, DemoError> {
    let program = build(root)?;
    let error = Command::new(&program)
        .arg("demo")
        .args(&options.arguments)
        .exec();
    Err(DemoError::Start(program.display().to_string(), error))
}

/// Builds with the progress that cargo shows, and returns where the program is.
fn build(root: &Path) -> Result<PathBuf, DemoError> {
    // The whole workspace, although one program is needed: with fewer packages some dependencies would get fewer
    // features, and be built a second time for `cargo test --workspace`.
    let arguments = [
        "build",
        "--locked",
        "--workspace",
        "--bin",
        SERVER,
        "--message-format",
        "json-render-diagnostics",
    ];
    let output = cargo::command(root, &arguments)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| DemoError::Start("cargo".to_owned(), error))?;
    let messages = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        return Err(DemoError::Build);
    }
    executable(&messages).ok_or(DemoError::Build)
}

/// Where cargo says that it put the server.
fn executable(messages: &str) -> Option<PathBuf> {
    let messages = messages
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut programs = messages.filter(|message| message["target"]["name"] == SERVER);
    programs.find_map(|message| message["executable"].as_str().map(PathBuf::from))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn program_is_where_cargo_says() {
        let messages = r#"{"reason":"compiler-artifact","target":{"name":"payout_server"},"executable":null}
{"reason":"compiler-artifact","target":{"name":"payout-server"},"executable":"/build/debug/payout-server"}
{"reason":"build-finished","success":true}"#;
        assert_eq!(
            executable(messages),
            Some("/build/debug/payout-server".into())
        );
        assert_eq!(executable("not json"), None);
    }
}
