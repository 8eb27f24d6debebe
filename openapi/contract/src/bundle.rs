//! `contract bundle`: writes a document in several files as one.

use std::{fs, io, path::PathBuf};

use openapi_document::Document;

use crate::{
    output::{print_line, write},
    project::{Loaded, Project, found},
};

#[derive(Debug, clap::Args)]
pub struct Options {
    /// The document; without it, the configuration's
    document: Option<PathBuf>,
    /// The file to write; without it, the document is printed
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Runs the command, and returns `true`.
pub(crate) fn run(options: &Options, project: &Project) -> Loaded<bool> {
    let path = project.document(options.document.as_ref());
    found(project.load_document(&path))?;
    let text = found(Document::bundle(&path, project.overlays(&path)))?;
    match &options.output {
        Some(output) => {
            fs::write(output, text).map_err(|error| {
                io::Error::new(error.kind(), format!("{}: {error}", output.display()))
            })?;
            print_line!("wrote {}", output.display());
        }
        None => write(text),
    }
    Ok(true)
}
