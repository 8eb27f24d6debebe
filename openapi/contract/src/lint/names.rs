//! Names of the document that become names in generated code.

use std::collections::BTreeMap;

use openapi_document::{Kind, pointer::join};
use serde_json::Value;

use super::context::{Context, Findings};
use crate::codegen::{snake, upper_camel};

pub(super) fn operation_id(context: &Context<'_>, found: &mut Findings) {
    for operation in context.document.operations() {
        let has_id = context
            .written(&operation.pointer)
            .is_some_and(|written| written.get("operationId").is_some());
        if !has_id {
            let problem = "the operation has no `operationId`, so clients have no name for it";
            let id = operation.id.replace(['/', '{', '}'], "_");
            let fix = format!("add one, such as `operationId: {}`", snake(&id));
            found.add(&operation.pointer, problem, fix);
        }
    }
}

pub(super) fn operation_id_collision(context: &Context<'_>, found: &mut Findings) {
    let operations = context.document.operations().iter();
    let names = operations.map(|operation| (operation.id.as_str(), operation.pointer.clone()));
    collisions(names, snake, "the method", found);
}

pub(super) fn component_name(context: &Context<'_>, found: &mut Findings) {
    let schemas = || context.components("schemas").map(|(name, pointer, _)| (name, pointer));
    for (name, pointer) in schemas() {
        let camel = upper_camel(name);
        if !camel.starts_with(|first: char| first.is_alphabetic()) {
            let problem = format!("`{name}` cannot be the name of a type");
            found.add(pointer, problem, "begin the name with a letter");
        }
    }
    collisions(schemas(), upper_camel, "the type", found);
}

pub(super) fn enum_collision(context: &Context<'_>, found: &mut Findings) {
    for node in context.nodes.iter().filter(|node| node.kind == Kind::Schema) {
        let values = node.value.get("enum").and_then(Value::as_array).into_iter().flatten();
        let at = join(&node.pointer, "enum");
        let texts = values
            .enumerate()
            .filter_map(|(index, value)| Some((value.as_str()?, join(&at, &index.to_string()))));
        // Texts without letters get names by other means, so `+1` and `-1` differ.
        let texts = texts.filter(|(text, _)| text.contains(|letter: char| letter.is_alphabetic()));
        collisions(texts, upper_camel, "the variant", found);
    }
}

/// Reports names that differ in the document and are equal in generated code.
fn collisions<'n>(
    names: impl Iterator<Item = (&'n str, String)>,
    generated: fn(&str) -> String,
    what: &str,
    found: &mut Findings,
) {
    let mut seen: BTreeMap<String, &str> = BTreeMap::new();
    for (name, pointer) in names {
        let rust = generated(name);
        match seen.get(&rust) {
            Some(first) if *first != name => {
                let problem = format!("`{first}` and `{name}` would both be {what} `{rust}`");
                found.add(pointer, problem, "rename one of them");
            }
            Some(_) => {
                let problem = format!("`{name}` is there twice");
                found.add(pointer, problem, "remove or rename one of them");
            }
            None => drop(seen.insert(rust, name)),
        }
    }
}
