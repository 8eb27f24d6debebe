//! Small documents for the tests.

use openapi_document::{Direction, Document, Validator};
use serde_json::Value;

/// A document from YAML; diagnostics fail the test.
pub(crate) fn document(text: &str) -> Document {
    Document::parse("api.yaml", text).unwrap_or_else(|error| panic!("{error}"))
}

/// What the diagnostic of a document says.
pub(crate) fn diagnostic(text: &str) -> String {
    match Document::parse("api.yaml", text) {
        Ok(_) => panic!("the document was loaded"),
        Err(error) => error.to_string(),
    }
}

/// A document of these component schemas, each line indented as under `schemas:`.
pub(crate) fn schemas(schemas: &str) -> Document {
    let indented: String = schemas.lines().map(|line| format!("    {line}\n")).collect();
    document(&format!(
        "openapi: 3.0.3\ninfo: {{ title: T, version: '1' }}\npaths: {{}}\ncomponents:\n  \
         schemas:\n{indented}"
    ))
}

/// A component schema as JSON Schema, without the line that names the dialect.
pub(crate) fn converted(document: &Document, name: &str, direction: Direction) -> Value {
    let pointer = format!("/components/schemas/{name}");
    let mut schema = document.json_schema(&pointer, direction).expect("the schema exists");
    let members = schema.as_object_mut().expect("a schema is an object");
    let dialect = members.shift_remove("$schema");
    assert_eq!(
        dialect.expect("the dialect is named"),
        "https://json-schema.org/draft/2020-12/schema"
    );
    schema
}

/// A validator for the component schema `name`.
pub(crate) fn validator(document: &Document, name: &str) -> Validator {
    document
        .validator(&format!("/components/schemas/{name}"), Direction::Request)
        .expect("the schema compiles")
}
