//! The documents to compare: files, or files of a revision in git, such as `main:openapi/api.yaml`.

use std::{io, path::Path, process::Command};

use openapi_document::Document;

use crate::{Result, project::Project};

/// Loads a document by the name of its file, or as `REVISION:PATH`.
pub(super) fn load(project: &Project, source: &Path) -> Result<Document> {
    match revision(source) {
        Some((revision, path)) => of_git(revision, path),
        None => Ok(project.load_document(source)?),
    }
}

/// Returns revision and path, unless there is such a file. A single letter is a drive of Windows.
fn revision(source: &Path) -> Option<(&str, &str)> {
    let (revision, path) = source.to_str()?.split_once(':')?;
    (revision.len() > 1 && !path.is_empty() && !source.exists()).then_some((revision, path))
}

/// Reads the file, and the files below its folder to which it refers, from the same revision.
fn of_git(revision: &str, path: &str) -> Result<Document> {
    let name = format!("{revision}:{path}");
    let text = show(&name).map_err(|problem| {
        format!(
            "{name}: {problem}; write REVISION:PATH, with the path from the root of the \
             repository, or REVISION:./PATH from here"
        )
    })?;
    let folder = path.rfind('/').map_or("", |end| &path[..=end]);
    let read = |below: &str| show(&format!("{revision}:{folder}{below}")).map_err(io::Error::other);
    Ok(Document::parse_files(&name, &text, &read)?)
}

fn show(name: &str) -> Result<String> {
    let output = Command::new("git").args(["show", "--end-of-options", name]).output();
    let output = output.map_err(|error| format!("git cannot be run: {error}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let said = said.lines().next().unwrap_or_default();
        let said = said.trim_start_matches("fatal: ").trim_end_matches('.');
        return Err(format!("there is no such file, and git says: {said}").into());
    }
    Ok(String::from_utf8(output.stdout).map_err(|_| "it is not UTF-8")?)
}
