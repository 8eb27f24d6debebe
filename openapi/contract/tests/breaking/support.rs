//! A small document, and its comparison with an edited one.

use openapi_contract::breaking::{Change, changes};
use openapi_document::Document;
use serde_json::{Value, json};

/// A document with one of everything that an operation can have.
pub(crate) fn base() -> Value {
    json!({
        "openapi": "3.0.3",
        "info": { "title": "Things", "version": "1" },
        "servers": [{ "url": "https://one.example" }],
        "security": [{ "Key": [] }],
        "paths": {
            "/things/{id}": {
                "post": {
                    "operationId": "changeThing",
                    "tags": ["things"],
                    "parameters": [
                        { "name": "id", "in": "path", "required": true,
                          "schema": { "type": "string" } },
                        { "name": "sort", "in": "query", "schema": { "type": "string" } }
                    ],
                    "requestBody": {
                        "required": true,
                        "content": { "application/json": { "schema": thing() } }
                    },
                    "responses": {
                        "200": {
                            "description": "The thing.",
                            "headers": {
                                "x-cost": { "required": true, "schema": { "type": "string" } }
                            },
                            "content": { "application/json": { "schema": thing() } }
                        },
                        "404": { "description": "No thing.", "x-error-codes": ["NO_THING"] }
                    }
                }
            }
        },
        "components": {
            "schemas": {
                "Thing": { "type": "object" },
                "Cat": { "type": "object", "properties": { "purrs": { "type": "boolean" } } },
                "Dog": { "type": "object", "properties": { "barks": { "type": "boolean" } } },
                "Cow": { "type": "object", "properties": { "moos": { "type": "boolean" } } }
            },
            "securitySchemes": {
                "Key": { "type": "apiKey", "in": "header", "name": "x-api-key" },
                "Token": { "type": "http", "scheme": "bearer" }
            }
        }
    })
}

pub(crate) fn thing() -> Value {
    json!({ "$ref": "#/components/schemas/Thing" })
}

/// The value with another one at a pointer; null removes the member.
pub(crate) fn with(mut document: Value, pointer: &str, value: &Value) -> Value {
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    let name = name.replace("~1", "/").replace("~0", "~");
    match document.pointer_mut(parent).unwrap() {
        Value::Object(members) if value.is_null() => {
            members.shift_remove(&name);
        }
        Value::Object(members) => {
            members.insert(name, value.clone());
        }
        Value::Array(elements) if value.is_null() => {
            elements.truncate(name.parse().unwrap());
        }
        Value::Array(elements) => {
            let index: usize = name.parse().unwrap();
            elements.splice(index..elements.len().min(index + 1), [value.clone()]);
        }
        _ => panic!("{parent} holds no members"),
    }
    document
}

pub(crate) fn document(name: &str, value: &Value) -> Document {
    let text = serde_json::to_string_pretty(value).unwrap();
    Document::parse(name, &text).unwrap()
}

pub(crate) fn compare(old: &Value, new: &Value) -> Vec<Change> {
    changes(&document("old.json", old), &document("new.json", new))
}

/// Rule and level of each change, sorted.
pub(crate) fn rules(changes: &[Change]) -> Vec<String> {
    let mut rules: Vec<String> =
        changes.iter().map(|change| format!("{} {}", change.rule, change.level)).collect();
    rules.sort();
    rules.dedup();
    rules
}
