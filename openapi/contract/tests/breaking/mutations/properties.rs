//! Mutations of properties, which change the list `required` beside them.

use serde_json::{
    Value::{self, Null},
    json,
};

use super::{
    Edits, Mutation,
    places::{Object, Reach},
};

/// The rule, its levels in a request and in a response, and the edits of one schema.
type Operator = (&'static str, &'static str, &'static str, fn(&Value) -> Vec<Edits>);

const B: &str = "breaking";
const C: &str = "compatible";

const OPERATORS: [Operator; 5] = [
    ("property-removed", B, B, |it| property_removed(it, true)),
    ("property-removed", "warning", B, |it| property_removed(it, false)),
    ("required-property-added", B, C, |it| {
        let required = json!([required(it), vec!["zz".to_owned()]].concat());
        let edits =
            vec![("properties/zz".to_owned(), json!({})), ("required".to_owned(), required)];
        it.get("properties").map(|_| edits).into_iter().collect()
    }),
    ("property-became-required", B, C, |it| {
        let required = required(it);
        let optional = properties(it).into_iter().filter(|name| !required.contains(name));
        let lists = optional.map(|name| json!([required.clone(), vec![name]].concat()));
        lists.map(|names| vec![("required".to_owned(), names)]).collect()
    }),
    ("property-became-optional", C, B, |it| {
        let fewer = required(it).into_iter().map(|name| without(it, &name));
        fewer.map(|names| vec![("required".to_owned(), names)]).collect()
    }),
];

pub(super) fn mutations(objects: &[Object<'_>], reach: &Reach) -> Vec<Mutation> {
    let mut mutations = Vec::new();
    for object in objects.iter().filter(|object| object.kind == "schemas") {
        for (operator, request, response, edits) in OPERATORS {
            for edits in edits(object.value) {
                let absolute = |(member, value)| (format!("{}/{member}", object.pointer), value);
                let edits = edits.into_iter().map(absolute).collect();
                let expected = reach.rules(&object.component, operator, request, response);
                mutations.push(Mutation { operator, edits, expected });
            }
        }
    }
    mutations
}

pub(super) fn properties(schema: &Value) -> Vec<String> {
    schema["properties"].as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect()
}

fn property_removed(schema: &Value, of_closed: bool) -> Vec<Edits> {
    let is_closed = schema["additionalProperties"] == false;
    let properties = properties(schema).into_iter().filter(|_| is_closed == of_closed);
    let edits = properties.map(|name| {
        let required = ("required".to_owned(), without(schema, &name));
        vec![(format!("properties/{name}"), Null), required]
    });
    edits.collect()
}

fn required(schema: &Value) -> Vec<String> {
    let names = schema["required"].as_array().into_iter().flatten();
    names.map(|name| name.as_str().unwrap().to_owned()).collect()
}

/// Returns the list of required names without one; null if it would be empty.
fn without(schema: &Value, name: &str) -> Value {
    let mut names = required(schema);
    names.retain(|other| other != name);
    if names.is_empty() { Null } else { json!(names) }
}
