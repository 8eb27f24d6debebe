//! Finds the operations, and the components that requests and responses reach.

use std::collections::BTreeSet;

use openapi_document::Document;
use serde_json::Value;

/// An operation, a component, or an inline schema of a component's properties.
pub(super) struct Object<'v> {
    /// `operation`, or the components' section.
    pub(super) kind: &'static str,
    pub(super) pointer: String,
    pub(super) value: &'v Value,
    pub(super) component: String,
}

pub(super) fn objects<'v>(document: &'v Document, reach: &Reach) -> Vec<Object<'v>> {
    let operations = document.operations().iter().map(|operation| Object {
        kind: "operation",
        pointer: operation.pointer.clone(),
        value: document.value().pointer(&operation.pointer).unwrap(),
        component: String::new(),
    });
    let mut objects: Vec<Object<'_>> = operations.collect();
    for kind in ["responses", "headers", "parameters", "schemas"] {
        for (name, value) in document.value()["components"][kind].as_object().unwrap() {
            let component = format!("/components/{kind}/{name}");
            if reach.requests.contains(&component) || reach.responses.contains(&component) {
                add_with_properties(&mut objects, kind, &component, &component, value);
            }
        }
    }
    objects
}

/// Adds an object, and its properties that are no references.
fn add_with_properties<'v>(
    objects: &mut Vec<Object<'v>>,
    kind: &'static str,
    component: &str,
    pointer: &str,
    value: &'v Value,
) {
    let (own, component) = (pointer.to_owned(), component.to_owned());
    for name in properties(value) {
        let property = &value["properties"][&name];
        if property.get("type").is_some() {
            let pointer = format!("{own}/properties/{name}");
            add_with_properties(objects, kind, &component, &pointer, property);
        }
    }
    objects.push(Object { kind, pointer: own, value, component });
}

/// Returns the names of a schema's properties.
pub(super) fn properties(schema: &Value) -> Vec<String> {
    schema["properties"].as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect()
}

/// The pointers that `$ref`s lead to, from requests and from responses.
#[derive(Default)]
pub(super) struct Reach {
    requests: BTreeSet<String>,
    responses: BTreeSet<String>,
}

impl Reach {
    pub(super) fn of(document: &Document) -> Self {
        let (whole, mut reach) = (document.value(), Self::default());
        for operation in document.operations() {
            let operation = whole.pointer(&operation.pointer).unwrap();
            for member in ["parameters", "requestBody"] {
                follow(whole, &operation[member], &mut reach.requests);
            }
            follow(whole, &operation["responses"], &mut reach.responses);
        }
        follow(whole, &whole["x-unrouted-responses"], &mut reach.responses);
        reach
    }

    /// Returns a rule of schemas with its level in each direction that reaches the component.
    pub(super) fn rules(
        &self,
        component: &str,
        name: &str,
        request: &str,
        response: &str,
    ) -> BTreeSet<String> {
        let directions =
            [("request", &self.requests, request), ("response", &self.responses, response)];
        let reached = directions.into_iter().filter(|(_, reached, _)| reached.contains(component));
        reached.map(|(direction, _, level)| format!("{direction}-{name} {level}")).collect()
    }
}

fn follow(document: &Value, value: &Value, seen: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            if let Some(target) = members.get("$ref").and_then(Value::as_str) {
                let pointer = target.trim_start_matches('#').to_owned();
                if seen.insert(pointer.clone()) {
                    follow(document, document.pointer(&pointer).unwrap(), seen);
                }
                return;
            }
            members.values().for_each(|value| follow(document, value, seen));
        }
        Value::Array(elements) => elements.iter().for_each(|value| follow(document, value, seen)),
        _ => {}
    }
}
