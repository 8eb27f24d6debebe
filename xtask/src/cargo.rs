//! cargo, run by a program that cargo itself runs.
//!
//! It refuses to hand on what cargo told us about ourselves: build scripts that watch those variables would run again,
//! and half of the tree would be built twice.

use std::{env, path::Path, process::Command};

/// Variables that `cargo run` sets for the program it runs.
const ABOUT_US: [&str; 2] = ["CARGO_MANIFEST_", "CARGO_PKG_"];

/// A cargo command in the project's root, for its usual build folder.
pub(crate) fn command(root: &Path, arguments: &[&str]) -> Command {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    for (name, _) in env::vars_os() {
        let bytes = name.as_encoded_bytes();
        if ABOUT_US
            .iter()
            .any(|prefix| bytes.starts_with(prefix.as_bytes()))
        {
            command.env_remove(name);
        }
    }
    // Queries are checked against server/.sqlx: a build must not depend on whichever database is near.
    command.env("SQLX_OFFLINE", "true");
    command.args(arguments).current_dir(root);
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cargo_told_us_is_not_handed_on() {
        let command = command(Path::new("/"), &["--version"]);
        let removed: Vec<_> = command
            .get_envs()
            .filter(|(_, value)| value.is_none())
            .collect();
        assert!(
            removed
                .iter()
                .any(|(name, _)| *name == "CARGO_MANIFEST_DIR"),
            "{removed:?}"
        );
        assert!(
            removed.iter().all(|(name, _)| *name != "CARGO_HOME"),
            "{removed:?}"
        );
    }
}
