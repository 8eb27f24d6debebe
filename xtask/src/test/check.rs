//! Runs one step. A missing tool is reported with the command that installs it.

use std::{cell::OnceCell, env, path::Path, process::Command};

use super::{
    clients,
    database::Database,
    example,
    process::{self, Done},
    step::Step,
};
use crate::{Result, cargo};

/// Random requests to each operation.
const GENERATED: &str = "25";

/// The result of a step that could run.
#[derive(Debug)]
pub(crate) enum Checked {
    Done(Done),
    Skipped(String),
}

/// The project and the database of the steps.
pub(crate) struct Workspace<'a> {
    root: &'a Path,
    /// Started by the first step that needs it.
    database: OnceCell<std::result::Result<Database, String>>,
}

impl<'a> Workspace<'a> {
    /// The project below `root`.
    pub(crate) fn new(root: &'a Path) -> Self {
        Self { root, database: OnceCell::new() }
    }

    /// Runs a step.
    pub(crate) fn check(&self, step: Step) -> Result<Checked> {
        let mut command = match step {
            Step::Deny => return deny(self.root),
            Step::Example => return Ok(Checked::Done(example::check(self.root)?)),
            Step::Clients => return clients::check(self.root),
            Step::Codegen => xtask(self.root, &["codegen", "--check"])?,
            Step::Contract => xtask(self.root, &["contract", "check"])?,
            Step::Consumers => xtask(self.root, &["contract", "consumers"])?,
            Step::Tidy => xtask(self.root, &["tidy"])?,
            Step::Conformance => xtask(self.root, &["conformance", "--", "--generate", GENERATED])?,
            Step::ConformanceCore => xtask(self.root, &["conformance", "--profile", "core"])?,
            Step::Faults => xtask(self.root, &["faults", "--sample"])?,
            Step::Format | Step::Clippy | Step::Docs | Step::Tests => {
                cargo::command(self.root, step.cargo_arguments())
            }
        };
        if step == Step::Docs {
            command.env("RUSTDOCFLAGS", "-D warnings");
        }
        if matches!(step, Step::Codegen | Step::Tests) {
            self.set_database(&mut command)?;
        }
        Ok(Checked::Done(process::run(command)?))
    }

    /// Stops the database if a step has started it.
    pub(crate) fn close(self) -> Result<()> {
        match self.database.into_inner() {
            Some(Ok(database)) => database.close(),
            Some(Err(_)) | None => Ok(()),
        }
    }

    fn set_database(&self, command: &mut Command) -> Result<()> {
        let open = || Database::open().map_err(|error| error.to_string());
        let database = self.database.get_or_init(open).as_ref().map_err(String::as_str)?;
        if let Some(url) = database.url() {
            command.env("DATABASE_URL", url);
        }
        // Without it, insta runs `cargo metadata` for each snapshot.
        command.env("INSTA_WORKSPACE_ROOT", self.root);
        command.env("INSTA_UPDATE", "no");
        Ok(())
    }
}

/// A command of this program. It is found by its path, because the build of the tests replaces the
/// file that runs.
pub(super) fn xtask(root: &Path, arguments: &[&str]) -> Result<Command> {
    let program = env::args_os().next().ok_or("this program has no name")?;
    let mut command = Command::new(program);
    command.args(arguments).current_dir(root);
    Ok(command)
}

/// Bans, licences and sources need no network; advisories do.
fn deny(root: &Path) -> Result<Checked> {
    let deny =
        |arguments: &[&str]| process::run(cargo::command(root, &[&["deny"], arguments].concat()));
    if !deny(&["--version"])?.success {
        let reason = "cargo-deny is not installed; `cargo install --locked cargo-deny` installs it";
        return Ok(Checked::Skipped(reason.to_owned()));
    }
    let mut done = deny(&["--locked", "check", "bans", "licenses", "sources"])?;
    if !deny(&["fetch", "db"])?.success {
        done.unchecked = Some("advisories (their database cannot be downloaded)".to_owned());
        return Ok(Checked::Done(done));
    }
    let advisories = deny(&["--locked", "check", "advisories"])?;
    done.success &= advisories.success;
    done.output.push_str(&advisories.output);
    Ok(Checked::Done(done))
}
