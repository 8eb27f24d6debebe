//! Released documents: `<version>-<hash>.yaml` in one folder. The hash is of the file's content, so
//! that a change after the release is found.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use sha2::{Digest, Sha256};

use crate::{Diagnostic, DocumentError, Place};

/// Digits of the hash in a file name.
const HASH_DIGITS: usize = 8;

/// The name of the file that a document of `version` is released as.
pub fn released_name(version: &str, text: &[u8]) -> String {
    let hash: String = Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{version}-{}.yaml", &hash[..HASH_DIGITS])
}

/// The versions of the released documents in `folder`, ascending; none where there is no folder.
pub fn released_versions(folder: &Path) -> Result<Vec<String>, DocumentError> {
    let mut versions: Vec<String> =
        released_documents(folder)?.into_iter().map(|(version, _)| version).collect();
    versions.dedup();
    Ok(versions)
}

/// The released documents in `folder` with their versions, ascending; none where there is no
/// folder.
pub fn released_documents(folder: &Path) -> Result<Vec<(String, PathBuf)>, DocumentError> {
    let unreadable = |source| DocumentError::Unreadable { path: folder.to_owned(), source };
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(unreadable)?,
    };
    let mut documents = Vec::new();
    for entry in entries {
        let path = entry.map_err(unreadable)?.path();
        documents.push((version_of(&path)?, path));
    }
    documents.sort_by_cached_key(|(version, path)| (version_order(version), path.clone()));
    Ok(documents)
}

/// Orders numbers by value, so that `1.10` comes after `1.9`.
fn version_order(version: &str) -> Vec<Result<u64, String>> {
    let parts = version.split(|character: char| !character.is_ascii_alphanumeric());
    parts.map(|part| part.parse().map_err(|_| part.to_owned())).collect()
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
    Err(DocumentError::Invalid(vec![Diagnostic {
        place: Place { file: file.into(), line: 1, column: 1 },
        pointer: String::new(),
        problem: format!(
            "a released document never changes, and this file is not what its name says: its \
             content makes it VERSION-{}",
            released_name("", &text).trim_start_matches('-')
        ),
        help: Some("restore the file with git; change openapi/api.yaml instead".to_owned()),
    }]))
}
