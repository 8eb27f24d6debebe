//! Documents of `tests/codegen`: the code that is generated of them, or why none is.

mod constructs;
mod generated;
mod names;
mod rejected;
mod versions;

use std::{
    fs,
    path::{Path, PathBuf},
};

use openapi_document::Document;

use super::{Config, files::Artifact, model::Model, read, server};

/// Every output, and the hand-written types of a client.
const CONFIG: &str = r#"
index = "operations.txt"
server.folder = "contract"
server.handled-headers = ["api-version", "idempotency-key"]

[client]
file = "generated.rs"
by-hand = true
handled-headers = ["api-version"]

[client.types]
DownloadUrl = "crate::DownloadUrl"
Money = "crate::Money"
Timestamp = "crate::Timestamp"
"#;

pub(crate) fn config() -> Config {
    Config::parse(CONFIG).unwrap()
}

pub(crate) fn data(name: &str) -> String {
    fs::read_to_string(folder().join(name)).unwrap()
}

pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/codegen")
}

/// Returns the paths of the files in a folder of `tests/codegen`, sorted.
fn files(name: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder().join(name)).unwrap();
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

fn document(text: &str) -> Document {
    Document::parse("small.yaml", text).unwrap()
}

fn model_of(document: &Document, released: &[String]) -> Model {
    read::read(document, released, &config()).unwrap()
}

/// Generates the server's files of a document; `released` are the versions of earlier ones.
fn server_of(text: &str, released: &[String]) -> Vec<Artifact> {
    server::generate(&model_of(&document(text), released)).unwrap()
}

/// Returns the text of the file with this name, without blanks and line breaks.
fn squeezed(files: &[Artifact], name: &str) -> String {
    let found = files.iter().find(|file| file.path.ends_with(&format!("/{name}"))).unwrap();
    squeeze(&found.text)
}

fn squeeze(text: &str) -> String {
    text.split_whitespace().collect()
}
