//! `cargo deny`. Bans, licences and sources need no network; advisories do.

use std::path::Path;

use super::process::{self, Checked, Done};
use crate::{Result, cargo};

pub(super) fn check(root: &Path) -> Result<Done> {
    let deny =
        |arguments: &[&str]| process::run(cargo::command(root, &[&["deny"], arguments].concat()));
    if !deny(&["--version"])?.success {
        let reason = "cargo-deny is not installed; `cargo install --locked cargo-deny` installs it";
        return Ok(Done::skipped(reason.to_owned()));
    }
    let mut done = deny(&["--locked", "check", "bans", "licenses", "sources"])?;
    if !deny(&["fetch", "db"])?.success {
        let advisories = "advisories (their database cannot be downloaded)";
        done.checked = Checked::AllBut(advisories.to_owned());
        return Ok(done);
    }
    let advisories = deny(&["--locked", "check", "advisories"])?;
    done.success &= advisories.success;
    done.output.push_str(&advisories.output);
    Ok(done)
}
