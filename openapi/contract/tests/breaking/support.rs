//! Compares a small document with an edited one.

use openapi_contract::breaking::{Change, changes};
use openapi_document::Document;
use serde_json::{Value, json};

/// Returns a document with one of everything that an operation can have.
pub(crate) fn base() -> Value {
    serde_json::from_str(include_str!("base.json")).unwrap()
}

pub(crate) fn thing() -> Value {
    json!({ "$ref": "#/components/schemas/Thing" })
}

/// Returns the document with another value at a pointer; null removes the member.
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

/// Returns rule and level of each change, sorted.
pub(crate) fn rules(changes: &[Change]) -> Vec<String> {
    let mut rules: Vec<String> =
        changes.iter().map(|change| format!("{} {}", change.rule, change.level)).collect();
    rules.sort();
    rules.dedup();
    rules
}
