//! Extensions of operations and of schemas: transitions, references, time limits, first reads.

use openapi_document::{Kind, pointer::join};
use serde_json::Value;

use super::{
    context::{Context, Findings},
    schemas::schemas,
};

const SETS: [&str; 2] = ["enum", "x-known-values"];

/// Each value of the set has a row, and rows name values of the set alone.
pub(super) fn transitions(context: &Context<'_>, found: &mut Findings) {
    for node in schemas(context) {
        let Some(rows) = node.value.get("x-transitions") else { continue };
        let at = join(&node.pointer, "x-transitions");
        let Some(rows) = rows.as_object() else {
            let fix = "write a row for each value: `DRAFT: [SENT, DROPPED]`";
            found.add(at, "`x-transitions` is a map of lists", fix);
            continue;
        };
        let set = SETS.iter().find_map(|set| node.value.get(*set)?.as_array());
        let set: Vec<&str> = set.into_iter().flatten().filter_map(Value::as_str).collect();
        for value in set.iter().filter(|value| !rows.contains_key(**value)) {
            let fix = "add a row; `[]` for a value that nothing follows";
            found.add(&at, format!("`{value}` has no row"), fix);
        }
        for (from, next) in rows {
            let next = next.as_array().into_iter().flatten().map(Value::as_str);
            for value in next.chain([Some(from.as_str())]).map(Option::unwrap_or_default) {
                if !set.contains(&value) {
                    let problem = format!("`{value}` is not a value of the set");
                    let fix = "correct it, or add it to the set";
                    found.add(join(&at, from), problem, fix);
                }
            }
        }
    }
}

/// `x-references` is the name of a resource, on the named schema of an id that a request carries.
pub(super) fn resource_reference(context: &Context<'_>, found: &mut Findings) {
    let operations = context.document.operations().iter();
    let used: Vec<&str> = operations
        .flat_map(|operation| &operation.references)
        .map(|reference| reference.resource.as_str())
        .collect();
    for node in &context.nodes {
        let Some(resource) = node.value.get("x-references") else { continue };
        let is_text = node.value.get("type").and_then(Value::as_str) == Some("string");
        let (problem, fix) = match resource.as_str() {
            Some("") | None => {
                (format!("`{resource}` names no resource"), "write what people call it: `book`")
            }
            Some(_) if node.kind != Kind::Schema || !is_text => {
                ("only the schema of a text names a resource".to_owned(), "move it to the id")
            }
            Some(name) if !used.contains(&name) => {
                (format!("no request names the resource `{name}`"), "leave it out")
            }
            Some(_) => continue,
        };
        found.add(join(&node.pointer, "x-references"), problem, fix);
    }
}

/// `x-time-limit` is a number of seconds, on an operation.
pub(super) fn time_limit(context: &Context<'_>, found: &mut Findings) {
    for node in &context.nodes {
        let Some(limit) = node.value.get("x-time-limit") else { continue };
        let is_limit = limit.as_u64().is_some_and(|seconds| seconds > 0);
        if node.kind != Kind::Operation || !is_limit {
            let problem = format!("`{limit}` is not how many seconds an operation may take");
            let fix = "write a whole number on the operation, such as 120";
            found.add(join(&node.pointer, "x-time-limit"), problem, fix);
        }
    }
}

/// `x-begins-with-read` is a boolean, on an operation.
pub(super) fn begins_with_read(context: &Context<'_>, found: &mut Findings) {
    for node in &context.nodes {
        let Some(written) = node.value.get("x-begins-with-read") else { continue };
        if node.kind != Kind::Operation || !written.is_boolean() {
            let problem = format!("`{written}` is not a boolean on an operation");
            let fix = "write `true` on the operation, or leave it out";
            found.add(join(&node.pointer, "x-begins-with-read"), problem, fix);
        }
    }
}
