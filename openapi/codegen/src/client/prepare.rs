//! The copy of the document for progenitor. It lacks
//! - responses: progenitor loses status and request id of a body that it cannot parse, so the
//!   client reads all of them itself;
//! - header parameters but the idempotency key: progenitor sends `api-version` itself;
//! - optional nullable properties of requests, each of which is a reference to a component instead:
//!   progenitor would never send null;
//! - patterns, closed objects and bounds of what only a server sends: they would make a client fail
//!   on responses of a newer server;
//! - defaults, which the server fills in, and limits of maps, which it checks.

use std::mem;

use openapi_document::{Document, pointer::join};
use openapiv3::OpenAPI;
use serde_json::{Map, Value, json};

use super::type_overrides::{Change, TypeOverrides, is_argument};

pub(super) fn for_progenitor(document: &Document, overrides: &TypeOverrides) -> OpenAPI {
    let mut copy = document.value().clone();
    prepare_components(&mut copy, overrides);
    for operation in document.operations() {
        let arguments = operation.parameters.iter().filter(|parameter| is_argument(parameter));
        let arguments: Vec<&str> = arguments.map(|parameter| parameter.pointer.as_str()).collect();
        let Some(Value::Object(members)) = copy.pointer_mut(&operation.pointer) else {
            continue;
        };
        members.insert("responses".to_owned(), json!({}));
        if let Some(Value::Array(parameters)) = members.get_mut("parameters") {
            let list = join(&operation.pointer, "parameters");
            let mut pointers = (0..).map(|index: usize| join(&list, &index.to_string()));
            parameters.retain(|parameter| {
                let own = pointers.next().expect("there is one for every index");
                arguments.contains(&reference_in(parameter).unwrap_or(&own))
            });
        }
    }
    serde_json::from_value(copy).expect("a valid document without some of its members is valid")
}

fn reference_in(parameter: &Value) -> Option<&str> {
    parameter.get("$ref")?.as_str().map(|reference| reference.trim_start_matches('#'))
}

fn prepare_components(copy: &mut Value, overrides: &TypeOverrides) {
    let Some(Value::Object(components)) = copy.get_mut("components") else {
        return;
    };
    components
        .retain(|kind, _| ["schemas", "parameters", "requestBodies"].contains(&kind.as_str()));
    let Some(Value::Object(schemas)) = components.get_mut("schemas") else {
        return;
    };
    schemas.retain(|name, _| {
        overrides.in_requests.contains(name) || overrides.in_responses.contains(name)
    });
    for (name, schema) in schemas.iter_mut() {
        loosen(schema, overrides.in_requests.contains(name));
    }
    for Change { property, component, value, .. } in &overrides.changes {
        let Some(property) = copy.pointer_mut(property) else {
            continue;
        };
        let mut schema =
            mem::replace(property, json!({ "$ref": format!("#/components/schemas/{component}") }));
        if let Value::Object(members) = &mut schema {
            members.remove("nullable");
        }
        let schemas = &mut copy["components"]["schemas"];
        if let Some(value) = value {
            schemas[value] = schema.clone();
        }
        schemas[component] = schema;
    }
}

/// Removes restrictions from a schema and those below it. What a caller sends keeps its bounds,
/// which are checked before the request is sent.
fn loosen(schema: &mut Value, sent: bool) {
    let Value::Object(members) = schema else {
        return;
    };
    members.remove("example");
    members.remove("pattern");
    members.remove("default");
    members.remove("maxProperties");
    if members.get("additionalProperties") == Some(&Value::Bool(false)) {
        members.remove("additionalProperties");
    }
    if !sent {
        for bound in
            ["minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems", "uniqueItems"]
        {
            members.remove(bound);
        }
    }
    if let Some(values) = members.get_mut("additionalProperties") {
        loosen(values, false);
    }
    for below in subschemas(members) {
        loosen(below, sent);
    }
}

fn subschemas(members: &mut Map<String, Value>) -> impl Iterator<Item = &mut Value> {
    members.iter_mut().flat_map(|(name, member)| -> Box<dyn Iterator<Item = &mut Value>> {
        match (name.as_str(), member) {
            ("properties", Value::Object(properties)) => Box::new(properties.values_mut()),
            ("allOf" | "anyOf" | "oneOf", Value::Array(schemas)) => Box::new(schemas.iter_mut()),
            ("items" | "additionalProperties" | "not", schema) => Box::new(std::iter::once(schema)),
            _ => Box::new(std::iter::empty()),
        }
    })
}
