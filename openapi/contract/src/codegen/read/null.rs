//! Null in every spelling. Where a schema is used, its type is nullable if the schema names null
//! and admits it; its other keywords are read without null. The component `NullableName` is `Name`,
//! whose uses are nullable.
//!
//! A schema that admits null without naming it, such as `{}`, is left as it is: its type reads null
//! as any other value.

use std::collections::{BTreeMap, BTreeSet};

use openapi_document::{Document, Kind};
use serde_json::{Map, Value};

use super::{Keywords, SCHEMAS, component};

/// Returns the keywords without null; an alternative that is null alone becomes null itself, so
/// that the others keep their places.
pub(super) fn without_null(document: &Document, written: &Value) -> Keywords {
    let mut schema = written.as_object().cloned().unwrap_or_default();
    if schema.contains_key("$ref") {
        return schema;
    }
    schema.shift_remove("nullable");
    if !document.names_null(written) {
        return schema;
    }
    if document.is_null_alone(written) {
        return Map::new();
    }
    if let Some(Value::Array(values)) = schema.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    for keyword in ["anyOf", "oneOf"] {
        if let Some(Value::Array(alternatives)) = schema.get_mut(keyword) {
            let of_null = alternatives.iter_mut().filter(|it| document.is_null_alone(it));
            of_null.for_each(|alternative| *alternative = Value::Null);
        }
    }
    schema
}

/// Returns the components `NullableName` with their names, unless another schema has the name. The
/// name of an alternative may be a value of the discriminator, so it stays.
pub(super) fn renamed(document: &Document) -> BTreeMap<String, String> {
    let schemas = document.value().pointer(SCHEMAS).and_then(Value::as_object);
    let alternatives = alternatives(document);
    let renamed = schemas.into_iter().flatten().filter_map(|(nullable, schema)| {
        let name = nullable.strip_prefix("Nullable").filter(|name| !name.is_empty())?;
        let is_nullable = document.names_null(schema) && document.admits_null(schema);
        let meaning = |schema| meaning(without_null(document, schema));
        let is_same = schemas?.get(name).is_none_or(|known| meaning(known) == meaning(schema));
        let is_renamed = is_nullable && is_same && !alternatives.contains(nullable);
        is_renamed.then(|| (nullable.clone(), name.to_owned()))
    });
    renamed.collect()
}

/// The components that are alternatives of a union.
fn alternatives(document: &Document) -> BTreeSet<String> {
    let nodes = document.nodes().into_iter().filter(|node| node.kind == Kind::Schema);
    let references = nodes.filter_map(|node| {
        let (list, _) = node.pointer.rsplit_once('/')?;
        let is_alternative = list.ends_with("/anyOf") || list.ends_with("/oneOf");
        node.value.as_object().filter(|_| is_alternative).and_then(component)
    });
    references.collect()
}

/// The keywords that exclude values.
pub(super) fn meaning(mut schema: Keywords) -> Keywords {
    schema.retain(|keyword, _| {
        !["description", "example", "title", "x-decision", "x-references"]
            .contains(&keyword.as_str())
    });
    schema
}
