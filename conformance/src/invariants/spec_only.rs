//! The document without what decisions add, for `--decisions off`. Types stay: the specification
//! defines them, while a decision often defines how a value is written.

use payout_openapi::{Document, DocumentError};
use serde_json::Value;

const EXTENSION: &str = "x-decision";
/// Keywords that are removed from a schema with the extension.
const REMOVED: [&str; 6] =
    ["pattern", "minLength", "maxLength", "required", "additionalProperties", "x-error-codes"];

pub(crate) fn without_decisions(document: &Document) -> Result<Document, DocumentError> {
    let mut value = document.value().clone();
    loosen(&mut value);
    Document::parse("the document without decisions", &value.to_string())
}

fn loosen(value: &mut Value) {
    match value {
        Value::Object(members) => {
            if members.contains_key(EXTENSION) {
                // A boolean `required` is that of a header, which may then be missing.
                if members.get("required").is_some_and(Value::is_boolean) {
                    members.insert("required".to_owned(), false.into());
                } else {
                    members.retain(|name, _| !REMOVED.contains(&name.as_str()));
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
    fn what_a_decision_adds_is_no_longer_required() {
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
                "Header": {
                    "required": false, "schema": { "type": "string" }, "x-decision": "R13"
                },
            })
        );
    }
}
