//! The command: loads the document, writes or checks the files, reports the result.

use std::path::{Path, PathBuf};

use payout_openapi::{Diagnostic, Document, DocumentError};

use super::{
    client,
    error::CodegenError,
    files::{self, Artifact, Mode, Stale},
    index, queries, read, server,
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

/// Generates everything, or checks it; `false` if it reported something to fix.
pub(crate) fn run(root: &Path, options: &Options) -> crate::Result<bool> {
    match generate(root, options) {
        Ok(()) => Ok(true),
        Err(CodegenError::Finding(message)) => {
            eprintln!("{message}");
            Ok(false)
        }
        Err(CodegenError::NoDatabase(message)) => Err(message.into()),
        Err(CodegenError::Other(error)) => Err(error),
    }
}

fn generate(root: &Path, options: &Options) -> Result<(), CodegenError> {
    let mode = if options.check { Mode::Check } else { Mode::Write };
    let path = options.document.clone().unwrap_or_else(|| root.join("openapi/api.yaml"));
    let document = Document::load(&path).map_err(|error| match error {
        DocumentError::Invalid(_) => CodegenError::Finding(error.to_string()),
        DocumentError::Unreadable { .. } => error.into(),
    })?;
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
        return Err(CodegenError::Finding(stale(&changed)));
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
        Err(CodegenError::NoDatabase(error)) if mode == Mode::Write => {
            eprintln!("NOT GENERATED: {error}");
            Ok(Vec::new())
        }
        Err(error) => Err(error),
    }
}

fn report_written(changed: &[Stale], mode: Mode) {
    for stale in changed.iter().filter(|_| mode == Mode::Write) {
        println!("wrote {}", stale.path);
    }
}

fn artifacts(document: &Document) -> Result<Vec<Artifact>, CodegenError> {
    let model =
        read::read(document).map_err(|problems| CodegenError::Finding(diagnostics(&problems)))?;
    let mut artifacts = server::generate(&model)?;
    artifacts.push(Artifact {
        path: "client/src/generated.rs".to_owned(),
        text: client::generate(document)?,
    });
    artifacts.push(index::generate(&model));
    Ok(artifacts)
}

fn diagnostics(diagnostics: &[Diagnostic]) -> String {
    let lines: String = diagnostics.iter().map(|diagnostic| format!("{diagnostic}\n")).collect();
    let count = diagnostics.len();
    format!(
        "{lines}{count} found; nothing was generated. Change the document there, then run \
         `cargo xtask codegen`."
    )
}

fn stale(stale: &[Stale]) -> String {
    let diffs: String =
        stale.iter().map(|stale| format!("{}\n{}\n\n", stale.path, stale.diff)).collect();
    let count = stale.len();
    format!(
        "{diffs}{count} generated files are stale. Run `cargo xtask codegen` and commit the result."
    )
}
