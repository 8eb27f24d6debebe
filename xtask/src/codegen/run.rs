//! The command itself: document in, files out, and what a person is told.
//!
//! It refuses to call a stale file a failure of its own: `--check` tells the diff and the command that mends it.

use std::{
    io,
    path::{Path, PathBuf},
};

use payout_openapi::{Document, DocumentError, Refusal};

use super::{
    client::{self, ClientError},
    files::{self, Artifact, Mode, Stale},
    format::FormatError,
    index, read, server,
};

/// Why nothing was generated, or what is stale.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CodegenError {
    /// The document cannot be loaded.
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// The document holds what the generators do not support.
    #[error("{}", refusals(.0))]
    Refused(Vec<Refusal>),
    /// The client cannot be generated.
    #[error("the client: {0}")]
    Client(#[from] ClientError),
    /// Generated code could not be formatted.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] io::Error),
    /// `--check` found files that are not what the document asks for.
    #[error("{}", stale(.0))]
    Stale(Vec<Stale>),
}

/// Generates everything from `document` below `root`.
///
/// # Errors
/// When the document is refused, a file cannot be written, or `Mode::Check` finds a stale one.
pub(crate) fn run(root: &Path, document: Option<PathBuf>, mode: Mode) -> Result<(), CodegenError> {
    let path = document.unwrap_or_else(|| root.join("openapi/api.yaml"));
    let document = Document::load(&path)?;
    let artifacts = artifacts(&document)?;
    let mut changed = Vec::new();
    for artifact in &artifacts {
        changed.extend(files::ensure(root, artifact, mode)?);
    }
    if mode == Mode::Check && !changed.is_empty() {
        return Err(CodegenError::Stale(changed));
    }
    for stale in &changed {
        println!("wrote {}", stale.path);
    }
    println!("{} generated files are fresh", artifacts.len());
    Ok(())
}

/// Every generated file of a document.
fn artifacts(document: &Document) -> Result<Vec<Artifact>, CodegenError> {
    let model = read::read(document).map_err(CodegenError::Refused)?;
    let mut artifacts = server::generate(&model)?;
    artifacts.push(Artifact {
        path: "client/src/generated.rs".to_owned(),
        text: client::generate(document)?,
    });
    artifacts.push(index::generate(&model));
    Ok(artifacts)
}

fn refusals(refusals: &[Refusal]) -> String {
    let lines: String = refusals
        .iter()
        .map(|refusal| format!("{refusal}\n"))
        .collect();
    let count = refusals.len();
    format!(
        "{lines}{count} refused: nothing was generated. Change the document there, then run `cargo xtask codegen`."
    )
}

fn stale(stale: &[Stale]) -> String {
    let diffs: String = stale
        .iter()
        .map(|stale| format!("{}\n{}\n\n", stale.path, stale.diff))
        .collect();
    let count = stale.len();
    format!(
        "{diffs}{count} generated files are stale. Run `cargo xtask codegen`, and commit what it writes."
    )
}
