//! `contract lint`: reports what makes a document hard to generate from, and promises that it does
//! not keep. A rule is a row of [`RULES`], a function of a module here, and a page in `lint/`.

mod context;
mod examples;
mod extensions;
mod names;
mod null;
mod operations;
mod paths;
mod responses;
mod rules;
mod schemas;
#[cfg(test)]
mod tests;
mod unused;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use openapi_document::{Diagnostic, Document, DocumentError, Place};
use serde::Serialize;

pub use self::rules::{RULES, Rule, Severity};
use self::{
    context::{Context, Findings},
    rules::rule,
};
use crate::{
    Result,
    output::{self, Entry, Format},
    project::Project,
};

#[derive(Debug, Default, clap::Args)]
pub struct Options {
    /// The document; without it, the configuration's
    document: Option<PathBuf>,
    /// How findings are printed
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Print the page of a rule, and stop
    #[arg(long, value_name = "RULE")]
    explain: Option<String>,
}

/// A finding of a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    pub rule: &'static str,
    pub severity: Severity,
    pub file: String,
    /// Line and column are counted from 1.
    pub line: u32,
    pub column: u32,
    pub pointer: String,
    pub problem: String,
    pub fix: String,
}

/// Runs the command, and returns `false` if it has errors.
pub(crate) fn run(options: &Options, project: &Project) -> Result<bool> {
    if let Some(id) = &options.explain {
        anstream::println!("{}", rule(id)?.page.trim_end());
        return Ok(true);
    }
    let severities = severities(&project.config.lint)?;
    let findings = lint_file(&project.document(options.document.as_ref()), &severities)?;
    print(&findings, options.format)?;
    Ok(findings.iter().all(|finding| finding.severity != Severity::Error))
}

/// Lints the document of a file; one that cannot be loaded is the finding `document`.
pub fn lint_file(path: &Path, severities: &Severities) -> Result<Vec<Finding>> {
    match Document::load(path) {
        Ok(document) => Ok(lint(&document, severities)),
        Err(DocumentError::Invalid(diagnostic)) => Ok(vec![of_invalid(*diagnostic)]),
        Err(unreadable) => Err(unreadable.into()),
    }
}

/// The severities that the configuration sets.
pub type Severities = BTreeMap<&'static str, Severity>;

/// Reads the section `[lint]` of a configuration.
pub fn severities(configured: &BTreeMap<String, String>) -> Result<Severities> {
    let read = |(id, severity): (&String, &String)| {
        let rule = rule(id)?;
        let severity = severity.parse().map_err(|_| {
            format!("[lint] {id} = \"{severity}\": write \"error\", \"warning\" or \"off\"")
        })?;
        Ok((rule.id, severity))
    };
    configured.iter().map(read).collect()
}

/// Returns the findings in a document, in the order of its lines.
pub fn lint(document: &Document, severities: &Severities) -> Vec<Finding> {
    let mut findings = Vec::new();
    let context = Context::of(document);
    for rule in RULES {
        let severity = severities.get(rule.id).copied().unwrap_or(rule.severity);
        let Some(check) = rule.check.filter(|_| severity != Severity::Off) else {
            continue;
        };
        let mut found = Findings::default();
        check(&context, &mut found);
        findings.extend(found.0.into_iter().map(|(pointer, problem, fix)| {
            let Place { file, line, column } = document.place(&pointer);
            let (file, pointer) = (file.to_string(), document.origin(&pointer));
            Finding { rule: rule.id, severity, file, line, column, pointer, problem, fix }
        }));
    }
    findings.sort_by(|left, right| {
        (left.line, left.column, left.rule).cmp(&(right.line, right.column, right.rule))
    });
    findings
}

fn of_invalid(Diagnostic { place, pointer, problem, help }: Diagnostic) -> Finding {
    Finding {
        rule: "document",
        severity: Severity::Error,
        file: place.file.to_string(),
        line: place.line,
        column: place.column,
        pointer,
        problem,
        fix: help.unwrap_or_else(|| "see the specification of OpenAPI".to_owned()),
    }
}

fn print(findings: &[Finding], format: Format) -> Result<()> {
    match format {
        Format::Json => anstream::println!("{}", serde_json::to_string_pretty(findings)?),
        Format::Text => {
            for Finding { rule, severity, file, line, column, pointer, problem, fix } in findings {
                anstream::println!("{file}:{line}:{column}: {severity} [{rule}]");
                anstream::println!("  {pointer}: {problem}");
                anstream::println!("  fix: {fix}");
            }
            let errors =
                findings.iter().filter(|finding| finding.severity == Severity::Error).count();
            anstream::println!("lint: {errors} errors, {} warnings", findings.len() - errors);
            if !findings.is_empty() {
                anstream::println!("`contract lint --explain RULE` has the reason for a rule.");
            }
        }
        _ => {
            let entries: Vec<Entry> = findings.iter().map(entry).collect();
            let printed = output::print("lint", &entries, format);
            anstream::print!("{}", printed.expect("the other formats are above"));
        }
    }
    Ok(())
}

fn entry(finding: &Finding) -> Entry {
    let Finding { rule, severity, file, line, column, problem, fix, .. } = finding;
    Entry {
        level: severity.into(),
        fails: *severity == Severity::Error,
        rule: (*rule).to_owned(),
        place: Some((file.clone(), *line, Some(*column))),
        message: format!("{problem}; {fix}"),
        fingerprint: None,
        accepted: None,
    }
}
