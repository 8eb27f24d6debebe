//! Errors of operator hooks. They never show a command's arguments, which may include a password.

use std::{process::ExitStatus, time::Duration};

use super::commands::Hook;

#[derive(Debug, thiserror::Error)]
pub(crate) enum HookError {
    #[error("the target file has no hook `{0}`: cases that need it are skipped")]
    Absent(Hook),
    #[error("the hook `{hook}` got no value for {{{placeholder}}}: a bug of the case")]
    Unfilled { hook: Hook, placeholder: String },
    #[error(
        "the hook `{hook}` does not start: {program}: {source}. Write an absolute path, a path from the target file's folder that begins with ./, or a name in PATH"
    )]
    Start {
        hook: Hook,
        program: String,
        source: std::io::Error,
    },
    #[error("the output of the hook `{hook}` cannot be read: {source}")]
    Follow { hook: Hook, source: std::io::Error },
    #[error(
        "the hook `{hook}` did not end within {timeout:?} and was killed, so its work may be half done. Raise hooks.timeout_seconds if it needs longer"
    )]
    Timeout { hook: Hook, timeout: Duration },
    #[error("the hook `{hook}` failed ({status}){}", indent(output))]
    Failed {
        hook: Hook,
        status: ExitStatus,
        /// Its output, without secrets.
        output: String,
    },
    #[error(
        "the hook `create_key` must print a JSON object with `id` and `key`; it printed something \
         else, which is not shown"
    )]
    Output,
}

fn indent(output: &str) -> String {
    let lines = output.lines().map(|line| format!("\n  {line}"));
    lines.collect::<String>()
}
