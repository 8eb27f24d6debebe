//! The report as one HTML page, which works offline and without its script.
//!
//! The templates are in `page/`. Every text is escaped, and the page's policy allows its own style
//! and script only, by hash.

use std::fmt::Write as _;

use base64::{Engine as _, prelude::BASE64_STANDARD};
use minijinja::{Error, Output, Value, context};
use sha2::{Digest as _, Sha256};

use super::{model::Report, pretty, view};
use crate::visible::visible;

pub(super) const STYLE: &str = include_str!("page/page.css");
pub(super) const SCRIPT: &str = include_str!("page/page.js");

pub(crate) fn page(report: &Report) -> String {
    page_with(report, SCRIPT)
}

pub(super) fn page_with(report: &Report, script: &str) -> String {
    let script = script.replace("\r\n", "\n");
    let json = serde_json::to_string(report).expect("the model is JSON by its types");
    // `<` occurs only within JSON's strings, where it may be escaped, so that nothing can end the
    // element or open a comment.
    let data = json.replace('<', "\\u003c");
    let context = context! {
        script_hash => hash(&script),
        script => Value::from_safe_string(script),
        data => Value::from_safe_string(data),
        ..view::context(report)
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
    view::render(environment, template, context! { style, style_hash, ..context })
}

/// Writes a value as text between tags or between the double quotes of an attribute.
pub(super) fn escape(out: &mut Output<'_>, text: &str) -> Result<(), Error> {
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

pub(super) fn hash(text: &str) -> String {
    format!("sha256-{}", BASE64_STANDARD.encode(Sha256::digest(text)))
}
