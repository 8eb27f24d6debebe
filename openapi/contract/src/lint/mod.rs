//! `contract lint`: reports what makes a document hard to generate from, and promises that it does
//! not keep. A rule is a row of [`RULES`], a function of a module here, and a page in `lint/`.

mod context;
mod discriminators;
mod examples;
mod extensions;
mod fix;
mod generation;
mod names;
mod null;
mod operations;
mod paths;
mod ranges;
mod recursion;
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
    codegen::Config,
    output::{self, Entry, Format, print_line, write},
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
    /// Print every rule with its severity, and stop
    #[arg(long)]
    list: bool,
    /// First mend in the text what has one remedy; comments and layout stay
    #[arg(long)]
    fix: bool,
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
    /// The pointer in the document as it was read, with overlays and other files.
    #[serde(skip)]
    at: String,
}

/// Runs the command, and returns `false` if it has errors.
pub(crate) fn run(options: &Options, project: &Project) -> Result<bool> {
    if let Some(id) = &options.explain {
        print_line!("{}", rule(id)?.page.trim_end());
        return Ok(true);
    }
    let severities = severities(&project.config.lint)?;
    if options.list {
        list(&severities);
        return Ok(true);
    }
    let path = project.document(options.document.as_ref());
    if options.fix {
        fix::run(&path, project, &severities)?;
    }
    let findings = lint_file(&path, project, &severities)?;
    print(&findings, options.format)?;
    Ok(findings.iter().all(|finding| finding.severity != Severity::Error))
}

/// Lints the document of a file; one that cannot be loaded is the finding `document`.
fn lint_file(path: &Path, project: &Project, severities: &Severities) -> Result<Vec<Finding>> {
    match project.load_document(path) {
        Ok(document) => Ok(lint(&document, &project.config, severities)),
        Err(DocumentError::Invalid(found)) => Ok(found.into_iter().map(of_invalid).collect()),
        Err(unreadable) => Err(unreadable.into()),
    }
}

/// The severities that the configuration sets.
pub type Severities = BTreeMap<&'static str, Severity>;

/// Reads the section `[lint]` of a configuration.
pub fn severities(configured: &BTreeMap<String, String>) -> Result<Severities> {
    let read = |(id, severity): (&String, &String)| {
        let rule = rule(id)?;
        if rule.check.is_none() {
            return Err(format!("[lint] {id}: it is always an error; remove the line").into());
        }
        let severity = severity.parse().map_err(|_| {
            format!("[lint] {id} = \"{severity}\": write \"error\", \"warning\" or \"off\"")
        })?;
        Ok((rule.id, severity))
    };
    configured.iter().map(read).collect()
}

/// Returns the findings in a document, in the order of its lines.
pub fn lint(document: &Document, config: &Config, severities: &Severities) -> Vec<Finding> {
    let mut findings = Vec::new();
    let context = Context::of(document, config);
    for rule in RULES {
        let severity = severities.get(rule.id).copied().unwrap_or(rule.severity);
        let Some(check) = rule.check.filter(|_| severity != Severity::Off) else {
            continue;
        };
        let mut found = Findings::default();
        check(&context, &mut found);
        let (id, mut found_here) = (rule.id, Vec::new());
        found_here.extend(found.added.into_iter().map(|(at, problem, fix)| {
            let Place { file, line, column } = document.place(&at);
            let (file, pointer) = (file.to_string(), document.origin(&at));
            Finding { rule: id, severity, file, line, column, pointer, problem, fix, at }
        }));
        found_here
            .extend(found.located.into_iter().map(|found| of_diagnostic(id, severity, found)));
        findings.extend(found_here);
    }
    generation::keep_news(&mut findings);
    findings.sort_by(|left, right| {
        let place = |it: &'_ Finding| (it.file.clone(), it.line, it.column, it.rule);
        place(left).cmp(&place(right))
    });
    findings
}

fn of_invalid(diagnostic: Diagnostic) -> Finding {
    of_diagnostic("document", Severity::Error, diagnostic)
}

fn of_diagnostic(rule: &'static str, severity: Severity, found: Diagnostic) -> Finding {
    let Diagnostic { place, pointer, problem, help } = found;
    let Place { file, line, column } = place;
    let (file, at) = (file.to_string(), String::new());
    let fix = help.unwrap_or_else(|| "see the specification of OpenAPI".to_owned());
    Finding { rule, severity, file, line, column, pointer, problem, fix, at }
}

/// Prints the rules; `--explain` prints the page of one.
fn list(severities: &Severities) {
    for rule in RULES {
        let severity = severities.get(rule.id).copied().unwrap_or(rule.severity);
        let reason = rule.page.lines().skip(1).find(|line| !line.is_empty()).unwrap_or_default();
        let sentence = reason.split_inclusive(". ").next().unwrap_or_default().trim_end();
        print_line!("{:<26}{:<9}{sentence}", rule.id, severity.to_string());
    }
}

fn print(findings: &[Finding], format: Format) -> Result<()> {
    match format {
        Format::Json => print_line!("{}", serde_json::to_string_pretty(findings)?),
        Format::Text => {
            for Finding { rule, severity, file, line, column, pointer, problem, fix, .. } in
                findings
            {
                print_line!("{file}:{line}:{column}: {severity} [{rule}]");
                print_line!("  {pointer}: {problem}");
                print_line!("  fix: {fix}");
            }
            let errors =
                findings.iter().filter(|finding| finding.severity == Severity::Error).count();
            print_line!("lint: {errors} errors, {} warnings", findings.len() - errors);
            if !findings.is_empty() {
                print_line!("`contract lint --explain RULE` has the reason for a rule.");
            }
        }
        _ => {
            let entries: Vec<Entry> = findings.iter().map(entry).collect();
            let printed = output::print("lint", &entries, format);
            write(printed.expect("the other formats are above"));
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
