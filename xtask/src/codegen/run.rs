//! The command: `contract codegen` for this project, then the descriptions of the server's queries.

use std::path::{Path, PathBuf};

use openapi_contract::codegen::{Mode, Stale, ensure_folder};
use openapi_contract::project::{self, Project, report};

use super::{error::Failure, queries};
use crate::Result;

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
        Err(error) if is_finding(&*error) => {
            anstream::eprintln!("{error}");
            Ok(false)
        }
        ended => ended,
    }
}

fn generate(root: &Path, options: &Options) -> Result<bool> {
    let mode = if options.check { Mode::Check } else { Mode::Write };
    let project = Project::load(&root.join("contract.toml"))?;
    let mut changed = project.source(options.document.as_ref())?.ensure_files(mode)?;
    if !options.skip_queries && (mode == Mode::Write || changed.is_empty()) {
        changed.extend(queries_of(root, mode)?);
    }
    Ok(report(&changed, mode, "cargo xtask codegen"))
}

fn is_finding(error: &(dyn std::error::Error + 'static)) -> bool {
    matches!(error.downcast_ref(), Some(Failure::Finding(_)))
        || matches!(error.downcast_ref(), Some(project::Failure::Finding(_)))
}

/// Skips the queries with a warning if there is no database; a check fails.
fn queries_of(root: &Path, mode: Mode) -> Result<Vec<Stale>> {
    let artifacts = match queries::generate(root) {
        Err(error)
            if mode == Mode::Write
                && matches!(error.downcast_ref(), Some(Failure::NoDatabase(_))) =>
        {
            anstream::eprintln!("NOT GENERATED: {error}");
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
