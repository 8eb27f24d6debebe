//! Finds components that nothing refers to.

use std::collections::BTreeSet;

use openapi_document::pointer::join;
use serde_json::Value;

use super::context::{Context, Findings};

const SECTIONS: [&str; 6] =
    ["schemas", "parameters", "responses", "requestBodies", "headers", "examples"];

pub(super) fn unused_component(context: &Context<'_>, found: &mut Findings) {
    let mut used = BTreeSet::new();
    references(context.document.value(), &mut used);
    for section in SECTIONS {
        for (name, pointer, _) in context.components(section) {
            if !used.contains(&pointer) {
                let problem = format!("nothing refers to `{name}`");
                found.add(pointer, problem, "remove it, or use it");
            }
        }
    }
}

/// Collects the targets of every reference, and of every mapping of a discriminator.
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
            let names = members.get("mapping").and_then(Value::as_object).into_iter().flatten();
            // A mapping may name a schema without its path.
            let names = names.filter_map(|(_, name)| name.as_str());
            used.extend(names.map(|name| join("/components/schemas", name)));
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, used)),
        _ => {}
    }
}
