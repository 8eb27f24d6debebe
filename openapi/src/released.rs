//! Released documents: `<version>-<hash>.yaml` in one folder. The hash is of the file's content, so
//! that a change after the release is found.

use std::{fs, io, path::Path};

use sha2::{Digest, Sha256};

use crate::{Diagnostic, DocumentError, Place};

/// Digits of the hash in a file name.
const HASH_DIGITS: usize = 8;

/// The name of the file that a document of `version` is released as.
#[must_use]
pub fn released_name(version: &str, text: &[u8]) -> String {
    let hash: String = Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{version}-{}.yaml", &hash[..HASH_DIGITS])
}

/// The versions of the released documents in `folder`, ascending; none where there is no folder.
///
/// # Errors
/// A file cannot be read, or was changed after its release.
pub fn released_versions(folder: &Path) -> Result<Vec<String>, DocumentError> {
    let unreadable = |source| DocumentError::Unreadable { path: folder.to_owned(), source };
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(unreadable)?,
    };
    let mut versions = Vec::new();
    for entry in entries {
        versions.push(version_of(&entry.map_err(unreadable)?.path())?);
    }
    versions.sort();
    versions.dedup();
    Ok(versions)
}

fn version_of(path: &Path) -> Result<String, DocumentError> {
    let text = fs::read(path)
        .map_err(|source| DocumentError::Unreadable { path: path.to_owned(), source })?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let version = name.rsplit_once('-').map_or("", |(version, _)| version);
    if !version.is_empty() && released_name(version, &text) == name {
        return Ok(version.to_owned());
    }
    let file = path.display().to_string();
    Err(DocumentError::Invalid(Box::new(Diagnostic {
        place: Place { file: file.into(), line: 1, column: 1 },
        pointer: String::new(),
        problem: format!(
            "a released document never changes, and this file is not what its name says: its \
             content makes it VERSION-{}",
            released_name("", &text).trim_start_matches('-')
        ),
        help: Some("restore the file with git; change openapi/api.yaml instead".to_owned()),
    })))
}
