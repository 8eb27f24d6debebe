//! Judges whether the public items of the generated client stay as they are. Nothing is generated
//! for that: a change that is not known to keep them is major.

use std::collections::{BTreeMap, BTreeSet};

use openapi_document::{Document, Kind, Node, pointer::percent_decoded};
use serde_json::{Map, Value};

use super::{change::Change, equality::ANNOTATIONS, version::Size};

/// Rules whose changes add items or change none: structs and enums are `non_exhaustive`, and
/// optional values have setters.
const KEEPING: [&str; 25] = [
    "deprecated",
    "idempotency-gained",
    "idempotency-lost",
    "operation-added",
    "part-changed",
    "profile-changed",
    "request-enum-value-added",
    "request-known-value-added",
    "request-optional-parameter-added",
    "request-optional-property-added",
    "required-scope-changed",
    "required-scope-removed",
    "response-error-code-added",
    "response-header-added",
    "response-known-value-added",
    "response-optional-property-added",
    "response-required-property-added",
    "security-alternative-added",
    "security-scope-added",
    "security-scope-removed",
    "server-added",
    "sunset-announced",
    "sunset-moved-earlier",
    "sunset-moved-later",
    "undeprecated",
];

/// Returns what changes mean for the client's crate; `None` if they mean nothing.
pub(super) fn size(old: &Document, new: &Document, changes: &[Change]) -> Option<Size> {
    let mut visible = changes.iter().filter(|change| !change.hidden);
    if old.value() == new.value() {
        return None;
    }
    let is_kept = visible.clone().all(keeps)
        && old.nodes().iter().all(|node| is_spelled_alike(node, new))
        && are_used_alike(old, new)
        && are_shared_alike(old, new)
        && !has_renaming_component(old, new);
    if is_kept { visible.next().map(|_| Size::Minor) } else { Some(Size::Major) }
}

fn keeps(change: &Change) -> bool {
    // A call returns the bodies of all statuses below 400.
    let is_error = || {
        let part = change.first().1.part();
        ["response 4", "response 5"].iter().any(|start| part.starts_with(start))
    };
    // A bound of one side alone is spelled in another way.
    let is_bound = || ["-max", "-min"].iter().any(|word| change.rule.contains(word));
    KEEPING.contains(&change.rule)
        || is_bound()
        || change.rule.starts_with("response-error-status-") && is_error()
}

/// Returns true if the new document has an object in the same place that the generator reads into
/// the same type.
fn is_spelled_alike(node: &Node<'_>, new: &Document) -> bool {
    let Some(after) = new.value().pointer(&node.pointer) else {
        return [Kind::Example, Kind::SecurityScheme].contains(&node.kind);
    };
    if node.kind != Kind::Schema {
        return node.value.get("$ref") == after.get("$ref");
    }
    let constrains = |name: &&String| {
        let is_annotation = ANNOTATIONS.contains(&name.as_str()) || name.starts_with("x-");
        !is_annotation && *name != "deprecated"
    };
    let names = |schema: &Value| -> BTreeSet<String> {
        let names = schema.as_object().into_iter().flat_map(Map::keys);
        names.filter(constrains).cloned().collect()
    };
    let (written, rewritten) = (names(node.value), names(after));
    let is_alike = |name: &String| is_keyword_alike(name, node.value, after);
    // `required` may be new with the properties that it names.
    written.union(&rewritten).all(|name| {
        let is_in_both = written.contains(name) && rewritten.contains(name);
        (is_in_both || name == "required") && is_alike(name)
    })
}

