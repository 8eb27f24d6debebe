//! Each document of `tests/data/rejected` has an error with its place, and a fix where it is known:
//! the comment in its last line.

use std::{env, fs, path::Path};

use openapi_document::Document;

use crate::support::{data, diagnostic};

#[test]
fn rejected_documents_are_reported_as_their_last_lines_say() {
    let mut wrong = Vec::new();
    for entry in fs::read_dir(data("rejected")).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let (document, expected) = text.rsplit_once("# ").expect("the last line is a comment");
        let found = diagnostic(&text);
        if found == expected.trim_end() {
            continue;
        }
        if env::var_os("WRITE_EXPECTED").is_some() {
            fs::write(&path, format!("{document}# {found}\n")).unwrap();
        }
        wrong.push(format!("{}: {found}", path.display()));
    }
    let mend = "where this is right: WRITE_EXPECTED=1 cargo test -p openapi-document";
    assert!(wrong.is_empty(), "{}\n{mend}", wrong.join("\n"));
}

#[test]
fn missing_file_is_an_error_by_its_name() {
    let error = Document::load(Path::new("no/such/api.yaml")).unwrap_err();
    let message = error.to_string();
    assert!(message.starts_with("no/such/api.yaml: cannot read the document: "), "{message}");
    assert!(error.diagnostic().is_none());
}

#[test]
fn reference_in_an_example_is_data() {
    let text = "openapi: 3.0.3\ninfo: { title: T, version: '1' }\npaths: {}\ncomponents: \
                { schemas: { Pet: { example: { $ref: 'nowhere.yaml' } } } }\n";
    assert!(Document::parse("api.yaml", text).is_ok());
}
