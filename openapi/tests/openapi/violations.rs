//! The validator reports all violations, each with its pointer and keyword, without the value.

use openapi_document::{Direction, Document, Violation};
use serde_json::{Value, json};

use crate::support::{load, schemas};

fn violations(document: &Document, name: &str, value: &Value) -> Vec<Violation> {
    let pointer = format!("/components/schemas/{name}");
    let validator = document.validator(&pointer, Direction::Request).expect("a schema");
    let found = validator.validate(value);
    assert_eq!(validator.is_valid(value), found.is_empty(), "{name}: {value}");
    found
}

#[test]
fn violations_are_those_that_the_document_lists() {
    let document = load("violations.yaml");
    let mut count = 0;
    for (name, schema) in document.value()["components"]["schemas"].as_object().unwrap() {
        for case in schema["x-cases"].as_array().into_iter().flatten() {
            let found = violations(&document, name, &case["value"]).into_iter();
            let found = found.map(|one| format!("{} {}", one.pointer, one.keyword));
            assert_eq!(json!(found.collect::<Vec<_>>()), case["found"], "{name}: {case}");
            count += 1;
        }
    }
    assert!(count > 40, "{count}");
}

/// Numbers are compared as numbers, so that 9 is before 10; other names are compared as texts.
#[test]
fn members_are_reported_in_one_order_however_the_value_orders_them() {
    let document = schemas("A: { type: object, additionalProperties: false }");
    let pointers = |names: [&str; 6]| -> Vec<String> {
        let members = names.map(|name| (name.to_owned(), json!(0)));
        let value = Value::Object(members.into_iter().collect());
        violations(&document, "A", &value).into_iter().map(|one| one.pointer).collect()
    };
    let first = pointers(["9", "10", "1a", "+9", "09", "99999999999999999999"]);
    assert_eq!(first, ["/9", "/10", "/+9", "/09", "/1a", "/99999999999999999999"]);
    assert_eq!(pointers(["1a", "9", "99999999999999999999", "09", "10", "+9"]), first);
    assert_eq!(pointers(["+9", "09", "10", "1a", "99999999999999999999", "9"]), first);
}

#[test]
fn messages_are_sentences_without_the_value() {
    let value = json!({"name": "secret-key", "kind": "secret-key", "lines": "secret-key"});
    let found = violations(&load("violations.yaml"), "Reader", &value);
    let messages: Vec<String> = found.iter().map(ToString::to_string).collect();
    assert_eq!(
        messages,
        [
            "/kind must be one of [\"x\",\"y\"]",
            "/lines must be an array",
            "/name must have at most 5 characters",
        ]
    );
}
