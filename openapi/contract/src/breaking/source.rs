//! The documents to compare: files, or files of a revision in git, such as `main:openapi/api.yaml`.

use std::{fs, io, path, path::Path, process::Command};

use openapi_document::Document;

use crate::{Result, output::write_error, project::Project};

/// Loads a document by the name of its file, or as `REVISION:PATH`.
pub(super) fn load(project: &Project, source: &Path) -> Result<Document> {
    match revision(source) {
        Some((revision, path)) => of_git(project, revision, path),
        None => Ok(project.load_document(source)?),
    }
}

/// Returns revision and path, unless there is such a file. A single letter is a drive of Windows.
fn revision(source: &Path) -> Option<(&str, &str)> {
    let (revision, path) = source.to_str()?.split_once(':')?;
    (revision.len() > 1 && !path.is_empty() && !source.exists()).then_some((revision, path))
}

/// Reads the file, and the files below its folder to which it refers, from the same revision.
fn of_git(project: &Project, revision: &str, path: &str) -> Result<Document> {
    let name = format!("{revision}:{path}");
    let text = show(&name).map_err(|problem| {
        format!(
            "{name}: {problem}; write REVISION:PATH, with the path from the root of the \
             repository, or REVISION:./PATH from here"
        )
    })?;
    let folder = path.rfind('/').map_or("", |end| &path[..=end]);
    let read = |below: &str| show(&format!("{revision}:{folder}{below}")).map_err(io::Error::other);
    let overlays = overlays(project, revision, path)?;
    Ok(Document::parse_files(&name, &text, &overlays, &read)?)
}

/// Reads the overlays of the revision, or those of the working tree that the revision lacks. A
/// released document was written with its overlays.
fn overlays(project: &Project, revision: &str, path: &str) -> Result<Vec<(String, String)>> {
    let root = git(&["rev-parse", "--show-toplevel"]).unwrap_or_default();
    let root = Path::new(root.trim_end());
    let in_repository = |file: &Path| {
        let whole = file.canonicalize().or_else(|_| path::absolute(file)).ok()?;
        Some(whole.strip_prefix(root).ok()?.to_owned())
    };
    let own =
        if path.starts_with('.') { in_repository(Path::new(path)) } else { Some(path.into()) };
    if own.is_some_and(|own| own.parent().map(Path::to_owned) == in_repository(&project.released()))
    {
        return Ok(Vec::new());
    }
    let read = |overlay: &std::path::PathBuf| {
        let of_revision = in_repository(overlay).and_then(|path| {
            let name = format!("{revision}:{}", path.display());
            Some((show(&name).ok()?, name))
        });
        if let Some((text, name)) = of_revision {
            return Ok((name, text));
        }
        let name = overlay.display().to_string();
        let text = fs::read_to_string(overlay).map_err(|error| format!("{name}: {error}"))?;
        write_error(format_args!(
            "{name}: {revision} has no such overlay; that of the working tree is applied"
        ));
        Ok((name, text))
    };
    project.overlays.iter().map(read).collect()
}

fn show(name: &str) -> Result<String> {
    git(&["show", "--end-of-options", name])
}

fn git(arguments: &[&str]) -> Result<String> {
    let output = Command::new("git").args(arguments).output();
    let output = output.map_err(|error| format!("git cannot be run: {error}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let said = said.lines().next().unwrap_or_default();
        let said = said.trim_start_matches("fatal: ").trim_end_matches('.');
        return Err(format!("there is no such file, and git says: {said}").into());
    }
    Ok(String::from_utf8(output.stdout).map_err(|_| "it is not UTF-8")?)
}