fn is_keyword_alike(name: &str, before: &Value, after: &Value) -> bool {
    let none = Value::Null;
    let [old, new] = [before, after].map(|schema| schema.get(name).unwrap_or(&none));
    match (name, old, new) {
        ("required", ..) => {
            let known = before.get("properties").and_then(Value::as_object);
            let has = |list: &Value, name: &String| {
                list.as_array().is_some_and(|names| names.iter().any(|one| one == name))
            };
            let mut known = known.into_iter().flat_map(Map::keys);
            known.all(|name| has(old, name) == has(new, name))
        }
        ("properties", Value::Object(old), Value::Object(new)) => {
            // The properties of one direction give requests another type than responses.
            let is_of_one = |schema: &Value| {
                ["readOnly", "writeOnly"]
                    .iter()
                    .any(|it| schema.get(it) == Some(&Value::Bool(true)))
            };
            let mut added = new.iter().filter(|(name, _)| !old.contains_key(*name));
            old.is_empty() == new.is_empty() && !added.any(|(_, schema)| is_of_one(schema))
        }
        ("enum", Value::Array(old), Value::Array(new)) => {
            old == new || old.len() > 1 && old.iter().all(|value| new.contains(value))
        }
        ("oneOf" | "anyOf" | "allOf", Value::Array(old), Value::Array(new)) => {
            old.len() == new.len()
        }
        // Nodes of their own.
        ("items" | "not" | "additionalProperties", Value::Object(_), Value::Object(_)) => true,
        (_, Value::Number(_), Value::Number(_)) => name != "default",
        _ => old == new,
    }
}

/// Returns true if requests and responses have the same components as before: a component of both
/// is generated in another way.
fn are_used_alike(old: &Document, new: &Document) -> bool {
    let of = |document: &Document| {
        let operations = document.operations().iter();
        let (mut sent, mut received) = (Vec::new(), Vec::new());
        for operation in operations {
            sent.extend(operation.parameters.iter().map(|it| it.pointer.clone()));
            sent.extend(operation.body.iter().map(|it| it.pointer.clone()));
            received.extend(operation.responses.iter().map(|it| it.pointer.clone()));
        }
        [sent, received].map(|roots| reached(document, roots))
    };
    let (before, after) = (of(old), of(new));
    before.iter().flatten().all(|component| {
        let mut directions = before.iter().zip(&after);
        directions.all(|(old, new)| old.contains(component) == new.contains(component))
    })
}

/// Returns true if schemas in place that were equal, and so one type, are equal still.
fn are_shared_alike(old: &Document, new: &Document) -> bool {
    let meaning = |schema: &Value| {
        let mut schema = schema.clone();
        if let Some(schema) = schema.as_object_mut() {
            schema.retain(|name, _| !ANNOTATIONS.contains(&name.as_str()));
        }
        schema.to_string()
    };
    let mut known = BTreeMap::new();
    old.nodes().iter().filter(|node| node.kind == Kind::Schema).all(|node| {
        let Some(after) = new.value().pointer(&node.pointer) else { return true };
        let after = meaning(after);
        *known.entry(meaning(node.value)).or_insert_with(|| after.clone()) == after
    })
}

/// Returns the pointers of what the objects at these pointers refer to.
fn reached(document: &Document, roots: Vec<String>) -> BTreeSet<String> {
    let root = document.value();
    let mut reached = BTreeSet::new();
    let mut pending: Vec<&Value> = roots.iter().filter_map(|it| root.pointer(it)).collect();
    while let Some(value) = pending.pop() {
        match value {
            Value::Object(members) => pending.extend(members.values()),
            Value::Array(elements) => pending.extend(elements),
            // References, and those of mappings.
            Value::String(text) if text.starts_with("#/") => {
                let target = percent_decoded(&text[1..]).unwrap_or_default();
                if !reached.contains(&target) {
                    pending.extend(root.pointer(&target));
                    reached.insert(target);
                }
            }
            _ => {}
        }
    }
    reached
}

/// Returns true if a new component may take the name of another one's type: `NullableLoan` is the
/// type `Loan` where no other schema has the name. Other names that would be given twice are errors
/// of the generator.
fn has_renaming_component(old: &Document, new: &Document) -> bool {
    let components = |document: &Document| -> BTreeSet<String> {
        let schemas = document.value().pointer("/components/schemas").and_then(Value::as_object);
        schemas.into_iter().flat_map(Map::keys).cloned().collect()
    };
    let known = components(old);
    let added = components(new).into_iter().filter(|name| !known.contains(name));
    added.map(|name| format!("Nullable{name}")).any(|nullable| known.contains(&nullable))
}
