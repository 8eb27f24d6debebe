//! Each document of `tests/data/rejected` has an error with its place, and a fix where it is known:
//! the comments in its last lines.

use std::{fs, path::Path};

use openapi_document::Document;

use crate::support::{Expected, data, diagnostic};

#[test]
fn rejected_documents_are_reported_as_their_last_lines_say() {
    let mut expected = Expected::default();
    for entry in fs::read_dir(data("rejected")).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let document = text.lines().filter(|line| !line.starts_with("# api.yaml:"));
        let document = document.map(|line| format!("{line}\n")).collect::<String>();
        let found = diagnostic(&text).replace('\n', "\n# ");
        let found = format!("{document}# {found}\n");
        expected.check(path, &found);
    }
    expected.end();
}

#[test]
fn missing_file_is_an_error_by_its_name() {
    let error = Document::load(Path::new("no/such/api.yaml")).unwrap_err();
    let message = error.to_string();
    assert!(message.starts_with("no/such/api.yaml: cannot read the document: "), "{message}");
    assert!(error.diagnostics().is_empty());
}

#[test]
fn reference_in_an_example_is_data() {
    let text = "openapi: 3.0.3\ninfo: { title: T, version: '1' }\npaths: {}\ncomponents: \
                { schemas: { Pet: { example: { $ref: 'nowhere.yaml' } } } }\n";
    assert!(Document::parse("api.yaml", text).is_ok());
}
