//! The command: loads the document, writes or checks the files, reports the result.

use std::{
    io,
    path::{Path, PathBuf},
};

use payout_openapi::{Diagnostic, Document, DocumentError};

use super::{
    client::{self, ClientError},
    files::{self, Artifact, Mode, Stale},
    format::FormatError,
    index,
    queries::{self, QueriesError},
    read, server,
};

/// What to generate, and whether to write it.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Write nothing; fail if a generated file is stale
    #[arg(long)]
    check: bool,
    /// Use another document than openapi/api.yaml
    #[arg(long, value_name = "FILE")]
    document: Option<PathBuf>,
    /// Skip server/.sqlx, which needs a database and the compiler
    #[arg(long)]
    skip_queries: bool,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum CodegenError {
    #[error(transparent)]
    Document(#[from] DocumentError),
    #[error("{}", diagnostics(.0))]
    Invalid(Vec<Diagnostic>),
    #[error("the client: {0}")]
    Client(#[from] ClientError),
    #[error(transparent)]
    Format(#[from] FormatError),
    #[error(transparent)]
    File(#[from] io::Error),
    #[error(transparent)]
    Queries(#[from] QueriesError),
    #[error("{}", stale(.0))]
    Stale(Vec<Stale>),
}

impl CodegenError {
    /// Whether the project has to change, rather than the command's environment.
    fn is_finding(&self) -> bool {
        match self {
            Self::Document(DocumentError::Invalid(_)) | Self::Invalid(_) | Self::Stale(_) => true,
            Self::Client(error) => matches!(error, ClientError::Progenitor(_)),
            Self::Queries(error) => matches!(error, QueriesError::Compile),
            Self::Document(DocumentError::Unreadable { .. }) | Self::Format(_) | Self::File(_) => {
                false
            }
        }
    }
}

/// Generates everything, or checks it; `false` if it reported something to fix.
pub(crate) fn run(root: &Path, options: &Options) -> Result<bool, CodegenError> {
    match generate(root, options) {
        Err(error) if error.is_finding() => {
            eprintln!("{error}");
            Ok(false)
        }
        done => done.map(|()| true),
    }
}

fn generate(root: &Path, options: &Options) -> Result<(), CodegenError> {
    let mode = if options.check {
        Mode::Check
    } else {
        Mode::Write
    };
    let path = options
        .document
        .clone()
        .unwrap_or_else(|| root.join("openapi/api.yaml"));
    let document = Document::load(&path)?;
    let artifacts = artifacts(&document)?;
    let mut changed = Vec::new();
    for artifact in &artifacts {
        changed.extend(files::ensure(root, artifact, mode)?);
    }
    report_written(&changed, mode);
    if !options.skip_queries && (mode == Mode::Write || changed.is_empty()) {
        let stale = queries_of(root, mode)?;
        report_written(&stale, mode);
        changed.extend(stale);
    }
    if mode == Mode::Check && !changed.is_empty() {
        return Err(CodegenError::Stale(changed));
    }
    println!("the generated files are fresh");
    Ok(())
}

/// Without a database the queries are skipped with a warning; a check fails.
fn queries_of(root: &Path, mode: Mode) -> Result<Vec<Stale>, CodegenError> {
    match queries::generate(root) {
        Ok(artifacts) => {
            let stale = files::ensure_folder(root, queries::FOLDER, &artifacts, mode)?;
            if mode == Mode::Write && !stale.is_empty() {
                // Builds that used the stale descriptions must not count as fresh.
                queries::touch(root)?;
            }
            Ok(stale)
        }
        Err(error) if mode == Mode::Write && error.is_missing_database() => {
            eprintln!("NOT GENERATED: {error}");
            Ok(Vec::new())
        }
        Err(error) => Err(error.into()),
    }
}

fn report_written(changed: &[Stale], mode: Mode) {
    for stale in changed.iter().filter(|_| mode == Mode::Write) {
        println!("wrote {}", stale.path);
    }
}

/// Every generated file of a document.
fn artifacts(document: &Document) -> Result<Vec<Artifact>, CodegenError> {
    let model = read::read(document).map_err(CodegenError::Invalid)?;
    let mut artifacts = server::generate(&model)?;
    artifacts.push(Artifact {
        path: "client/src/generated.rs".to_owned(),
        text: client::generate(document)?,
    });
    artifacts.push(index::generate(&model));
    Ok(artifacts)
}

fn diagnostics(diagnostics: &[Diagnostic]) -> String {
    let lines: String = diagnostics
        .iter()
        .map(|diagnostic| format!("{diagnostic}\n"))
        .collect();
    let count = diagnostics.len();
    format!(
        "{lines}{count} found; nothing was generated. Change the document there, then run \
         `cargo xtask codegen`."
    )
}

fn stale(stale: &[Stale]) -> String {
    let diffs: String = stale
        .iter()
        .map(|stale| format!("{}\n{}\n\n", stale.path, stale.diff))
        .collect();
    let count = stale.len();
    format!(
        "{diffs}{count} generated files are stale. Run `cargo xtask codegen` and commit the result."
    )
}
