//! Checks `openapi/examples/library/`. It is a project of its own, as a user of the generator has
//! one, so no command for the workspace reaches it.

use std::path::Path;

use super::{
    check::xtask,
    process::{self, Done},
};
use crate::{Result, cargo::command};

const MANIFEST: [&str; 2] = ["--manifest-path", "openapi/examples/library/Cargo.toml"];
const CONFIG: [&str; 2] = ["--config", "openapi/examples/library/contract.toml"];
/// Its dependencies have other features than in the workspace, so that no build would be shared.
const TARGET: [&str; 2] = ["--target-dir", "target/library"];

/// Runs its checks up to the first that fails; returns the last that ran.
pub(super) fn check(root: &Path) -> Result<Done> {
    let cargo = |name: &str, arguments: &[&str]| {
        let arguments = [&[name], &MANIFEST[..], arguments].concat();
        command(root, &arguments)
    };
    let build = [&["--locked"], &TARGET[..]].concat();
    let clippy = [&build, &["--all-targets", "--", "-D", "warnings"][..]].concat();
    let commands = [
        xtask(root, &[&["contract", "codegen", "--check"], &CONFIG[..]].concat())?,
        xtask(root, &[&["contract", "lint"], &CONFIG[..]].concat())?,
        cargo("fmt", &["--check"]),
        cargo("clippy", &clippy),
        cargo("test", &build),
    ];
    let mut done = Done::default();
    for command in commands {
        done = process::run(command)?;
        if !done.success {
            break;
        }
    }
    Ok(done)
}
