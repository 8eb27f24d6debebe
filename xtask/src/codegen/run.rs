//! The command: loads the document, writes or checks the files, reports the result.

use std::path::{Path, PathBuf};

use payout_codegen::{CodegenError, Mode, Stale, ensure, ensure_folder};
use payout_openapi::{Document, DocumentError};

use super::{error::Failure, queries};

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
        Err(Failure::Finding(message)) => {
            eprintln!("{message}");
            Ok(false)
        }
        Err(Failure::NoDatabase(message)) => Err(message.into()),
        Err(Failure::Other(error)) => Err(error),
    }
}

fn generate(root: &Path, options: &Options) -> Result<(), Failure> {
    let mode = if options.check { Mode::Check } else { Mode::Write };
    let path = options.document.clone().unwrap_or_else(|| root.join("openapi/api.yaml"));
    let document = Document::load(&path).map_err(|error| match error {
        DocumentError::Invalid(_) => Failure::Finding(error.to_string()),
        DocumentError::Unreadable { .. } => error.into(),
    })?;
    let artifacts = payout_codegen::generate(&document).map_err(|error| match error {
        CodegenError::Format(error) => error.into(),
        finding => {
            let mend = "Change the document there, then run `cargo xtask codegen`.";
            Failure::Finding(format!("{finding}. {mend}"))
        }
    })?;
    let mut changed = Vec::new();
    for artifact in &artifacts {
        changed.extend(ensure(root, artifact, mode)?);
    }
    report_written(&changed, mode);
    if !options.skip_queries && (mode == Mode::Write || changed.is_empty()) {
        let stale = queries_of(root, mode)?;
        report_written(&stale, mode);
        changed.extend(stale);
    }
    if mode == Mode::Check && !changed.is_empty() {
        return Err(Failure::Finding(stale(&changed)));
    }
    println!("the generated files are fresh");
    Ok(())
}

/// Without a database the queries are skipped with a warning; a check fails.
fn queries_of(root: &Path, mode: Mode) -> Result<Vec<Stale>, Failure> {
    match queries::generate(root) {
        Ok(artifacts) => {
            let stale = ensure_folder(root, queries::FOLDER, &artifacts, mode)?;
            if mode == Mode::Write && !stale.is_empty() {
                // Builds that used the stale descriptions must not count as fresh.
                queries::touch(root)?;
            }
            Ok(stale)
        }
        Err(Failure::NoDatabase(error)) if mode == Mode::Write => {
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

fn stale(stale: &[Stale]) -> String {
    let diffs: String =
        stale.iter().map(|stale| format!("{}\n{}\n\n", stale.path, stale.diff)).collect();
    let count = stale.len();
    format!(
        "{diffs}{count} generated files are stale. Run `cargo xtask codegen` and commit the result."
    )
}
