//! Variables of this process that a command does not get.

use std::{env, process::Command};

/// Removes the variables with these prefixes, but for PG_BINDIR, which chooses the PostgreSQL
/// installation.
pub(crate) fn remove_variables(command: &mut Command, prefixes: &[&str]) {
    for (name, _) in env::vars_os() {
        let bytes = name.as_encoded_bytes();
        let is_removed = prefixes.iter().any(|prefix| bytes.starts_with(prefix.as_bytes()));
        if is_removed && name != "PG_BINDIR" {
            command.env_remove(name);
        }
    }
}
