//! The report: text for people, JSON for programs, annotations for GitHub Actions.

use std::{collections::BTreeMap, fmt::Write as _, path::Path};

use openapi_document::Place;
use serde_json::json;

use super::verdict::{Counts, Finding, Report};
use crate::output::{Format, annotation};

/// How many findings of one kind a text lists, unless all are asked for.
const LISTED: usize = 3;

pub(super) fn print(report: &Report, ledger: &Path, format: Format, all: bool) -> String {
    match format {
        Format::Text => text(report, ledger, all),
        Format::Json => format!("{:#}\n", as_json(report)),
        Format::Github => annotations(report),
    }
}

/// The findings, then the numbers, for people; `all` findings, and the numbers of each kind.
#[must_use]
pub fn text(report: &Report, ledger: &Path, all: bool) -> String {
    let mut text = String::new();
    let mut listed: BTreeMap<&str, usize> = BTreeMap::new();
    for Finding { place, message, element } in &report.findings {
        let count = element.as_deref().map(|element| listed.entry(element).or_default());
        let is_listed = count.is_none_or(|count| {
            *count += 1;
            *count <= LISTED
        });
        if is_listed || all {
            _ = writeln!(text, "{place}: {message}");
        }
    }
    for (element, count) in listed.iter().filter(|(_, count)| !all && **count > LISTED) {
        _ = writeln!(text, "… and {} more of {element}; `--all` lists them", count - LISTED);
    }
    if all {
        text.push_str(&table(report));
    }
    if !report.suggestion.is_empty() {
        _ = writeln!(
            text,
            "Let the generator keep them, name tests that prove them under [[proved]] in {}, or \
             record them there with a reason:\n\n{}",
            ledger.display(),
            report.suggestion
        );
    }
    let Counts { by_type, by_case, in_ledger, open } = report.total();
    _ = writeln!(
        text,
        "{} elements: {by_type} proved by type, {by_case} proved by a case, {in_ledger} in the \
         ledger, {open} open",
        report.total().all()
    );
    if report.added > 0 {
        _ = writeln!(text, "{} elements of the emitted document alone", report.added);
    }
    text
}

/// A row for each kind of element.
fn table(report: &Report) -> String {
    let mut text = String::from(
        "| element | by type | by a case | in the ledger | open |\n|---|---:|---:|---:|---:|\n",
    );
    for (kind, Counts { by_type, by_case, in_ledger, open }) in &report.kinds {
        _ = writeln!(text, "| {kind} | {by_type} | {by_case} | {in_ledger} | {open} |");
    }
    text
}

fn as_json(report: &Report) -> serde_json::Value {
    let counts = |counts: &Counts| {
        let Counts { by_type, by_case, in_ledger, open } = counts;
        json!({ "byType": by_type, "byCase": by_case, "inLedger": in_ledger, "open": open })
    };
    let findings = report.findings.iter().map(|Finding { place, message, element }| {
        let Place { file, line, column } = place;
        let file = file.as_ref();
        json!({
            "file": file, "line": line, "column": column, "element": element, "message": message
        })
    });
    let kinds: serde_json::Map<_, _> =
        report.kinds.iter().map(|(kind, of_kind)| (kind.clone(), counts(of_kind))).collect();
    json!({
        "total": counts(&report.total()),
        "added": report.added,
        "kinds": kinds,
        "findings": findings.collect::<Vec<_>>(),
    })
}

fn annotations(report: &Report) -> String {
    let lines = report.findings.iter().map(|Finding { place, message, element }| {
        let Place { file, line, column } = place;
        let title = element.as_deref().unwrap_or("round-trip");
        annotation("error", (file, *line, *column), title, message) + "\n"
    });
    lines.collect()
}
