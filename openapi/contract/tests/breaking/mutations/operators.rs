//! The edits of schemas, with their levels in a request and in a response.

use serde_json::{
    Value::{self, Null},
    json,
};

/// Members to set, and their values; null removes one.
type Edits = Vec<(String, Value)>;

/// The rule, its levels in a request and in a response, and the edits of one schema.
pub(super) type Operator = (&'static str, &'static str, &'static str, fn(&Value) -> Vec<Edits>);

const B: &str = "breaking";
const C: &str = "compatible";
const W: &str = "warning";

pub(super) const OPERATORS: &[Operator] = &[
    ("property-removed", B, B, |it| property_removed(it, is_closed(it))),
    ("property-removed", W, B, |it| property_removed(it, !is_closed(it))),
    ("optional-property-added", C, C, |it| set(has(it, "properties"), "properties/zz", json!({}))),
    ("required-property-added", B, C, required_property_added),
    ("property-became-required", B, C, property_became_required),
    ("property-became-optional", C, B, property_became_optional),
    ("additional-properties-forbidden", B, C, |it| {
        let is_open = it["type"] == "object" && !has(it, "additionalProperties");
        set(is_open, "additionalProperties", json!(false))
    }),
    ("additional-properties-allowed", C, C, |it| set(is_closed(it), "additionalProperties", Null)),
    ("max-length-decreased", B, C, |it| number(it, "maxLength", -1)),
    ("max-length-increased", C, B, |it| removed(it, "maxLength")),
    ("min-length-increased", B, C, |it| number(it, "minLength", 1)),
    ("min-length-decreased", C, B, |it| removed(it, "minLength")),
    ("maximum-decreased", B, C, |it| number(it, "maximum", -1)),
    ("minimum-decreased", C, B, |it| number(it, "minimum", -1)),
    ("max-items-increased", C, B, |it| number(it, "maxItems", 1)),
    ("enum-value-removed", B, C, |it| list(it, "enum", None)),
    ("enum-value-added", C, B, |it| list(it, "enum", Some("ZZ"))),
    ("enum-opened", C, B, |it| removed(it, "enum")),
    ("known-value-added", C, C, |it| list(it, "x-known-values", Some("ZZ"))),
    ("known-value-removed", W, C, |it| list(it, "x-known-values", None)),
    ("type-changed", B, B, |it| {
        set(it["type"] == "string" && !has(it, "enum"), "type", json!("boolean"))
    }),
    ("became-nullable", C, B, |it| {
        // A set without null keeps its veto.
        let is_it = has(it, "type") && !has(it, "nullable") && !has(it, "enum");
        set(is_it, "nullable", json!(true))
    }),
    ("became-not-nullable", B, C, |it| {
        set(has(it, "type") && it["nullable"] == true, "nullable", Null)
    }),
    ("pattern-removed", C, B, |it| removed(it, "pattern")),
    ("pattern-changed", W, W, |it| set(has(it, "pattern"), "pattern", json!("^zz$"))),
    ("format-added", B, C, |it| {
        set(it["type"] == "string" && !has(it, "format"), "format", json!("uuid"))
    }),
    ("format-removed", C, B, |it| removed(it, "format")),
    ("default-changed", B, C, |it| number(it, "default", 1)),
];

fn has(schema: &Value, member: &str) -> bool {
    schema.get(member).is_some()
}

fn is_closed(schema: &Value) -> bool {
    schema["additionalProperties"] == false
}

/// Sets one member if the operator applies.
fn set(is_it: bool, member: &str, value: Value) -> Vec<Edits> {
    is_it.then(|| vec![(member.to_owned(), value)]).into_iter().collect()
}

fn removed(schema: &Value, member: &str) -> Vec<Edits> {
    set(has(schema, member), member, Null)
}

fn number(schema: &Value, member: &str, difference: i64) -> Vec<Edits> {
    let number = schema[member].as_i64();
    set(number.is_some(), member, json!(number.unwrap_or_default() + difference))
}

/// Adds a value to a set of several, or removes its last one.
fn list(schema: &Value, member: &str, added: Option<&str>) -> Vec<Edits> {
    let mut values = schema[member].as_array().cloned().unwrap_or_default();
    let is_it = values.len() > 1;
    match added {
        Some(value) => values.push(json!(value)),
        None => drop(values.pop()),
    }
    set(is_it, member, Value::Array(values))
}

pub(super) fn properties(schema: &Value) -> Vec<String> {
    schema["properties"].as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect()
}

fn required(schema: &Value) -> Vec<String> {
    let names = schema["required"].as_array().into_iter().flatten();
    names.map(|name| name.as_str().unwrap().to_owned()).collect()
}

/// Returns the list without a name; null if it would be empty.
fn without(names: &[String], name: &str) -> Value {
    let others: Vec<&String> = names.iter().filter(|other| *other != name).collect();
    if others.is_empty() { Null } else { json!(others) }
}

fn property_removed(schema: &Value, is_it: bool) -> Vec<Edits> {
    let properties = properties(schema).into_iter().filter(|_| is_it);
    let edits = properties.map(|name| {
        let required = ("required".to_owned(), without(&required(schema), &name));
        vec![(format!("properties/{name}"), Null), required]
    });
    edits.collect()
}

fn required_property_added(schema: &Value) -> Vec<Edits> {
    let required = [required(schema), vec!["zz".to_owned()]].concat();
    let mut edits = set(has(schema, "properties"), "properties/zz", json!({}));
    edits.iter_mut().for_each(|edits| edits.push(("required".to_owned(), json!(required))));
    edits
}

fn property_became_required(schema: &Value) -> Vec<Edits> {
    let required = required(schema);
    let optional = properties(schema).into_iter().filter(|name| !required.contains(name));
    let edits = optional.map(|name| json!([required.clone(), vec![name]].concat()));
    edits.map(|names| vec![("required".to_owned(), names)]).collect()
}

fn property_became_optional(schema: &Value) -> Vec<Edits> {
    let required = required(schema);
    let fewer = required.iter().map(|name| without(&required, name));
    fewer.map(|names| vec![("required".to_owned(), names)]).collect()
}
