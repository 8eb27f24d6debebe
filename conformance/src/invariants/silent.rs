//! The document without what decisions add: a foreign deployment is judged by the specification alone.
//!
//! It refuses to loosen a type: what a value is, the specification says; how it is written, often a decision.

use payout_openapi::{Document, DocumentError};
use serde_json::Value;

const MARK: &str = "x-decision";
/// What a schema that carries the mark no longer asks for.
const LOOSENED: [&str; 6] = [
    "pattern",
    "minLength",
    "maxLength",
    "required",
    "additionalProperties",
    "x-error-codes",
];

/// The document, loosened.
///
/// # Errors
/// Never for a document that was loaded; a fault would be told with its place.
pub fn without_decisions(document: &Document) -> Result<Document, DocumentError> {
    let mut value = document.value().clone();
    loosen(&mut value);
    Document::parse("the document without decisions", &value.to_string())
}

fn loosen(value: &mut Value) {
    match value {
        Value::Object(members) => {
            if members.contains_key(MARK) {
                // A header that a decision asks for may be missing, and is never a list of properties.
                if members.get("required").is_some_and(Value::is_boolean) {
                    members.insert("required".to_owned(), false.into());
                } else {
                    members.retain(|name, _| !LOOSENED.contains(&name.as_str()));
                }
            }
            members.values_mut().for_each(loosen);
        }
        Value::Array(items) => items.iter_mut().for_each(loosen),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_a_decision_adds_is_no_longer_asked_for() {
        let mut value = json!({
            "Money": { "type": "string", "pattern": "x", "x-decision": "V3" },
            "Status": { "type": "string", "enum": ["A"] },
            "Header": { "required": true, "schema": { "type": "string" }, "x-decision": "R13" },
        });
        loosen(&mut value);
        assert_eq!(
            value,
            json!({
                "Money": { "type": "string", "x-decision": "V3" },
                "Status": { "type": "string", "enum": ["A"] },
                "Header": { "required": false, "schema": { "type": "string" }, "x-decision": "R13" },
            })
        );
    }
}
