//! What a person sees of a target file that cannot be used: where, why, and what to write instead.
//!
//! It refuses to quote the file: a key may stand in it by mistake.

use std::path::PathBuf;

use super::keys::KeyFault;

/// Why a target file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TargetError {
    /// It cannot be read.
    #[error("the target file {path} cannot be read: {source}\nBegin with a copy of conformance/targets/example.toml, which explains every field.", path = path.display())]
    Unreadable {
        /// Which one.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A key stands in it.
    #[error(
        "{path}, line {line}: an API key stands in the file, which is made to be committed and shown. Take it out, revoke it \
         if anybody else could read the file, and write the name of an environment variable that holds it.",
        path = path.display()
    )]
    HoldsKey {
        /// Which file.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
    },
    /// It is no TOML of the published form.
    #[error(
        "{path}, line {line}: {what}\nconformance/targets/example.toml explains every field.",
        path = path.display()
    )]
    Form {
        /// Which file.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
        /// What stands there, and what should.
        what: String,
    },
    /// Keys that it names are missing or cannot be used: all of them.
    #[error("{}", list(.0))]
    Keys(Vec<KeyFault>),
}

fn list(faults: &[KeyFault]) -> String {
    let lines: Vec<String> = faults.iter().map(ToString::to_string).collect();
    lines.join("\n")
}
