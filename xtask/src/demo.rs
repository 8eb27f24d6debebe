//! `cargo xtask demo`: builds the server, and becomes `payout-server demo`.
//!
//! It refuses to stay in between: the server replaces this process, so that every signal reaches it and nothing is
//! left behind.

use std::{io, os::unix::process::CommandExt as _, path::Path, process::Command};

use crate::cargo::{BuildError, Program, build};

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
    /// The server cannot be built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The server cannot be started.
    #[error("{0} cannot be started: {1}")]
    Start(String, io::Error),
}

/// Builds the server and becomes it; returns only where that fails.
///
/// # Errors
/// The server cannot be built or started.
pub(crate) fn run(root: &Path, options: &Options) -> Result<bool, DemoError> {
    let program = build(root, Program::Debug("payout-server"))?;
    let error = Command::new(&program)
        .arg("demo")
        .args(&options.arguments)
        .exec();
    Err(DemoError::Start(program.display().to_string(), error))
}
