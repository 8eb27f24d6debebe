//! `cargo xtask demo`: builds `payout-devdata`, and replaces this process by its command `demo`, so
//! that signals reach it directly.

use std::{io, os::unix::process::CommandExt as _, path::Path, process::Command};

use crate::cargo::{BuildError, Program, build};

/// The flags of `cargo xtask demo`.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Passed to `payout-devdata demo`, such as --once; `cargo xtask demo -- --help` lists them.
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "ARGUMENTS"
    )]
    arguments: Vec<String>,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum DemoError {
    #[error(transparent)]
    Build(#[from] BuildError),
    #[error("cannot start {0}: {1}")]
    Start(String, io::Error),
}

/// Builds and starts the demo; returns only if that fails.
pub(crate) fn run(root: &Path, options: &Options) -> Result<bool, DemoError> {
    let program = build(root, Program::Debug("payout-devdata"))?;
    let mut demo = Command::new(&program);
    let error = demo.arg("demo").args(&options.arguments).exec();
    Err(DemoError::Start(program.display().to_string(), error))
}
