//! cargo, run by a program that cargo itself runs.
//!
//! It refuses to hand on what cargo told us about ourselves: build scripts that watch those variables would run again,
//! and half of the tree would be built twice.

use std::{
    env, io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde_json::Value;

/// Variables that `cargo run` sets for the program it runs.
const ABOUT_US: [&str; 2] = ["CARGO_MANIFEST_", "CARGO_PKG_"];

/// What every build but that of a release is told, so that all share one tree of dependencies. cargo gives a dependency the
/// features that the chosen packages need; and those that their tests need, once a test, a bench or an example is among what is
/// built. This one is small, and needs nothing that is generated.
pub(crate) const WHOLE: [&str; 3] = ["--workspace", "--example", "inspect"];

/// A program of the workspace, and how it is built.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Program {
    /// A binary, quickly built and slow.
    Debug(&'static str),
    /// A binary as it is shipped.
    Released(&'static str),
    /// A bench target, as fast as what is shipped.
    Bench(&'static str),
    /// A test binary, as fast as what is shipped; the binaries that it runs are built with it.
    ReleasedTest(&'static str),
}

/// Why there is no program.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BuildError {
    /// The compiler has said why.
    #[error(
        "{0} cannot be built; mend what the compiler names above, then run the same command again"
    )]
    Compile(&'static str),
    /// cargo cannot be started.
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

/// Builds a program with the progress that cargo shows, and returns where it is.
///
/// # Errors
/// It does not compile.
pub(crate) fn build(root: &Path, program: Program) -> Result<PathBuf, BuildError> {
    build_with(root, program, &[])
}

/// The same, with settings of cargo that stand above those of Cargo.toml, such as `profile.dev.opt-level=2`.
///
/// # Errors
/// It does not compile.
pub(crate) fn build_with(
    root: &Path,
    program: Program,
    settings: &[&str],
) -> Result<PathBuf, BuildError> {
    let mut arguments = vec!["build", "--locked"];
    arguments.extend(settings.iter().flat_map(|setting| ["--config", setting]));
    arguments.extend(match program {
        Program::Debug(_) => &WHOLE[..],
        // Without the features of tests: as it is shipped.
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

/// Where cargo says that it put the program.
fn executable(messages: &str, name: &str) -> Option<PathBuf> {
    let messages = messages
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut programs = messages.filter(|message| message["target"]["name"] == name);
    programs.find_map(|message| message["executable"].as_str().map(PathBuf::from))
}

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
    fn program_is_where_cargo_says() {
        let messages = r#"{"reason":"compiler-artifact","target":{"name":"payout_server"},"executable":null}
{"reason":"compiler-artifact","target":{"name":"payout-server"},"executable":"/build/debug/payout-server"}
{"reason":"build-finished","success":true}"#;
        assert_eq!(
            executable(messages, "payout-server"),
            Some("/build/debug/payout-server".into())
        );
        assert_eq!(executable("not json", "payout-server"), None);
    }

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
