//! `cargo xtask demo`: builds `payout-devdata`, and replaces this process by its command `demo`, so
//! that signals reach it directly.

use std::{os::unix::process::CommandExt as _, path::Path, process::Command};

use crate::{
    Result,
    cargo::{Program, build},
};

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

/// Builds and starts the demo; returns only if that fails.
pub(crate) fn run(root: &Path, options: &Options) -> Result<bool> {
    let program = build(root, Program::Debug("payout-devdata"))?;
    let mut demo = Command::new(&program);
    let error = demo.arg("demo").args(&options.arguments).exec();
    Err(format!("cannot start {}: {error}", program.display()).into())
}
