//! `cargo xtask demo`: compiles `payout-devdata` in the profile `demo`, and runs its command
//! `demo`.

use std::{ffi::OsString, path::Path, process::Command};

use crate::cargo;

/// The command that compiles and runs the demo.
pub(crate) fn command(root: &Path, arguments: &[OsString]) -> Command {
    let build =
        ["run", "--locked", "--profile", "demo", "--package", "payout-devdata", "--", "demo"];
    let mut command = cargo::command(root, &build);
    command.args(arguments);
    command
}
