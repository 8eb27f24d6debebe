//! Runs cargo, and the demo by it, from a program that cargo itself runs.

use std::{env, ffi::OsString, path::Path, process::Command};

use crate::environment::remove_variables;

/// Prefixes of variables that `cargo run` sets. Build scripts watch them: passed on, they would
/// make cargo rebuild half of the tree.
const CARGO_RUN_VARIABLES: [&str; 2] = ["CARGO_MANIFEST_", "CARGO_PKG_"];

/// A cargo command in the project's root.
pub(crate) fn command(root: &Path, arguments: &[&str]) -> Command {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    remove_variables(&mut command, &CARGO_RUN_VARIABLES);
    // Queries are checked against server/.sqlx, never against a database.
    command.env("SQLX_OFFLINE", "true");
    command.args(arguments).current_dir(root);
    command
}

/// Compiles `payout-devdata` in the profile `demo`, and runs its command `demo`.
pub(crate) fn demo(root: &Path, arguments: &[OsString]) -> Command {
    let build =
        ["run", "--locked", "--profile", "demo", "--package", "payout-devdata", "--", "demo"];
    let mut demo = command(root, &build);
    demo.args(arguments);
    demo
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_of_cargo_run_are_not_passed_on() {
        let command = command(Path::new("/"), &["--version"]);
        let removed: Vec<_> = command.get_envs().filter(|(_, value)| value.is_none()).collect();
        assert!(removed.iter().any(|(name, _)| *name == "CARGO_MANIFEST_DIR"), "{removed:?}");
        assert!(removed.iter().all(|(name, _)| *name != "CARGO_HOME"), "{removed:?}");
    }
}
