//! Finds the component schemas that requests and responses reach.

use std::collections::BTreeSet;

use serde_json::Value;

/// The pointers that `$ref`s lead to, from requests and from responses.
pub(crate) struct Reach {
    requests: BTreeSet<String>,
    responses: BTreeSet<String>,
}

impl Reach {
    pub(crate) fn of(document: &Value) -> Self {
        let mut reach = Self { requests: BTreeSet::new(), responses: BTreeSet::new() };
        for (_, operation) in operations(document) {
            for member in ["parameters", "requestBody"] {
                follow(document, &operation[member], &mut reach.requests);
            }
            follow(document, &operation["responses"], &mut reach.responses);
        }
        follow(document, &document["x-unrouted-responses"], &mut reach.responses);
        reach
    }

    /// Returns a rule of schemas with its level in each direction that reaches the component.
    pub(crate) fn rules(
        &self,
        component: &str,
        name: &str,
        request: &str,
        response: &str,
    ) -> BTreeSet<String> {
        let mut rules = BTreeSet::new();
        if self.requests.contains(component) {
            rules.insert(format!("request-{name} {request}"));
        }
        if self.responses.contains(component) {
            rules.insert(format!("response-{name} {response}"));
        }
        rules
    }

    pub(crate) fn reaches(&self, component: &str) -> bool {
        self.requests.contains(component) || self.responses.contains(component)
    }
}

/// Returns the operations with their pointers.
pub(crate) fn operations(document: &Value) -> Vec<(String, &Value)> {
    let methods = ["get", "put", "post", "patch", "delete"];
    let paths = document["paths"].as_object().unwrap();
    let operations = paths.iter().flat_map(|(path, item)| {
        let path = format!("/paths/{}", path.replace('~', "~0").replace('/', "~1"));
        let own = item.as_object().unwrap().iter();
        let own = own.filter(move |(method, _)| methods.contains(&method.as_str()));
        own.map(move |(method, operation)| (format!("{path}/{method}"), operation))
    });
    operations.collect()
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
