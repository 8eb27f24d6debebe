//! The document without what decisions add, for `--decisions off`. Types stay, and so does what the
//! specification says of a value whose written form a decision fixes.

use openapi_document::{Document, DocumentError};
use serde_json::{Map, Value, json};

const EXTENSION: &str = "x-decision";
/// Keywords that are removed from a schema or a response with the extension.
const REMOVED: [&str; 7] = [
    "pattern",
    "minLength",
    "maxLength",
    "required",
    "additionalProperties",
    "default",
    "x-error-codes",
];
/// Decisions about how a value is written, and the pattern that the specification requires.
const WRITTEN: [(&str, &str); 2] = [
    // §2.2, §2.3: a decimal with two fraction digits.
    ("V3", r"^[-+]?[0-9]+\.[0-9]{2}$"),
    // §8: a number of requests, credits or seconds.
    ("A9", "^[0-9]+$"),
];
/// The decision about which fields of a partner are present and not null. The specification says
/// their types alone (§2.1).
const PARTNER_FIELDS: &str = "V5";
/// Keywords that such a field keeps.
const TYPE: [&str; 4] = ["type", "format", "items", "nullable"];

pub(crate) fn without_decisions(document: &Document) -> Result<Document, DocumentError> {
    let mut value = document.value().clone();
    // It describes operations, and says nothing of other paths (R5).
    if let Some(members) = value.as_object_mut() {
        members.remove("x-unrouted-responses");
    }
    let schemas = value["components"]["schemas"].clone();
    loosen(&mut value, &schemas);
    Document::parse("the document without decisions", &value.to_string())
}

fn loosen(value: &mut Value, schemas: &Value) {
    match value {
        Value::Object(members) => {
            if let Some(decision) = members.get(EXTENSION).cloned() {
                loosen_marked(members, decision.as_str().unwrap_or_default(), schemas);
            }
            members.values_mut().for_each(|member| loosen(member, schemas));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| loosen(item, schemas)),
        _ => {}
    }
}

fn loosen_marked(members: &mut Map<String, Value>, decision: &str, schemas: &Value) {
    // A boolean `required` is that of a header, which may then be missing.
    if members.get("required").is_some_and(Value::is_boolean) {
        members.insert("required".to_owned(), false.into());
        return;
    }
    let written = WRITTEN.iter().find(|(id, _)| *id == decision);
    let written = written.filter(|_| members.contains_key("pattern"));
    members.retain(|name, _| !REMOVED.contains(&name.as_str()));
    if let Some((_, pattern)) = written {
        members.insert("pattern".to_owned(), json!(pattern));
    }
    if decision == PARTNER_FIELDS
        && let Some(fields) = members.get_mut("properties").and_then(Value::as_object_mut)
    {
        fields.values_mut().for_each(|field| *field = type_or_null(field, schemas));
    }
}

/// A field's type, as it or the schema that it refers to says, or null.
fn type_or_null(field: &Value, schemas: &Value) -> Value {
    let reference = field.get("$ref").or_else(|| field.pointer("/allOf/0/$ref"));
    let name = reference.and_then(Value::as_str).and_then(|reference| reference.rsplit('/').next());
    let referred = name.map_or(&Value::Null, |name| &schemas[name]);
    let mut members = Map::new();
    for schema in [referred, field] {
        members.extend(schema.as_object().cloned().unwrap_or_default());
    }
    members.retain(|name, _| TYPE.contains(&name.as_str()));
    members.insert("nullable".to_owned(), true.into());
    Value::Object(members)
}

#[cfg(test)]
mod tests {
    use openapi_document::Direction;

    use super::*;
    use crate::document::DOCUMENT;

    #[test]
    fn what_the_specification_says_of_a_value_stays() {
        let document = without_decisions(&DOCUMENT).unwrap();
        for (name, sound, wrong) in [
            (
                "Money",
                vec![json!("10.00"), json!("-007.50"), json!("+0.00")],
                vec![json!("10"), json!("1.5"), json!("1.000"), json!(10.00)],
            ),
            ("Count", vec![json!("0"), json!("0120")], vec![json!("1.0"), json!("many")]),
            (
                "Partner",
                vec![
                    json!({}),
                    json!({ "id": "7", "name": null, "categories": null, "crmProperties": null }),
                    json!({ "tierId": "", "owner": { "id": 7 }, "createdAt": null }),
                ],
                vec![
                    json!({ "name": 7 }),
                    json!({ "categories": [7] }),
                    json!({ "owner": "Ada" }),
                    json!({ "crmProperties": [] }),
                    json!({ "createdAt": "yesterday" }),
                ],
            ),
            ("NullablePayoutMetadata", vec![json!({ "a": [1] })], vec![json!("text")]),
        ] {
            let pointer = format!("/components/schemas/{name}");
            let schema = document.validator(&pointer, Direction::Response).unwrap();
            for value in sound {
                assert!(schema.is_valid(&value), "{name} {value}");
            }
            for value in wrong {
                assert!(!schema.is_valid(&value), "{name} {value}");
            }
        }
    }
}
