//! One step, carried out.
//!
//! It refuses to weaken a step because a tool is missing: then it says so, with the command that installs it.

use std::{cell::OnceCell, env, error::Error, path::Path, process::Command};

use super::{
    database::Database,
    process::{self, Done},
    step::Step,
};
use crate::cargo;

/// What came of a step that could run.
#[derive(Debug)]
pub(crate) enum Checked {
    Done(Done),
    Skipped(String),
}

/// Where steps are carried out.
pub(crate) struct Place<'a> {
    root: &'a Path,
    /// Opened by the first step that needs it.
    database: OnceCell<Result<Database, String>>,
}

impl<'a> Place<'a> {
    /// The project below `root`.
    pub(crate) fn new(root: &'a Path) -> Self {
        Self {
            root,
            database: OnceCell::new(),
        }
    }

    /// Carries a step out.
    ///
    /// # Errors
    /// It could not run.
    pub(crate) fn check(&self, step: Step) -> Result<Checked, Box<dyn Error>> {
        let mut command = match step {
            Step::Deny => return deny(self.root),
            Step::Codegen => ourselves(self.root, &["codegen", "--check"])?,
            Step::Tidy => ourselves(self.root, &["tidy"])?,
            Step::Conformance => ourselves(self.root, &["conformance"])?,
            Step::Faults => ourselves(self.root, &["faults", "--sample"])?,
            Step::Format | Step::Clippy | Step::Docs | Step::Tests => {
                cargo::command(self.root, step.cargo_arguments())
            }
        };
        if step == Step::Docs {
            command.env("RUSTDOCFLAGS", "-D warnings");
        }
        if matches!(step, Step::Codegen | Step::Tests) {
            self.give_database(&mut command)?;
        }
        Ok(Checked::Done(process::run(command)?))
    }

    /// Stops the database, where a step has opened one.
    ///
    /// # Errors
    /// It has not stopped in time.
    pub(crate) fn close(self) -> Result<(), Box<dyn Error>> {
        match self.database.into_inner() {
            Some(Ok(database)) => Ok(database.close()?),
            Some(Err(_)) | None => Ok(()),
        }
    }

    fn give_database(&self, command: &mut Command) -> Result<(), Box<dyn Error>> {
        let open = || Database::open().map_err(|error| error.to_string());
        let database = self
            .database
            .get_or_init(open)
            .as_ref()
            .map_err(String::as_str)?;
        if let Some(url) = database.url() {
            command.env("DATABASE_URL", url);
        }
        // Without it, each snapshot would ask cargo where the workspace is.
        command.env("INSTA_WORKSPACE_ROOT", self.root);
        command.env("INSTA_UPDATE", "no");
        Ok(())
    }
}

/// A command of this very program.
fn ourselves(root: &Path, arguments: &[&str]) -> Result<Command, Box<dyn Error>> {
    let mut command = Command::new(env::current_exe()?);
    command.args(arguments).current_dir(root);
    Ok(command)
}

/// Bans, licences and sources need no network; the list of known faults does.
fn deny(root: &Path) -> Result<Checked, Box<dyn Error>> {
    let deny =
        |arguments: &[&str]| process::run(cargo::command(root, &[&["deny"], arguments].concat()));
    if !deny(&["--version"])?.success {
        let reason = "cargo-deny is not installed; `cargo install --locked cargo-deny` installs it";
        return Ok(Checked::Skipped(reason.to_owned()));
    }
    let mut done = deny(&["--locked", "check", "bans", "licenses", "sources"])?;
    if !deny(&["fetch", "db"])?.success {
        done.unchecked = Some("advisories, whose database cannot be reached from here");
        return Ok(Checked::Done(done));
    }
    let advisories = deny(&["--locked", "check", "advisories"])?;
    done.success &= advisories.success;
    done.output.push_str(&advisories.output);
    Ok(Checked::Done(done))
}
