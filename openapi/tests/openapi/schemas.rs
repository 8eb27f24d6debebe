//! OpenAPI 3.0 schemas become JSON Schema 2020-12, as `tests/data/json-schema.yaml` says.

use openapi_document::{
    Direction::{self, Either, Request, Response},
    Document,
};
use serde_json::{Value, json};

use crate::support::{load, schemas};

/// Converts a component schema; the result is without the line that names the dialect.
fn converted(document: &Document, name: &str, direction: Direction) -> Value {
    let pointer = format!("/components/schemas/{name}");
    let mut schema = document.json_schema(&pointer, direction).expect("the schema exists");
    let dialect = schema.as_object_mut().expect("an object").shift_remove("$schema");
    assert_eq!(dialect.expect("a dialect"), "https://json-schema.org/draft/2020-12/schema");
    schema
}

#[test]
fn schemas_are_converted_for_their_directions() {
    let document = load("json-schema.yaml");
    let mut count = 0;
    for (name, written) in document.value()["components"]["schemas"].as_object().unwrap() {
        for (member, direction) in
            [("x-in-request", Request), ("x-in-response", Response), ("x-in-either", Either)]
        {
            if let Some(expected) = written.get(member) {
                assert_eq!(converted(&document, name, direction), *expected, "{name} {member}");
                count += 1;
            }
        }
    }
    assert!(count >= 20, "{count}");
}

#[test]
fn references_into_schemas_get_names_of_their_own() {
    let document = schemas(
        "A:
  properties:
    x: { $ref: '#/components/schemas/B/properties/a~1b' }
    y: { $ref: '#/components/schemas/B/properties/a_b' }
B: { properties: { a/b: { type: string }, a_b: { type: boolean } } }",
    );
    let schema = converted(&document, "A", Request);
    let definition = |property: &str| {
        let reference = schema["properties"][property]["$ref"].as_str().unwrap();
        schema.pointer(&reference[1..]).unwrap().clone()
    };
    assert_eq!(definition("x"), json!({"type": "string"}));
    assert_eq!(definition("y"), json!({"type": "boolean"}));
}

#[test]
fn pointer_to_nothing_is_an_error_at_its_nearest_ancestor() {
    let document = schemas("A: {}");
    let error = document.json_schema("/components/schemas/B", Request).unwrap_err();
    assert_eq!(
        error.to_string(),
        "api.yaml:5:3: /components/schemas/B: there is no schema at this JSON pointer"
    );
}

#[test]
fn validator_reads_whole_numbers_and_formats_like_a_generated_server() {
    let document = schemas(
        "A:
  properties:
    whole: { type: integer }
    byte: { type: integer, format: uint8, maximum: 300 }
    day: { type: string, format: date }
    email: { type: string, format: email }
    hint: { type: string, format: duration }",
    );
    let validator = document.validator("/components/schemas/A", Request).unwrap();
    let found = |value: Value| {
        let violations = validator.validate(&value).into_iter();
        violations.map(|violation| violation.pointer).collect::<Vec<_>>()
    };
    let right = json!({ "whole": i64::MIN, "byte": 255, "day": "2024-02-29", "hint": "?" });
    assert_eq!(found(right), [""; 0]);
    let wrong =
        json!({ "whole": i64::MAX as u64 + 1, "byte": 256, "day": "2020-02-30", "email": "a" });
    assert_eq!(found(wrong), ["/byte", "/day", "/email", "/whole"]);
    assert_eq!(found(json!({ "whole": u64::MAX })), ["/whole"]);
}
