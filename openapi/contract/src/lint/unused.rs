//! Components that nothing refers to.

use std::collections::BTreeSet;

use serde_json::Value;

use super::context::{Context, Found};

const SECTIONS: [&str; 6] =
    ["schemas", "parameters", "responses", "requestBodies", "headers", "examples"];

pub(super) fn unused_component(context: &Context<'_>, found: &mut Vec<Found>) {
    let mut used = BTreeSet::new();
    references(context.document.value(), &mut used);
    for section in SECTIONS {
        for (name, pointer, _) in context.components(section) {
            if !used.contains(pointer.as_str()) {
                let problem = format!("nothing refers to `{name}`");
                found.push(Found::new(pointer, problem, "remove it, or use it"));
            }
        }
    }
}

/// The targets of every reference, and of every mapping of a discriminator.
fn references<'v>(value: &'v Value, used: &mut BTreeSet<&'v str>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                match member {
                    Value::String(text) if text.starts_with("#/") => {
                        used.insert(&text[1..]);
                    }
                    // Whatever is named by a reference, by a mapping, or by an extension.
                    member if name != "example" => references(member, used),
                    _ => {}
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, used)),
        _ => {}
    }
}
