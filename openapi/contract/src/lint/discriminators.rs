//! Compositions that contradict themselves: discriminators, and closed parts of `allOf`.

use openapi_document::{Fault, excludes_property, pointer::join};
use serde_json::Value;

use super::{
    context::{Context, Findings},
    schemas::schemas,
};

pub(super) fn discriminator(context: &Context<'_>, found: &mut Findings) {
    let read = |pointer: &str| context.document.discriminator(pointer);
    for discriminator in schemas(context).filter_map(|node| read(&node.pointer)) {
        for Fault { pointer, problem, fix } in discriminator.faults {
            found.add(pointer, problem, fix);
        }
    }
}

/// Finds parts of `allOf` that allow their own properties alone, while other parts have others.
pub(super) fn closed_part(context: &Context<'_>, found: &mut Findings) {
    for node in schemas(context).filter(|node| node.value.get("allOf").is_some()) {
        let parts = parts(context, &node.pointer);
        for (pointer, part) in &parts {
            let names = parts.iter().filter_map(|(_, part)| part.get("properties")?.as_object());
            let mut names = names.flat_map(|properties| properties.keys());
            if let Some(name) = names.find(|name| excludes_property(part, name)) {
                let problem = format!(
                    "`additionalProperties: false` excludes `{name}` of another part of `allOf`: \
                     no valid object has it"
                );
                let fix = "close no part; in one schema with all the properties it has its effect";
                found.add(pointer, problem, fix);
            }
        }
    }
}

/// The schema at a pointer and the parts that its `allOf` combines, each with the pointer of the
/// element of this `allOf` that it comes from.
fn parts<'d>(context: &Context<'d>, pointer: &str) -> Vec<(String, &'d Value)> {
    let mut parts = Vec::new();
    let mut seen = Vec::new();
    let mut pending = vec![(pointer.to_owned(), pointer.to_owned())];
    while let Some((written, at)) = pending.pop() {
        let Ok(resolved) = context.document.resolve(&at) else { continue };
        if seen.contains(&resolved.pointer) {
            continue;
        }
        parts.push((written.clone(), resolved.value));
        let list = join(&resolved.pointer, "allOf");
        let count = resolved.value.get("allOf").and_then(Value::as_array).map_or(0, Vec::len);
        for index in 0..count {
            let element = join(&list, &index.to_string());
            let written = if written == pointer { element.clone() } else { written.clone() };
            pending.push((written, element));
        }
        seen.push(resolved.pointer);
    }
    parts
}
