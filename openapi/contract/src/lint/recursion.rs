//! Schemas whose every value contains another value of them, without end.

use std::collections::HashSet;

use openapi_document::{Node, pointer::join};
use serde_json::Value;

use super::{
    context::{Context, Findings},
    schemas::schemas,
};

pub(super) fn endless_schema(context: &Context<'_>, found: &mut Findings) {
    let mut open: Vec<&Node<'_>> = schemas(context).collect();
    let mut finite: HashSet<String> = HashSet::new();
    loop {
        let before = finite.len();
        // Those inside come first, so that most documents need one round.
        let mut still_open = Vec::new();
        for node in open.into_iter().rev() {
            if is_finite(context, node, &finite) {
                finite.insert(node.pointer.clone());
            } else {
                still_open.push(node);
            }
        }
        still_open.reverse();
        open = still_open;
        if finite.len() == before {
            break;
        }
    }
    let endless: HashSet<&str> = open.iter().map(|node| node.pointer.as_str()).collect();
    for (name, pointer, _) in context.components("schemas") {
        if endless.contains(pointer.as_str()) {
            let problem = format!("no value of `{name}` ends: each one contains another one");
            let fix = "let a property in between be optional or null, or a list be empty";
            found.add(pointer, problem, fix);
        }
    }
}

/// Returns true if a value of the schema needs no schemas but those that are known to be finite.
fn is_finite(context: &Context<'_>, node: &Node<'_>, known: &HashSet<String>) -> bool {
    let Node { pointer, value, .. } = node;
    if value.get("$ref").is_some() {
        // A target outside of the sections for schemas is not among the nodes.
        let is_open = |target: String| {
            let is_section = target.starts_with("/components/") || target.starts_with("/paths/");
            is_section && !known.contains(&target)
        };
        return context.document.resolve(pointer).is_ok_and(|target| !is_open(target.pointer));
    }
    if value.get("nullable") == Some(&Value::Bool(true)) || value.get("enum").is_some() {
        return true;
    }
    let member = |name: &str| known.contains(&join(pointer, name));
    let parts = |list: &str| {
        let count = value.get(list).and_then(Value::as_array).map(Vec::len);
        let at = join(pointer, list);
        count.map(|count| (0..count).map(move |index| join(&at, &index.to_string())))
    };
    let required = value.get("required").and_then(Value::as_array).into_iter().flatten();
    let mut required = required.filter_map(Value::as_str).map(|name| {
        let at = join(&join(pointer, "properties"), name);
        context.written(&at).is_none() || known.contains(&at)
    });
    let needs_element = value.get("minItems").and_then(Value::as_u64).unwrap_or(0) > 0;
    required.all(|is_finite| is_finite)
        && (!needs_element || value.get("items").is_none() || member("items"))
        && parts("allOf").is_none_or(|mut parts| parts.all(|part| known.contains(&part)))
        && ["oneOf", "anyOf"]
            .into_iter()
            .all(|list| parts(list).is_none_or(|mut parts| parts.any(|part| known.contains(&part))))
}
