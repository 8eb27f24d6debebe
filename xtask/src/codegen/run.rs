//! The command: loads the document, writes or checks the files, reports the result.

use std::{
    fs,
    path::{Path, PathBuf},
};

use openapi_codegen::{CodegenError, Config, Mode, Stale, ensure, ensure_folder};
use openapi_document::{Document, DocumentError, released_versions};

use super::{error::Failure, queries};
use crate::Result;

/// Which documents, and where the generated files are.
const CONFIG: &str = "contract.toml";

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
pub(crate) fn run(root: &Path, options: &Options) -> Result<bool> {
    match generate(root, options) {
        Err(error) if matches!(error.downcast_ref(), Some(Failure::Finding(_))) => {
            eprintln!("{error}");
            Ok(false)
        }
        ended => ended.map(|()| true),
    }
}

fn generate(root: &Path, options: &Options) -> Result<()> {
    let mode = if options.check { Mode::Check } else { Mode::Write };
    let config = Config::parse(&fs::read_to_string(root.join(CONFIG))?)
        .map_err(|error| Failure::Finding(format!("{CONFIG}: {error}")))?;
    let path = options.document.clone().unwrap_or_else(|| root.join(&config.document));
    let document = found(Document::load(&path))?;
    let released = found(released_versions(&root.join(&config.released)))?;
    let artifacts = match openapi_codegen::generate(&document, &released, &config) {
        Err(finding @ (CodegenError::Rejected(_) | CodegenError::Client(_))) => {
            let mend = "Change the document there, then run `cargo xtask codegen`.";
            return Err(Failure::Finding(format!("{finding}. {mend}")).into());
        }
        generated => generated?,
    };
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
        return Err(Failure::Finding(stale(&changed)).into());
    }
    println!("the generated files are fresh");
    Ok(())
}

/// An invalid document is a finding.
fn found<T>(loaded: std::result::Result<T, DocumentError>) -> Result<T> {
    match loaded {
        Err(DocumentError::Invalid(what)) => Err(Failure::Finding(what.to_string()).into()),
        loaded => Ok(loaded?),
    }
}

/// Without a database the queries are skipped with a warning; a check fails.
fn queries_of(root: &Path, mode: Mode) -> Result<Vec<Stale>> {
    let artifacts = match queries::generate(root) {
        Err(error)
            if mode == Mode::Write
                && matches!(error.downcast_ref(), Some(Failure::NoDatabase(_))) =>
        {
            eprintln!("NOT GENERATED: {error}");
            return Ok(Vec::new());
        }
        generated => generated?,
    };
    let stale = ensure_folder(root, queries::FOLDER, &artifacts, mode)?;
    if mode == Mode::Write && !stale.is_empty() {
        // Builds that used the stale descriptions must not count as fresh.
        queries::touch(root)?;
    }
    Ok(stale)
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
