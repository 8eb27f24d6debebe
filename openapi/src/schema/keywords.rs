//! Keywords whose meaning differs between OpenAPI 3.0 and JSON Schema 2020-12.

use openapi_formats::integer_bounds;
use serde_json::{Map, Value, json};

/// The direction of a value, which decides about `readOnly` and `writeOnly`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Direction {
    /// From client to server: a required `readOnly` property may be missing.
    Request,
    /// From server to client: a required `writeOnly` property may be missing.
    Response,
    /// Either, as for the example of a component: both may be missing.
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

/// Keywords with the same meaning in both, or of 3.1, and without schemas inside.
pub(super) const UNCHANGED: [&str; 20] = [
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
    "dependentRequired",
    "maxContains",
    "minContains",
];

/// A keyword of the validator: a number without fraction and exponent, as OpenAPI 3.0 has integers.
/// To JSON Schema 2020-12, `1.0` is an integer.
pub(crate) const WHOLE_NUMBER: &str = "x-whole-number";

/// Exclusive bounds are flags in 3.0 and bounds in 2020-12, which also lacks the integer formats. A
/// whole number has at most 64 bits, as in generated servers.
pub(super) fn convert_bounds(members: &Map<String, Value>, converted: &mut Map<String, Value>) {
    for (bound, exclusive) in [("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")] {
        if members.get(exclusive) == Some(&Value::Bool(true))
            && let Some(limit) = converted.remove(bound)
        {
            converted.insert(exclusive.to_owned(), limit);
        }
    }
    if members.get("type").and_then(Value::as_str) != Some("integer") {
        return;
    }
    converted.insert(WHOLE_NUMBER.to_owned(), json!(true));
    let (min, max) = integer_bounds(members.get("format").and_then(Value::as_str));
    for (bound, exclusive, limit) in
        [("minimum", "exclusiveMinimum", min), ("maximum", "exclusiveMaximum", max)]
    {
        let written = converted.get(bound).or_else(|| converted.get(exclusive));
        if !written.is_some_and(|written| is_between(written, min, max)) {
            converted.remove(exclusive);
            converted.insert(bound.to_owned(), json!(limit));
        }
    }
}

/// Returns true if a bound restricts the whole numbers of a format further.
#[expect(clippy::disallowed_types, reason = "a number of the document, no money")]
fn is_between(written: &Value, min: i64, max: i64) -> bool {
    match written.as_i64() {
        Some(whole) => (min..=max).contains(&whole),
        None => written.as_f64().is_some_and(|it| it > min as f64 && it < max as f64),
    }
}

/// Rules that OpenAPI 3.0 lacks, as far as JSON Schema has them: it cannot compare two values, as
/// `x-later-than` does, nor a value with the time, as `x-within-seconds` does.
pub(super) fn convert_rules(members: &Map<String, Value>, converted: &mut Map<String, Value>) {
    if let Some(names) = members.get("x-property-names") {
        converted.insert("propertyNames".to_owned(), names.clone());
    }
    if members.get("x-not-zero") == Some(&Value::Bool(true)) {
        let zero = json!({ "type": "string", "pattern": "^-?0+([.]0+)?$" });
        converted.insert("not".to_owned(), zero);
    }
    if members.get("x-not-negative") == Some(&Value::Bool(true)) {
        add_rules(converted, vec![json!({ "not": { "type": "string", "pattern": "^-" } })]);
    }
    let properties = || members.get("properties").and_then(Value::as_object).into_iter().flatten();
    let excluded_by = properties().filter_map(|(name, property)| {
        let other = property.get("x-excluded-by")?.as_str()?;
        Some(json!({ "not": { "required": [name, other] } }))
    });
    add_rules(converted, excluded_by.collect());
    let required_when = properties().filter_map(|(name, property)| {
        let condition = property.get("x-required-when")?;
        if let Some(sibling) = condition.as_str() {
            return Some(
                json!({ "if": { "required": [sibling] }, "then": { "required": [name] } }),
            );
        }
        let (sibling, value) = condition.as_object()?.iter().next()?;
        let is_so = json!({ "required": [sibling], "properties": { sibling: { "const": value } } });
        Some(json!({ "if": is_so, "then": { "required": [name] } }))
    });
    add_rules(converted, required_when.collect());
}

/// Adds schemas that must hold too.
pub(super) fn add_rules(converted: &mut Map<String, Value>, rules: Vec<Value>) {
    if !rules.is_empty() {
        let all = converted.entry("allOf").or_insert_with(|| json!([]));
        all.as_array_mut().expect("`allOf` is a list").extend(rules);
    }
}

/// The library names unknown members only where `properties` is present.
pub(super) fn report_unknown_members(converted: &mut Map<String, Value>) {
    let is_closed = converted.get("additionalProperties") == Some(&Value::Bool(false));
    if is_closed && !converted.contains_key("properties") {
        converted.insert("properties".to_owned(), json!({}));
    }
}

/// `nullable` adds null to the type beside it, and to nothing else.
pub(super) fn convert_nullable(members: &Map<String, Value>, converted: &mut Map<String, Value>) {
    if members.get("nullable") == Some(&Value::Bool(true))
        && let Some(name) = converted.get_mut("type")
    {
        *name = json!([*name, "null"]);
    }
}
