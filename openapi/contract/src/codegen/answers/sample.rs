//! A value of a schema: its example, or the smallest that its keywords describe. The caller
//! validates it, since no value is made for a pattern.

use openapi_document::{Discriminator, Document, Shape, pointer::join};
use serde_json::{Map, Value, json};

/// The deepest value; only a schema that requires itself is deeper, and no value satisfies it.
const MAX_DEPTH: usize = 32;

pub(super) fn of(document: &Document, schema: &str) -> Value {
    at_depth(document, schema, 0)
}

fn at_depth(document: &Document, schema: &str, depth: usize) -> Value {
    let (Ok(shape), true) = (document.shape(schema), depth < MAX_DEPTH) else {
        return Value::Null;
    };
    let given = ["example", "default"].iter().find_map(|keyword| shape.keyword(keyword));
    let listed = ["enum", "x-known-values"].iter().find_map(|set| shape.keyword(set)?.get(0));
    if let Some(value) = given.or(listed) {
        return value.clone();
    }
    let alternative = ["oneOf", "anyOf"].into_iter().find(|name| shape.keyword(name).is_some());
    let below = |pointer: &str| at_depth(document, pointer, depth + 1);
    let owner = document.resolve(schema);
    let names_null = owner.as_ref().is_ok_and(|owner| document.names_null(owner.value));
    if names_null && shape.is_nullable() {
        Value::Null
    } else if let Some(alternative) = alternative {
        let owner = owner.map_or(String::new(), |owner| owner.pointer);
        let named = document.discriminator(&owner).filter(|found| found.faults.is_empty());
        let mut value = below(&join(&join(&owner, alternative), "0"));
        if let (Some(Discriminator { property, forms, .. }), Some(members)) =
            (named, value.as_object_mut())
            && let Some(name) = forms.first().and_then(|form| form.names.first())
        {
            members.insert(property, json!(name));
        }
        value
    } else if shape.is("array") {
        let item = shape.items.as_deref().map_or(Value::Null, below);
        let count = shape.number("minItems").and_then(|count| count.try_into().ok());
        Value::Array(vec![item; count.unwrap_or(0)])
    } else if shape.is("object") || !shape.properties.is_empty() {
        let required = shape.properties.iter().filter(|(name, _)| shape.requires(name));
        let members: Map<String, Value> =
            required.map(|(name, pointer)| (name.clone(), below(pointer))).collect();
        Value::Object(members)
    } else {
        scalar(&shape)
    }
}

fn scalar(shape: &Shape) -> Value {
    if shape.is("boolean") {
        return json!(false);
    }
    if shape.is("integer") || shape.is("number") {
        return shape.keyword("minimum").cloned().unwrap_or(json!(0));
    }
    let text = match shape.keyword("format").and_then(Value::as_str) {
        Some("date-time") => "2026-01-01T00:00:00.000Z",
        Some("date") => "2026-01-01",
        Some("uri") => "https://files.example/a",
        Some("uuid") => "7f9c24e8-3b12-4fef-91e0-2a1e0a5f2e6c",
        Some("email") => "someone@example.com",
        _ => {
            let least = shape.number("minLength").and_then(|least| least.try_into().ok());
            return json!("a".repeat(least.unwrap_or(0)));
        }
    };
    json!(text)
}
