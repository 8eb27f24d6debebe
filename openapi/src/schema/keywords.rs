//! Keywords whose meaning differs between OpenAPI 3.0 and JSON Schema 2020-12.
//!
//! It refuses to weaken a schema: whatever 3.0 forbids stays forbidden.

use serde_json::{Map, Value, json};

/// Which way a value travels: it decides about `readOnly` and `writeOnly`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Direction {
    /// From client to server: a required `readOnly` property may be missing.
    Request,
    /// From server to client: a required `writeOnly` property may be missing.
    Response,
    /// Either way, as for the example of a component: both may be missing.
    Either,
}

impl Direction {
    pub(super) fn drops_read_only(self) -> bool {
        matches!(self, Self::Request | Self::Either)
    }

    pub(super) fn drops_write_only(self) -> bool {
        matches!(self, Self::Response | Self::Either)
    }
}

/// Keywords that mean the same in both and hold no schemas.
pub(super) const CARRIED_OVER: [&str; 17] = [
    "title",
    "description",
    "type",
    "enum",
    "format",
    "multipleOf",
    "maximum",
    "minimum",
    "maxLength",
    "minLength",
    "pattern",
    "maxItems",
    "minItems",
    "uniqueItems",
    "maxProperties",
    "minProperties",
    "required",
];

/// The exclusive bounds are flags beside the bounds in 3.0, and bounds themselves in 2020-12; the
/// integer formats are bounds that 2020-12 does not know.
pub(super) fn settle_bounds(members: &Map<String, Value>, converted: &mut Map<String, Value>) {
    for (bound, exclusive) in [
        ("minimum", "exclusiveMinimum"),
        ("maximum", "exclusiveMaximum"),
    ] {
        if members.get(exclusive) == Some(&Value::Bool(true))
            && let Some(limit) = converted.remove(bound)
        {
            converted.insert(exclusive.to_owned(), limit);
        }
    }
    if members.get("type").and_then(Value::as_str) != Some("integer") {
        return;
    }
    let (least, most) = match members.get("format").and_then(Value::as_str) {
        Some("int32") => (json!(i32::MIN), json!(i32::MAX)),
        Some("int64") => (json!(i64::MIN), json!(i64::MAX)),
        _ => return,
    };
    for (bound, exclusive, limit) in [
        ("minimum", "exclusiveMinimum", least),
        ("maximum", "exclusiveMaximum", most),
    ] {
        if !converted.contains_key(bound) && !converted.contains_key(exclusive) {
            converted.insert(bound.to_owned(), limit);
        }
    }
}

/// An object that may have no members at all still has each unknown one told by name: the library
/// does so only beside `properties`.
pub(super) fn settle_unknown_members(converted: &mut Map<String, Value>) {
    let is_closed = converted.get("additionalProperties") == Some(&Value::Bool(false));
    if is_closed && !converted.contains_key("properties") {
        converted.insert("properties".to_owned(), json!({}));
    }
}

/// The same schema, and null beside it.
///
/// Where the schema has a type and nothing that would judge null by itself, the type says it all;
/// violations then stay as plain as without `nullable`. Otherwise null is an alternative.
pub(super) fn admit_null(mut converted: Map<String, Value>) -> Map<String, Value> {
    if let Some(Value::Array(options)) = converted.get_mut("enum")
        && !options.contains(&Value::Null)
    {
        options.push(Value::Null);
    }
    let judges_null = ["allOf", "oneOf", "anyOf", "not"]
        .iter()
        .any(|keyword| converted.contains_key(*keyword));
    if judges_null {
        let alternatives = json!([{ "type": "null" }, converted]);
        return Map::from_iter([("anyOf".to_owned(), alternatives)]);
    }
    if let Some(name) = converted.get("type").cloned() {
        converted.insert("type".to_owned(), json!([name, "null"]));
    }
    converted
}
