//! Rules about schemas that contradict themselves, or have keywords without effect.

use openapi_document::{Kind, Node, pointer::join};
use serde_json::Value;

use super::context::{Context, Findings};

pub(super) const COMPOSITIONS: [&str; 3] = ["allOf", "anyOf", "oneOf"];

/// Patterns that no other command can run, either.
pub(super) fn pattern(context: &Context<'_>, found: &mut Findings) {
    for note in context.document.notes().iter().filter(|note| note.pointer.ends_with("/pattern")) {
        let fix = "escape `-` beside a class, and braces, with `\\`; or correct the pattern";
        found.add(&note.pointer, &note.problem, fix);
    }
}

pub(super) fn required_property(context: &Context<'_>, found: &mut Findings) {
    for node in schemas(context) {
        // `empty-range` has closed objects.
        if node.value.get("additionalProperties") == Some(&Value::Bool(false)) {
            continue;
        }
        // Beside a composition the property may come from one of its parts.
        let is_part = COMPOSITIONS.iter().any(|name| node.pointer.contains(&format!("/{name}/")));
        if is_part || COMPOSITIONS.iter().any(|name| node.value.get(*name).is_some()) {
            continue;
        }
        let Some(properties) = node.value.get("properties").and_then(Value::as_object) else {
            continue;
        };
        let required = node.value.get("required").and_then(Value::as_array).into_iter().flatten();
        for (index, name) in required.enumerate() {
            let Some(name) = name.as_str().filter(|name| !properties.contains_key(*name)) else {
                continue;
            };
            let at = join(&join(&node.pointer, "required"), &index.to_string());
            let problem = format!("`{name}` is required, and is no property");
            found.add(at, problem, "declare the property, or correct its name");
        }
    }
}

pub(super) fn required_default(context: &Context<'_>, found: &mut Findings) {
    let parameters = context.nodes.iter().filter(|node| node.kind == Kind::Parameter);
    for node in parameters.filter(|node| node.value.get("required") == Some(&Value::Bool(true))) {
        let at = join(&join(&node.pointer, "schema"), "default");
        if context.written(&at).is_some() {
            let fix = "leave out the default, or let the parameter be optional";
            found.add(at, "the parameter is required, so its default has no effect", fix);
        }
    }
    for node in schemas(context) {
        let required = node.value.get("required").and_then(Value::as_array);
        for name in required.into_iter().flatten().filter_map(Value::as_str) {
            let at = join(&join(&join(&node.pointer, "properties"), name), "default");
            if context.written(&at).is_some() {
                let problem = format!("`{name}` is required, so its default has no effect");
                let fix = "leave out the default, or let the property be optional";
                found.add(at, problem, fix);
            }
        }
    }
}

pub(super) fn reference_siblings(context: &Context<'_>, found: &mut Findings) {
    for node in &context.nodes {
        let Some(members) = node.value.as_object().filter(|members| members.contains_key("$ref"))
        else {
            continue;
        };
        // A path item may have both.
        if node.kind == Kind::PathItem {
            continue;
        }
        // `nullable` beside a reference is a finding of `nullable-without-effect`.
        let is_known = |name: &String| ["$ref", "nullable"].contains(&name.as_str());
        let beside = members.keys().filter(|name| !is_known(name) && !name.starts_with("x-"));
        for name in beside {
            let problem = format!("`{name}` beside `$ref` has no effect in OpenAPI 3.0");
            let fix = "put the reference into `allOf: [{$ref: …}]`, or leave it out";
            found.add(join(&node.pointer, name), problem, fix);
        }
    }
}

pub(super) fn array_items(context: &Context<'_>, found: &mut Findings) {
    for node in schemas(context) {
        let is_array = node.value.get("type").and_then(Value::as_str) == Some("array");
        let is_listed = ["items", "prefixItems"].iter().any(|it| node.value.get(*it).is_some());
        if is_array && !is_listed {
            let problem = "an array without `items` says nothing of its elements";
            found.add(&node.pointer, problem, "add `items`; `{}` for any values");
        }
    }
}

pub(super) fn schemas<'c, 'd>(context: &'c Context<'d>) -> impl Iterator<Item = &'c Node<'d>> {
    context.nodes.iter().filter(|node| node.kind == Kind::Schema)
}
