//! Errors of target files: where, why, and what to write instead. They never quote the file, as it may
//! contain a key by mistake.

use std::path::PathBuf;

use super::keys::KeyFault;

#[derive(Debug, thiserror::Error)]
pub(crate) enum TargetError {
    #[error("the target file {path} cannot be read: {source}\nStart from a copy of conformance/targets/example.toml, which explains every field.", path = path.display())]
    Read {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error(
        "{path}, line {line}: the file contains an API key, but is meant to be committed and shown. \
         Remove the key, revoke it if anyone else could read the file, and write the name of an \
         environment variable that holds it.",
        path = path.display()
    )]
    ContainsKey {
        path: PathBuf,
        /// Counted from 1.
        line: usize,
    },
    #[error(
        "{path}, line {line}: {what}\nconformance/targets/example.toml explains every field.",
        path = path.display()
    )]
    Form {
        path: PathBuf,
        /// Counted from 1.
        line: usize,
        what: String,
    },
    #[error("{}", list(.0))]
    Keys(Vec<KeyFault>),
}

fn list(faults: &[KeyFault]) -> String {
    let lines: Vec<String> = faults.iter().map(ToString::to_string).collect();
    lines.join("\n")
}
