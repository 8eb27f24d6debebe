//! `contract round-trip`: what a generated server keeps of the document. The document is generated
//! from, and the framework is asked which document it understood; each element of the first is
//! proved by type, where the second says the same, proved by a case, or in the ledger.
//!
//! [`compare`] walks through both; [`judge`] applies the rules of the [`Ledger`]; `emit` compiles
//! the generated server.

mod compare;
mod element;
mod emit;
mod ledger;
mod print;
mod proof;
mod rules;
mod schema;
mod spelling;
mod verdict;

use std::{
    fs,
    path::{Path, PathBuf},
};

use openapi_document::Document;

pub use self::{
    compare::compare,
    element::{Outcome, Use},
    ledger::{Count, Every, Ledger, Proved, Recorded},
    print::text,
    verdict::{Counts, Finding, Report, Verdict, judge},
};
use crate::{Result, codegen, output::Format, skeleton::RUNTIME};

/// The arguments of the command.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// The configuration; without the file every name has its default
    #[arg(long, value_name = "FILE", default_value = "contract.toml")]
    config: PathBuf,
    /// Compare with this document of the framework, and compile nothing
    #[arg(long, value_name = "FILE")]
    emitted: Option<PathBuf>,
    /// Lower the counts of the ledger to what is left; a count is never raised
    #[arg(long)]
    update: bool,
    /// How findings are printed
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// Print every finding, and a table of all kinds of elements
    #[arg(long)]
    all: bool,
    /// The folder of the package openapi-runtime
    #[arg(long, value_name = "FOLDER", default_value = RUNTIME, hide_default_value = true)]
    runtime: PathBuf,
}

/// Runs the command; `false` where it has findings.
///
/// # Errors
/// It could not run.
pub fn run(options: &Options) -> Result<bool> {
    let files = codegen::Options { config: options.config.clone(), document: None, check: false };
    codegen::or_finding(|| {
        let project = codegen::Project::load(&files)?;
        let emitted = match &options.emitted {
            Some(path) => codegen::found(Document::load(path))?,
            None => emit::emitted(&project, &options.runtime)?,
        };
        let file = project.ledger();
        let finding = codegen::Failure::Finding;
        let ledger = Ledger::load(&file).map_err(finding)?;
        let judged =
            |ledger: &Ledger| judge(project.document(), &emitted, ledger, &project.root, &file);
        let mut report = judged(&ledger);
        if options.update && lower(&ledger, &report, &file)? {
            report = judged(&Ledger::load(&file).map_err(finding)?);
        }
        anstream::print!("{}", print::print(&report, &file, options.format, options.all));
        Ok(report.findings.is_empty())
    })
}

/// Writes the counts that have fallen; whether there are any.
fn lower(ledger: &Ledger, report: &Report, file: &Path) -> std::io::Result<bool> {
    let lowered = ledger.lowered(&report.recorded);
    if lowered == ledger.text() {
        return Ok(false);
    }
    fs::write(file, lowered)?;
    anstream::eprintln!("lowered counts in {}", file.display());
    Ok(true)
}

#[cfg(test)]
mod tests;
