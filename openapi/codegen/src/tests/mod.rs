//! The generators on small documents: the lines that they write, and the diagnostics.

mod creation;
mod diagnostics;
mod output;
mod requests;
mod subset;
mod values;
mod versions;

use openapi_document::{Diagnostic, Document};

use super::{Config, model::Model, read, server};

/// A document with one of everything that is supported, except for what `CREATE` has.
pub(crate) const BASE: &str = include_str!("base.yaml");

/// A document with an operation that creates something: several successes, a key against repeats,
/// rules between properties, defaults and a map with limits.
pub(crate) const CREATE: &str = include_str!("create.yaml");

/// Every output, and the hand-written types of a client.
const CONFIG: &str = r#"
index = "operations.txt"
server.folder = "contract"
server.handled-headers = ["api-version", "idempotency-key"]

[client]
file = "generated.rs"

[client.types]
DownloadUrl = "crate::DownloadUrl"
Money = "crate::Money"
Timestamp = "crate::Timestamp"
"#;

pub(crate) fn config() -> Config {
    Config::parse(CONFIG).unwrap()
}

fn model_of(document: &Document, released: &[String]) -> Model {
    read::read(document, released, &config()).unwrap().0
}

/// A document with one text replaced, which must occur exactly once.
fn changed(document: &str, from: &str, to: &str) -> Document {
    assert_eq!(document.matches(from).count(), 1, "{from}");
    Document::parse("small.yaml", &document.replace(from, to)).unwrap()
}

/// A file that is generated from a document, without line breaks and repeated blanks.
fn file_of(document: &str, name: &str) -> String {
    file_of_released(document, &[], name)
}

/// The same where documents of these versions are released.
fn file_of_released(document: &str, released: &[String], name: &str) -> String {
    let document = Document::parse("small.yaml", document).unwrap();
    let model = model_of(&document, released);
    let files = server::generate(&model).unwrap();
    let found = files.into_iter().find(|file| file.path.ends_with(name)).unwrap();
    found.text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn diagnostics(document: &Document) -> Vec<Diagnostic> {
    diagnostics_with(document, &[])
}

/// The same where documents of these versions are released.
fn diagnostics_with(document: &Document, released: &[String]) -> Vec<Diagnostic> {
    match read::read(document, released, &config()) {
        Ok(_) => panic!("the document must be rejected"),
        Err(diagnostics) => diagnostics,
    }
}

/// Replaces one text of a document; the result must have this diagnostic.
#[track_caller]
fn reports_in(document: &str, from: &str, to: &str, pointer: &str, problem: &str) {
    let diagnostics = diagnostics(&changed(document, from, to));
    let found = diagnostics
        .iter()
        .find(|diagnostic| diagnostic.pointer == pointer && diagnostic.problem.contains(problem));
    let found = found.unwrap_or_else(|| panic!("not among {diagnostics:#?}"));
    assert!(found.place.line > 1, "{found}");
    assert!(found.help.as_ref().is_some_and(|help| !help.is_empty()), "{found}");
}

/// The generated file of a document must have these lines.
#[track_caller]
fn holds_in(document: &str, name: &str, lines: &[&str]) {
    let text = file_of(document, name);
    for line in lines {
        assert!(text.contains(line), "{name} lacks: {line}\n{text}");
    }
}
