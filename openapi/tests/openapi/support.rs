//! Small documents for the tests.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use openapi_document::Document;

/// Returns a file or folder of `tests/data`.
pub(crate) fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

/// Loads a document of `tests/data` by the name `api.yaml`.
pub(crate) fn load(name: &str) -> Document {
    document(&fs::read_to_string(data(name)).expect("a file of `tests/data`"))
}

/// Reads a document from YAML; a diagnostic fails the test.
pub(crate) fn document(text: &str) -> Document {
    Document::parse("api.yaml", text).unwrap_or_else(|error| panic!("{error}"))
}

/// Returns the diagnostic of a document.
pub(crate) fn diagnostic(text: &str) -> String {
    match Document::parse("api.yaml", text) {
        Ok(_) => panic!("the document was loaded"),
        Err(error) => error.to_string(),
    }
}

/// Returns a document with these component schemas, written without indentation.
pub(crate) fn schemas(schemas: &str) -> Document {
    let indented: String = schemas.lines().map(|line| format!("    {line}\n")).collect();
    document(&format!(
        "openapi: 3.0.3\ninfo: {{ title: T, version: '1' }}\npaths: {{}}\ncomponents:\n  \
         schemas:\n{indented}"
    ))
}

/// Compares what is found with files; with WRITE_EXPECTED it writes them.
#[derive(Default)]
pub(crate) struct Expected(Vec<String>);

impl Expected {
    pub(crate) fn check(&mut self, path: PathBuf, found: &str) {
        if fs::read_to_string(&path).unwrap_or_default() != found {
            if env::var_os("WRITE_EXPECTED").is_some() {
                fs::write(&path, found).expect("the file can be written");
            }
            self.0.push(format!("{}:\n{found}", path.display()));
        }
    }

    pub(crate) fn end(self) {
        let mend = "where this is right: WRITE_EXPECTED=1 cargo test -p openapi-document";
        assert!(self.0.is_empty(), "{}\n{mend}", self.0.join("\n"));
    }
}
