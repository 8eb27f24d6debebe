//! The report as one HTML page, which works offline and without its script.
//!
//! The templates are in `page/`. Every text is escaped, and the page's policy allows its own style
//! and script only, by hash.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use minijinja::{Error, Output, Value, context};
use sha2::{Digest as _, Sha256};

use super::{
    gap,
    model::{CoverageReport, Report},
    pretty, view, words,
};
use crate::visible::visible;

const PAGE: &str = include_str!("page/page.html");
const CASES: &str = include_str!("page/cases.html");
const PROOF: &str = include_str!("page/proof.html");
const STYLE: &str = include_str!("page/page.css");
const SCRIPT: &str = include_str!("page/page.js");

pub(crate) fn page(report: &Report) -> String {
    page_with(report, SCRIPT)
}

fn page_with(report: &Report, script: &str) -> String {
    let script = script.replace("\r\n", "\n");
    let clauses: BTreeSet<&str> = report.cases.iter().map(|case| &*case.clause.id).collect();
    let operations = report.cases.iter().filter_map(|case| case.operation.as_deref());
    let statuses = report.coverage.iter().map(|documented| documented.status);
    let exempt = report.coverage.iter().filter_map(|documented| documented.exempt.as_deref());
    let remains = report.remains.iter().map(|remains| {
        let is_listed = report.cases.iter().any(|case| case.id == remains.case);
        context! { is_listed, ..Value::from_serialize(remains) }
    });
    let context = context! {
        report,
        groups => view::groups(report),
        script_hash => hash(&script),
        script => Value::from_safe_string(script),
        data => Value::from_safe_string(data(report)),
        worst => words::worst(report),
        headline => words::headline(report),
        operations => operations.collect::<BTreeSet<_>>(),
        clauses,
        gaps => gap::gaps(report),
        unproved => gap::unproved_otherwise(report),
        statuses => statuses.collect::<BTreeSet<_>>(),
        rows => rows(&report.coverage),
        lacks => view::lacks(report),
        exempt => exempt.collect::<BTreeSet<_>>(),
        remains => remains.collect::<Vec<_>>(),
        has_changed => words::has_changed(report),
    };
    render("page.html", context)
}

/// The page of a proof, in the same style.
pub(crate) fn proof(proof: Value) -> String {
    render("proof.html", proof)
}

fn render(template: &str, context: Value) -> String {
    // A browser reads each line end as a line feed, and hashes that.
    let style = STYLE.replace("\r\n", "\n");
    let style_hash = hash(&style);
    let style = Value::from_safe_string(style);
    let mut environment = view::environment(escape);
    environment.add_filter("anchor", |id: String| anchor(&id));
    environment.add_filter("indented", |body: String| pretty::indented(&body).unwrap_or(body));
    let rendered = environment
        .add_template("page.html", PAGE)
        .and_then(|()| environment.add_template("cases.html", CASES))
        .and_then(|()| environment.add_template("proof.html", PROOF))
        .and_then(|()| environment.get_template(template))
        .and_then(|template| template.render(context! { style, style_hash, ..context }));
    rendered.expect("the templates are part of the program, and tests render each branch")
}

/// Writes a value as text between tags or between the double quotes of an attribute.
fn escape(out: &mut Output<'_>, text: &str) -> Result<(), Error> {
    for character in visible(text).chars() {
        match character {
            '&' => out.write_str("&amp;")?,
            '<' => out.write_str("&lt;")?,
            '>' => out.write_str("&gt;")?,
            '"' => out.write_str("&quot;")?,
            '\'' => out.write_str("&#39;")?,
            other => out.write_char(other)?,
        }
    }
    Ok(())
}

/// Returns the anchor of a case; an id may hold characters that an address may not.
fn anchor(case: &str) -> String {
    let plain = |character: char| character.is_ascii_alphanumeric() || ".-_".contains(character);
    let id: String = case.chars().map(|c| if plain(c) { c } else { '_' }).collect();
    format!("case-{id}")
}

/// A row for each operation, in the document's order, with a cell for each documented status.
fn rows(coverage: &[CoverageReport]) -> Vec<Value> {
    let operations = coverage.chunk_by(|one, other| one.operation == other.operation);
    let rows = operations.map(|statuses| {
        let cells = statuses.iter().map(|documented| {
            let (responses, is_exempt) = (documented.responses, documented.exempt.is_some());
            let is_missing = words::lack(documented).is_some();
            (documented.status, context! { responses, is_exempt, is_missing })
        });
        let cells: BTreeMap<u16, Value> = cells.collect();
        context! { operation => statuses[0].operation, cells }
    });
    rows.collect()
}

/// The report for a script element. `<` occurs only within JSON's strings, where it may be escaped,
/// so that nothing can end the element or open a comment.
fn data(report: &Report) -> String {
    let json = serde_json::to_string(report).expect("the model is JSON by its types");
    json.replace('<', "\\u003c")
}

fn hash(text: &str) -> String {
    format!("sha256-{}", BASE64_STANDARD.encode(Sha256::digest(text)))
}

#[cfg(test)]
mod tests;
