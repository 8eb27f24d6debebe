//! Runs cargo from a program that cargo itself runs.

use std::{
    env, io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde_json::Value;

/// Prefixes of variables that `cargo run` sets. Build scripts watch them: passed on, they would
/// make cargo rebuild half of the tree.
const CARGO_RUN_VARIABLES: [&str; 2] = ["CARGO_MANIFEST_", "CARGO_PKG_"];

/// Arguments of every debug build, so that all of them unify the features of dependencies alike.
/// cargo includes the features that tests need once a test, a bench or an example is built; this
/// example is small and needs nothing generated.
pub(crate) const WHOLE: [&str; 3] = ["--workspace", "--example", "inspect"];

/// A program of the workspace, and how it is built.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Program {
    /// A binary in the dev profile.
    Debug(&'static str),
    /// A binary in the release profile.
    Released(&'static str),
    /// A bench target in the release profile.
    Bench(&'static str),
    /// A test binary in the release profile; the binaries that it runs are built with it.
    ReleasedTest(&'static str),
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum BuildError {
    #[error("{0} cannot be built; fix the compile errors above, then run the same command again")]
    Compile(&'static str),
    #[error("cargo cannot be started: {0}")]
    Start(io::Error),
}

impl Program {
    fn name(self) -> &'static str {
        match self {
            Self::Debug(name)
            | Self::Released(name)
            | Self::Bench(name)
            | Self::ReleasedTest(name) => name,
        }
    }

    fn flags(self) -> &'static [&'static str] {
        match self {
            Self::Debug(_) => &["--bin"],
            Self::Released(_) => &["--release", "--bin"],
            Self::Bench(_) => &["--release", "--bench"],
            Self::ReleasedTest(_) => &["--release", "--test"],
        }
    }
}

/// Builds a program, showing cargo's progress, and returns its path.
pub(crate) fn build(root: &Path, program: Program) -> Result<PathBuf, BuildError> {
    build_with(root, program, &[])
}

/// The same with `--config` settings, such as `profile.dev.opt-level=2`.
pub(crate) fn build_with(
    root: &Path,
    program: Program,
    settings: &[&str],
) -> Result<PathBuf, BuildError> {
    let mut arguments = vec!["build", "--locked"];
    arguments.extend(settings.iter().flat_map(|setting| ["--config", setting]));
    arguments.extend(match program {
        Program::Debug(_) => &WHOLE[..],
        // Without the features of tests.
        Program::Released(_) | Program::Bench(_) | Program::ReleasedTest(_) => &["--workspace"],
    });
    arguments.extend(["--message-format", "json-render-diagnostics"]);
    arguments.extend(program.flags());
    arguments.push(program.name());
    let output = command(root, &arguments)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(BuildError::Start)?;
    let messages = String::from_utf8_lossy(&output.stdout);
    let built = executable(&messages, program.name()).filter(|_| output.status.success());
    built.ok_or(BuildError::Compile(program.name()))
}

fn executable(messages: &str, name: &str) -> Option<PathBuf> {
    let messages = messages
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut programs = messages.filter(|message| message["target"]["name"] == name);
    programs.find_map(|message| message["executable"].as_str().map(PathBuf::from))
}

/// A cargo command in the project's root.
pub(crate) fn command(root: &Path, arguments: &[&str]) -> Command {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    for (name, _) in env::vars_os() {
        let bytes = name.as_encoded_bytes();
        if CARGO_RUN_VARIABLES
            .iter()
            .any(|prefix| bytes.starts_with(prefix.as_bytes()))
        {
            command.env_remove(name);
        }
    }
    // Queries are checked against server/.sqlx, never against a database.
    command.env("SQLX_OFFLINE", "true");
    command.args(arguments).current_dir(root);
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn program_is_found_in_cargos_messages() {
        let messages = r#"{"target":{"name":"payout_server"},"executable":null}
{"target":{"name":"payout-server"},"executable":"/build/debug/payout-server"}
{"reason":"build-finished","success":true}"#;
        assert_eq!(
            executable(messages, "payout-server"),
            Some("/build/debug/payout-server".into())
        );
        assert_eq!(executable("not json", "payout-server"), None);
    }

    #[test]
    fn variables_of_cargo_run_are_not_passed_on() {
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
