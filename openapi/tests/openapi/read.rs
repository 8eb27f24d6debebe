//! Documents are read as the file beside each of them says, from JSON, YAML 1.2 with the core
//! schema, and OpenAPI 3.1. `tests/data/rejected` has constructs on which readers disagree, and
//! what 3.0 cannot express.

use std::fs;

use openapi_document::Document;
use serde_json::Value;

use crate::support::{Expected, data};

#[test]
fn documents_are_read_as_the_files_say() {
    let mut expected = Expected::default();
    for entry in fs::read_dir(data("read")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "txt") {
            continue;
        }
        let name = path.file_name().unwrap().to_str().unwrap();
        let document = Document::parse(name, &fs::read_to_string(&path).unwrap()).unwrap();
        let notes = document.notes().iter().map(|note| format!("{note}\n"));
        let mut found: String = notes.collect();
        write(&document, "", document.value(), &mut found);
        expected.check(path.with_extension("txt"), &found);
    }
    expected.end();
}

/// Writes the places of a value and of its members, and those without members.
fn write(document: &Document, pointer: &str, value: &Value, found: &mut String) {
    let place = document.place(pointer);
    let mut line = |value: &str| {
        let line = format!("{}:{} {pointer}{value}", place.line, place.column);
        *found += &format!("{}\n", line.trim_end());
    };
    let members: Vec<(String, &Value)> = match value {
        Value::Object(members) => members.iter().map(|(name, it)| (name.clone(), it)).collect(),
        Value::Array(items) => {
            items.iter().enumerate().map(|(index, item)| (index.to_string(), item)).collect()
        }
        _ => Vec::new(),
    };
    if members.is_empty() {
        return line(&format!(": {value}"));
    }
    line("");
    for (name, member) in members {
        write(document, &openapi_document::pointer::join(pointer, &name), member, found);
    }
}

#[test]
fn broken_json_is_an_error_where_it_breaks() {
    for (text, expected) in [
        ("{\n  \"openapi\": \"3.0.0\",\n}\n", "3:1: invalid JSON: trailing comma"),
        ("", "1:1: invalid JSON: EOF while parsing a value"),
        (
            "{\n  \"openapi\": \"3.0.0\",\n  \"\\u006fpenapi\": \"3.0.0\"\n}",
            "3:3: duplicate key `openapi`, first in line 2; remove one of the two",
        ),
    ] {
        let error = Document::parse("api.json", text).unwrap_err();
        assert_eq!(error.to_string(), format!("api.json:{expected}"));
    }
}
