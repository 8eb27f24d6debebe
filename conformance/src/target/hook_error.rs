//! Why an operator hook did not do what it is for.
//!
//! It refuses to show a command's arguments: a password may stand among them.

use std::{process::ExitStatus, time::Duration};

use super::commands::Hook;

/// Why a hook did not do what it is for.
#[derive(Debug, thiserror::Error)]
pub enum HookError {
    /// The file names none.
    #[error("the target file has no hook `{0}`: cases that need it are skipped")]
    Absent(Hook),
    /// A case gave other values than the hook has placeholders.
    #[error(
        "the hook `{hook}` was given no value for {{{placeholder}}}: this is a fault of the case"
    )]
    Unfilled {
        /// Which one.
        hook: Hook,
        /// What is to be filled.
        placeholder: String,
    },
    /// The program does not start.
    #[error(
        "the hook `{hook}` does not start: {program}: {source}. Write an absolute path, a path from the target file's folder that begins with ./, or a name in PATH"
    )]
    Start {
        /// Which one.
        hook: Hook,
        /// Its program.
        program: String,
        /// Why.
        source: std::io::Error,
    },
    /// What it prints cannot be read.
    #[error("the hook `{hook}` cannot be followed: {source}")]
    Follow {
        /// Which one.
        hook: Hook,
        /// Why.
        source: std::io::Error,
    },
    /// It took too long, and was ended.
    #[error(
        "the hook `{hook}` did not end within {timeout:?} and was ended: what it does may be half done. Raise hooks.timeout_seconds if it needs longer"
    )]
    Timeout {
        /// Which one.
        hook: Hook,
        /// How long it had.
        timeout: Duration,
    },
    /// It said that it failed.
    #[error("the hook `{hook}` failed ({status}){}", indent(output))]
    Failed {
        /// Which one.
        hook: Hook,
        /// How it ended.
        status: ExitStatus,
        /// What it printed, secrets taken out.
        output: String,
    },
    /// It printed something else than it is asked for.
    #[error(
        "the hook `{hook}` must print a JSON object with {wanted}; it printed something else, which is not shown"
    )]
    Output {
        /// Which one.
        hook: Hook,
        /// The members that are missing.
        wanted: &'static str,
    },
}

fn indent(output: &str) -> String {
    let lines = output.lines().map(|line| format!("\n  {line}"));
    lines.collect::<String>()
}
