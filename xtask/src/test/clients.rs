//! Clients that others' generators make of the document call a server of this checkout, and others'
//! linters and validators read the document: the programs in `client/foreign/`.
//!
//! Their packages are installed below `target/clients/` once, and again when its lock file changes.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    process::Command,
};

use serde::Deserialize;

use super::process::{self, Checked, Done};
use crate::{
    Result, conformance::TestBed, deployment::failed, parallel::in_parallel, program::output,
};

/// Each check runs mostly on one core.
const THREADS: usize = 2;

/// A folder of programs; `languages.toml` has each.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Language {
    needs: String,
    /// Succeeds where what it needs is there.
    probe: String,
    lock: String,
    install: String,
    /// Succeeds where packages can be downloaded.
    reach: String,
    checks: Vec<String>,
}

/// The result of an installation.
#[derive(Debug)]
enum Installed {
    /// The folder in which the checks run.
    Ready(PathBuf),
    /// The reason that nothing of this language can be checked here.
    Missing(String),
    Failed(Done),
}

/// Runs the checks of each language that can be installed.
pub(super) fn check(root: &Path) -> Result<Done> {
    let languages: BTreeMap<String, Language> = toml::from_str(include_str!("languages.toml"))?;
    let all = languages.iter().collect();
    let installed = in_parallel(THREADS, all, |(folder, language)| language.install(root, folder))?;
    let mut checks = Vec::new();
    let mut missing = Vec::new();
    for (language, installed) in languages.values().zip(installed) {
        match installed {
            Installed::Ready(folder) => {
                checks.extend(language.checks.iter().map(|check| shell(check, &folder)));
            }
            Installed::Missing(reason) => missing.push(reason),
            Installed::Failed(done) => return Ok(done),
        }
    }
    let missing = missing.join("; ");
    if checks.is_empty() {
        return Ok(Done::skipped(missing));
    }
    let bed = TestBed::open(root, "clients", 1)?;
    let server = bed.start("clients", &[])?;
    for check in &mut checks {
        check.envs(server.environment()).env("DOCUMENT", root.join("openapi/api.yaml"));
    }
    let done = in_parallel(THREADS, checks, |check| Ok(process::run(check)?))?;
    server.close()?;
    let failed = done.iter().filter(|done| !done.success);
    Ok(Done {
        success: done.iter().all(|done| done.success),
        output: failed.map(|done| done.output.as_str()).collect(),
        checked: if missing.is_empty() { Checked::All } else { Checked::AllBut(missing) },
        ..Done::default()
    })
}

impl Language {
    /// Installs what the programs need, unless an earlier run did.
    fn install(&self, root: &Path, name: &str) -> Result<Installed> {
        let missing =
            |what: &str| Ok(Installed::Missing(format!("client/foreign/{name} needs {what}")));
        let folder = copy(root, name)?;
        if !process::run(shell(&self.probe, &folder))?.success {
            return missing(&self.needs);
        }
        let lock = fs::read(folder.join(&self.lock)).map_err(failed("read a lock file"))?;
        let installed = folder.with_file_name("installed");
        if fs::read(&installed).is_ok_and(|installed| installed == lock) {
            return Ok(Installed::Ready(folder));
        }
        let done = process::run(shell(&self.install, &folder))?;
        if done.success {
            fs::write(installed, lock).map_err(failed("note what is installed"))?;
            return Ok(Installed::Ready(folder));
        }
        if process::run(shell(&self.reach, &folder))?.success {
            return Ok(Installed::Failed(done));
        }
        missing("packages, but their registry cannot be reached; connect and run it again")
    }
}

/// Copies the programs into an empty folder beside what is installed.
fn copy(root: &Path, name: &str) -> Result<PathBuf> {
    let folder = root.join("target/clients").join(name).join("programs");
    match fs::remove_dir_all(&folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(failed("remove the programs of an earlier run")(error).into());
        }
        _ => fs::create_dir_all(&folder).map_err(failed("make a folder for programs"))?,
    }
    let source = root.join("client/foreign").join(name).join(".");
    output(Command::new("cp").arg("-R").args([&source, &folder]))?;
    Ok(folder)
}

/// A command of the shell, for programs that report nothing to their makers.
fn shell(line: &str, folder: &Path) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", line]).current_dir(folder);
    let quiet = ["DO_NOT_TRACK", "NO_COLOR", "NO_UPDATE_NOTIFIER", "PIP_DISABLE_PIP_VERSION_CHECK"];
    command.envs(quiet.map(|name| (name, "1")));
    command.envs([("REDOCLY_TELEMETRY", "off"), ("REDOCLY_SUPPRESS_UPDATE_NOTICE", "true")]);
    command
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    fn language() -> Language {
        let all = "needs = 'a compiler'\nprobe = 'true'\nlock = 'lock'\n\
                   install = 'echo broken; false'\nreach = 'true'\nchecks = []";
        toml::from_str(all).unwrap()
    }

    fn project() -> TempDir {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("client/foreign/any");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("lock"), "1").unwrap();
        root
    }

    fn reason(language: &Language) -> String {
        match language.install(project().path(), "any").unwrap() {
            Installed::Missing(reason) => reason,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn missing_program_and_unreachable_registry_are_reasons() {
        let without_program = reason(&Language { probe: "false".to_owned(), ..language() });
        assert_eq!(without_program, "client/foreign/any needs a compiler");
        let offline = reason(&Language { reach: "false".to_owned(), ..language() });
        assert!(offline.contains("registry cannot be reached"), "{offline}");
    }

    #[test]
    fn broken_installation_fails_where_the_registry_is_reached() {
        match language().install(project().path(), "any").unwrap() {
            Installed::Failed(done) => assert_eq!(done.output, "broken\n"),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn packages_are_installed_again_when_their_lock_file_changes() {
        let root = project();
        let install = || {
            let count = Language { install: "echo >> ../count".to_owned(), ..language() };
            count.install(root.path(), "any").unwrap();
            fs::read(root.path().join("target/clients/any/count")).unwrap().len()
        };
        assert_eq!((install(), install()), (1, 1));
        fs::write(root.path().join("client/foreign/any/lock"), "2").unwrap();
        assert_eq!(install(), 2);
    }
}
