//! `contract coverage`: lists the operations that cannot be generated, with the reasons.

use std::{collections::BTreeMap, path::PathBuf};

use crate::codegen::Coverage;
use openapi_document::Diagnostic;
use serde::Serialize;

use crate::{Result, project};

/// The arguments of the command.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// The document; without it, the configuration's
    document: Option<PathBuf>,
    /// The configuration, whose names the document is read by
    #[arg(long, value_name = "FILE", default_value = "contract.toml")]
    config: PathBuf,
    /// Print JSON, for programs
    #[arg(long)]
    json: bool,
}

/// A construct that cannot be generated, and the operations that have it.
#[derive(Debug, Serialize)]
struct Reason {
    file: String,
    line: u32,
    column: u32,
    pointer: String,
    problem: String,
    fix: Option<String>,
    operations: Vec<String>,
}

/// Runs the command, and returns `false` if an operation cannot be generated.
pub fn run(options: &Options) -> Result<bool> {
    let files = project::Options {
        config: options.config.clone(),
        document: options.document.clone(),
        check: true,
    };
    project::or_finding(|| {
        let project = project::Project::load(&files)?;
        let coverage = project.coverage()?;
        let reasons = reasons(&coverage);
        if options.json {
            anstream::println!(
                "{:#}",
                serde_json::json!({ "generated": coverage.generated, "reasons": reasons })
            );
        } else {
            print(&coverage, &reasons);
        }
        Ok(coverage.left_out.is_empty())
    })
}

/// Returns the reasons, those of most operations first.
fn reasons(coverage: &Coverage) -> Vec<Reason> {
    let mut operations: BTreeMap<String, (&Diagnostic, Vec<String>)> = BTreeMap::new();
    for operation in &coverage.left_out {
        for reason in &operation.reasons {
            let entry = operations.entry(reason.to_string()).or_insert((reason, Vec::new()));
            entry.1.push(operation.id.clone());
        }
    }
    let mut reasons: Vec<Reason> = operations
        .into_values()
        .map(|(Diagnostic { place, pointer, problem, help }, operations)| Reason {
            file: place.file.to_string(),
            line: place.line,
            column: place.column,
            pointer: pointer.clone(),
            problem: problem.clone(),
            fix: help.clone(),
            operations,
        })
        .collect();
    reasons.sort_by_key(|reason| std::cmp::Reverse(reason.operations.len()));
    reasons
}

fn print(coverage: &Coverage, reasons: &[Reason]) {
    for Reason { file, line, column, problem, fix, operations, .. } in reasons {
        anstream::println!("{file}:{line}:{column}: {problem}");
        if let Some(fix) = fix {
            anstream::println!("    fix: {fix}");
        }
        anstream::println!("    in {}", operations.join(", "));
    }
    let (generated, left_out) = (coverage.generated.len(), coverage.left_out.len());
    anstream::println!("{generated} of {} operations can be generated", generated + left_out);
    if left_out > 0 {
        let ids: Vec<&str> = coverage.left_out.iter().map(|left| left.id.as_str()).collect();
        anstream::println!("To generate the others, write in contract.toml:");
        anstream::println!("leave-out = {ids:?}");
    }
}
