//! The copy of the document for progenitor. It lacks
//! - responses: progenitor loses status and request id of a body that it cannot parse, so the
//!   client reads all of them itself;
//! - header parameters but the idempotency key: progenitor sends `api-version` itself;
//! - optional nullable properties of requests, each of which is a reference to a component instead:
//!   progenitor would never send null;
//! - restrictions of values: the client checks them in what it sends, all at once (`rules`), and
//!   they would make it fail on responses of a newer server;
//! - defaults, which the server fills in.

use std::mem;

use openapi_document::{Document, pointer::join};
use openapiv3::OpenAPI;
use serde_json::{Map, Value, json};

use super::type_overrides::{Change, TypeOverrides, is_argument};

pub(super) fn for_progenitor(document: &Document, overrides: &TypeOverrides) -> OpenAPI {
    let mut copy = document.value().clone();
    prepare_components(&mut copy, overrides);
    for operation in document.operations() {
        let bodies = operation.body.iter().flat_map(|body| &body.content);
        let parameters = operation.parameters.iter();
        for pointer in bodies
            .filter_map(|body| body.schema_pointer.as_deref())
            .chain(parameters.filter_map(|parameter| parameter.schema_pointer.as_deref()))
        {
            copy.pointer_mut(pointer).into_iter().for_each(loosen);
        }
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
    schemas.values_mut().for_each(loosen);
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

/// The keywords that restrict the values of a type.
const RESTRICTIONS: [&str; 14] = [
    "pattern",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
    "x-property-names",
];

/// Removes restrictions from a schema and those below it.
fn loosen(schema: &mut Value) {
    let Value::Object(members) = schema else {
        return;
    };
    members.retain(|name, _| {
        !["example", "default"].contains(&&**name) && !RESTRICTIONS.contains(&&**name)
    });
    if members.get("additionalProperties") == Some(&Value::Bool(false)) {
        members.remove("additionalProperties");
    }
    subschemas(members).for_each(loosen);
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
