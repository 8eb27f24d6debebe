//! The generators on small documents: the lines that they write, and the diagnostics.

mod diagnostics;
mod output;

use payout_openapi::{Diagnostic, Document};

use super::{read, server};

/// A document with one of everything that is supported.
const BASE: &str = include_str!("base.yaml");

/// The base document with one text replaced, which must occur exactly once.
fn changed(from: &str, to: &str) -> Document {
    assert_eq!(BASE.matches(from).count(), 1, "{from}");
    Document::parse("small.yaml", &BASE.replace(from, to)).unwrap()
}

/// The generated files of the base document, without line breaks and repeated blanks.
fn file(name: &str) -> String {
    let document = Document::parse("small.yaml", BASE).unwrap();
    let model = read::read(&document).unwrap();
    let files = server::generate(&model).unwrap();
    let found = files.into_iter().find(|file| file.path.ends_with(name)).unwrap();
    found.text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn diagnostics(document: &Document) -> Vec<Diagnostic> {
    read::read(document).expect_err("the document must be rejected")
}
