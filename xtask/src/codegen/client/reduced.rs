//! The copy of the document that progenitor gets.
//!
//! It has no responses: progenitor loses status and request id of a body that it cannot parse, so every response
//! comes back unread and `crate::response` of the client reads it. It has no `api-version` parameter: progenitor
//! sends that header anyway. It refuses to keep what would make a client fail on a response that it could read:
//! patterns, closed objects, and bounds on what only a server sends.

use openapiv3::OpenAPI;
use payout_openapi::{Document, Location};
use serde_json::{Map, Value, json};

use super::own_types::OwnTypes;

/// The reduced copy, in progenitor's types.
pub(super) fn for_progenitor(document: &Document, own_types: &OwnTypes) -> OpenAPI {
    let mut copy = document.value().clone();
    reduce_components(&mut copy, own_types);
    for operation in document.operations() {
        let headers: Vec<&str> = operation
            .parameters
            .iter()
            .filter(|parameter| parameter.location == Location::Header)
            .map(|parameter| parameter.pointer.as_str())
            .collect();
        let Some(Value::Object(members)) = copy.pointer_mut(&operation.pointer) else {
            continue;
        };
        members.insert("responses".to_owned(), json!({}));
        if let Some(Value::Array(parameters)) = members.get_mut("parameters") {
            parameters.retain(|parameter| !refers_to_any(parameter, &headers));
        }
    }
    serde_json::from_value(copy)
        .expect("what was loaded stays readable when members are taken away")
}

fn refers_to_any(parameter: &Value, pointers: &[&str]) -> bool {
    match parameter.get("$ref").and_then(Value::as_str) {
        Some(reference) => pointers.contains(&reference.trim_start_matches('#')),
        None => parameter["in"] == "header",
    }
}

fn reduce_components(copy: &mut Value, own_types: &OwnTypes) {
    let Some(Value::Object(components)) = copy.get_mut("components") else {
        return;
    };
    components
        .retain(|kind, _| ["schemas", "parameters", "requestBodies"].contains(&kind.as_str()));
    let Some(Value::Object(schemas)) = components.get_mut("schemas") else {
        return;
    };
    schemas.retain(|name, _| {
        own_types.in_requests.contains(name) || own_types.in_responses.contains(name)
    });
    for (name, schema) in schemas.iter_mut() {
        loosen(schema, own_types.in_requests.contains(name));
    }
    for (nullable, inner) in own_types.changes() {
        let mut schema = schemas[nullable].clone();
        if let Value::Object(members) = &mut schema {
            members.remove("nullable");
        }
        schemas.insert(inner.to_owned(), schema);
    }
}

/// Takes away what a schema refuses, below it too; what a caller sends keeps its bounds, so that the
/// caller hears of a fault before the request is sent.
fn loosen(schema: &mut Value, sent: bool) {
    let Value::Object(members) = schema else {
        return;
    };
    members.remove("example");
    members.remove("pattern");
    if members.get("additionalProperties") == Some(&Value::Bool(false)) {
        members.remove("additionalProperties");
    }
    if !sent {
        for bound in [
            "minLength",
            "maxLength",
            "minimum",
            "maximum",
            "minItems",
            "maxItems",
            "uniqueItems",
        ] {
            members.remove(bound);
        }
    }
    for below in subschemas(members) {
        loosen(below, sent);
    }
}

fn subschemas(members: &mut Map<String, Value>) -> impl Iterator<Item = &mut Value> {
    members
        .iter_mut()
        .flat_map(|(name, member)| -> Box<dyn Iterator<Item = &mut Value>> {
            match (name.as_str(), member) {
                ("properties", Value::Object(properties)) => Box::new(properties.values_mut()),
                ("allOf" | "anyOf" | "oneOf", Value::Array(schemas)) => {
                    Box::new(schemas.iter_mut())
                }
                ("items" | "additionalProperties" | "not", schema) => {
                    Box::new(std::iter::once(schema))
                }
                _ => Box::new(std::iter::empty()),
            }
        })
}
