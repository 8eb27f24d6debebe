//! Which required values are arguments, and which have setters. The order of `required` and
//! `parameters` in the document decides nothing: a caller must not send the start of a period as
//! its end because the document was sorted.

use std::collections::BTreeMap;

use openapi_document::{Document, Location, Operation, pointer::join};
use serde_json::Value;

use super::type_overrides::{TypeOverrides, component_of, is_argument};

/// The names of required values, as the document spells them.
#[derive(Debug, Default)]
pub(super) struct Required {
    /// The arguments: parameters in the order of the path, then ids, then other values by name.
    pub(super) positional: Vec<String>,
    /// Those of one type with another, by name: a caller could confuse them.
    pub(super) named: Vec<String>,
}

/// The required members of a body.
pub(super) fn of_body(document: &Document, overrides: &TypeOverrides, component: &str) -> Required {
    let at = join("/components/schemas", component);
    let schema = document.value().pointer(&at).unwrap_or(&Value::Null);
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let at = join(&at, "properties");
    let pointers = required.map(|name| (name, join(&at, name)));
    divided(document, overrides, pointers)
}

/// The required parameters of a call, without the body, which is the last argument.
pub(super) fn of_call(
    document: &Document,
    overrides: &TypeOverrides,
    operation: &Operation,
) -> Required {
    let parameters = operation.parameters.iter();
    let required = parameters.filter(|parameter| parameter.required && is_argument(parameter));
    let (mut in_path, others): (Vec<_>, Vec<_>) =
        required.partition(|parameter| parameter.location == Location::Path);
    in_path.sort_by_key(|parameter| operation.path.find(&format!("{{{}}}", parameter.name)));
    let pointers = others.iter().map(|parameter| {
        (parameter.name.as_str(), parameter.schema_pointer.clone().unwrap_or_default())
    });
    let mut required = divided(document, overrides, pointers);
    required.positional.splice(0..0, in_path.iter().map(|parameter| parameter.name.clone()));
    required
}

fn divided<'a>(
    document: &Document,
    overrides: &TypeOverrides,
    values: impl Iterator<Item = (&'a str, String)>,
) -> Required {
    let mut by_type: BTreeMap<(bool, String), Vec<String>> = BTreeMap::new();
    for (name, pointer) in values {
        by_type.entry(type_of(document, overrides, &pointer)).or_default().push(name.to_owned());
    }
    let (mut named, mut positional) = (Vec::new(), Vec::new());
    for ((is_id, _), names) in by_type {
        match names.as_slice() {
            [only] => positional.push((!is_id, only.clone())),
            _ => named.extend(names),
        }
    }
    positional.sort_unstable();
    named.sort_unstable();
    Required { positional: positional.into_iter().map(|(_, name)| name).collect(), named }
}

/// Returns whether the type of a value is an id's, and the name of the type.
fn type_of(document: &Document, overrides: &TypeOverrides, pointer: &str) -> (bool, String) {
    let schema = document.value().pointer(pointer);
    let of_all = join(&join(pointer, "allOf"), "0");
    let is_all = schema.is_some_and(|schema| schema.get("allOf").is_some());
    match component_of(document, if is_all { &of_all } else { pointer }) {
        Some(component) => (overrides.is_id(&component), overrides.path(&component)),
        None => (false, schema.map(|schema| schema["type"].to_string()).unwrap_or_default()),
    }
}
