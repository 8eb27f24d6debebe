//! Finds components that nothing refers to.

use std::collections::BTreeSet;

use openapi_document::Kind;
use serde_json::Value;

use super::context::{Context, Findings};

const SECTIONS: [&str; 6] =
    ["schemas", "parameters", "responses", "requestBodies", "headers", "examples"];

pub(super) fn unused_component(context: &Context<'_>, found: &mut Findings) {
    let mut used = BTreeSet::new();
    references(context.document.value(), &mut used);
    for schema in context.nodes.iter().filter(|node| node.kind == Kind::Schema) {
        let discriminator = context.document.discriminator(&schema.pointer);
        used.extend(discriminator.into_iter().flat_map(|it| it.forms).map(|form| form.pointer));
    }
    for section in SECTIONS {
        for (name, pointer, _) in context.components(section) {
            if !used.contains(&pointer) {
                let problem = format!("nothing refers to `{name}`");
                found.add(pointer, problem, "remove it, or use it");
            }
        }
    }
}

/// Collects the targets of every reference.
fn references(value: &Value, used: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            // Examples are data, where a text may look like a reference.
            for (_, member) in members.iter().filter(|(name, _)| *name != "example") {
                match member.as_str().and_then(|text| text.strip_prefix('#')) {
                    Some(pointer) => drop(used.insert(pointer.to_owned())),
                    None => references(member, used),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, used)),
        _ => {}
    }
}
