//! `contract freeze`: copies the document to the released ones, which never change.

use std::{fs, path::PathBuf};

use openapi_document::{Document, DocumentError, released_documents, released_name};

use crate::{Result, output::print_line, project::Project};

#[derive(Debug, clap::Args)]
pub struct Options {
    /// The document to release; by default `document` of the configuration
    #[arg(conflicts_with = "check")]
    document: Option<PathBuf>,
    /// Write nothing; fail if a released document was changed, or if the newest does not load
    #[arg(long)]
    check: bool,
}

/// Runs the command, and returns `false` if it has findings.
pub(crate) fn run(options: &Options, project: &Project) -> Result<bool> {
    if options.check {
        return check(project);
    }
    let (path, folder) = (project.document(options.document.as_ref()), project.released());
    let document = project.load_document(&path)?;
    let version = document.version();
    let is_file_name =
        |character: char| character.is_ascii_alphanumeric() || "._-+".contains(character);
    if version.is_empty() || version.starts_with('.') || !version.chars().all(is_file_name) {
        let place = document.place("/info/version");
        return Err(
            format!("{place}: the version `{version}` cannot be part of a file name").into()
        );
    }
    let text = Document::bundle(&path, project.overlays(&path))?;
    let target = folder.join(released_name(version, text.as_bytes()));
    if target.exists() {
        print_line!("{}: already frozen", target.display());
        return Ok(true);
    }
    let released = released_documents(&folder)?;
    if let Some((_, other)) = released.iter().find(|(released, _)| released == version) {
        print_line!(
            "{}: version {version} was frozen with another content, {}; a released document never \
             changes: raise info.version",
            document.place("/info/version"),
            other.display()
        );
        return Ok(false);
    }
    fs::create_dir_all(folder)?;
    fs::write(&target, text)?;
    print_line!("{}: frozen", target.display());
    Ok(true)
}

/// Returns `false` if a released document was changed, or if the newest does not load.
pub(crate) fn check(project: &Project) -> Result<bool> {
    let folder = project.released();
    let documents = match released_documents(&folder) {
        Err(error @ DocumentError::Invalid(_)) => {
            print_line!("{error}");
            return Ok(false);
        }
        documents => documents?,
    };
    let Some((_, newest)) = documents.last() else {
        print_line!("{}: no released document; write one with `contract freeze`", folder.display());
        return Ok(false);
    };
    if let Err(error) = Document::load(newest) {
        print_line!("{error}; freeze a document of a newer version that can be read");
        return Ok(false);
    }
    print_line!("{}: {} released, unchanged; the newest loads", folder.display(), documents.len());
    Ok(true)
}
