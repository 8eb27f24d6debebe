//! Mutations of the component schemas.

use serde_json::Value;

use super::{
    Mutation,
    operators::{OPERATORS, properties},
    places::Reach,
};

pub(super) fn mutations(document: &Value, reach: &Reach) -> Vec<Mutation> {
    let components = document["components"]["schemas"].as_object().unwrap();
    let mut mutations = Vec::new();
    for (name, schema) in components {
        let component = format!("/components/schemas/{name}");
        if !reach.reaches(&component) {
            continue;
        }
        for (pointer, schema) in inline(&component, schema) {
            for (rule, request, response, edits) in OPERATORS {
                for edits in edits(schema) {
                    let absolute = |(member, value)| (format!("{pointer}/{member}"), value);
                    mutations.push(Mutation {
                        operator: rule,
                        place: pointer.clone(),
                        edits: edits.into_iter().map(absolute).collect(),
                        expected: reach.rules(&component, rule, request, response),
                    });
                }
            }
        }
    }
    mutations
}

/// Returns the schema, and those of its properties that are no references.
fn inline<'v>(pointer: &str, schema: &'v Value) -> Vec<(String, &'v Value)> {
    let mut schemas = vec![(pointer.to_owned(), schema)];
    for name in properties(schema) {
        let property = &schema["properties"][&name];
        if property.get("type").is_some() {
            schemas.extend(inline(&format!("{pointer}/properties/{name}"), property));
        }
    }
    schemas
}
