//! The type `null` of 3.1, which 3.0 lacks.

use serde_json::{Map, Value, json};

/// Writes a schema whose only type is null as an enum of null alone. An enum without null beside it
/// leaves no value at all.
pub(super) fn as_enum(members: &mut Map<String, Value>) {
    members.shift_remove("type");
    match members.get("enum").and_then(Value::as_array) {
        Some(values) if !values.contains(&Value::Null) => {
            members.insert("not".to_owned(), json!({}));
        }
        _ => {
            members.insert("enum".to_owned(), json!([null]));
        }
    }
}
