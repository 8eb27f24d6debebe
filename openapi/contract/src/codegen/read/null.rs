//! Null in one form, before `lower`: where a schema is used and null is valid, it has
//! `nullable: true` and no other mention of null; elsewhere it has neither. The component
//! `NullableName` is the component `Name`, whose uses are nullable.
//!
//! A schema that admits null without naming it, such as `{}`, is left as it is: its type reads null
//! as any other value.

use std::collections::BTreeSet;

use openapi_document::{Diagnostic, Document, Kind, Node, pointer::join};
use serde_json::{Map, Value, json};

use super::{
    component_of, diagnostic,
    lower::SCHEMAS,
    property_rules::{BESIDE_REFERENCE, OF_PROPERTIES},
};

const COMPOSITIONS: [&str; 3] = ["allOf", "anyOf", "oneOf"];

/// The rewritten document, and the schemas that have no Rust type.
pub(super) fn at_uses(document: &Document) -> Result<(Document, Vec<Diagnostic>), Diagnostic> {
    let (value, moves, diagnostics) = (document.value().clone(), Vec::new(), Vec::new());
    let mut rewrite = Rewrite { document, value, moves, diagnostics };
    let nodes = document.nodes();
    let owners = nodes.iter().filter(|node| matches!(node.kind, Kind::Parameter | Kind::Header));
    let in_texts: Vec<String> = owners.map(|owner| join(&owner.pointer, "schema")).collect();
    // Inner schemas come first, so that each is still where it is written.
    for node in nodes.iter().rev().filter(|node| node.kind == Kind::Schema) {
        rewrite.schema(node, is_use(&node.pointer) && !in_texts.contains(&node.pointer));
    }
    rewrite.diagnostics.reverse();
    rewrite.nullable_components();
    let Rewrite { value, moves, diagnostics, .. } = rewrite;
    Ok((document.rewritten(value, moves)?, diagnostics))
}

/// Returns false for components, and for the parts of compositions: the whole says whether null is
/// valid.
fn is_use(pointer: &str) -> bool {
    let (list, last) = pointer.rsplit_once('/').unwrap_or_default();
    let keyword = list.rsplit('/').next().unwrap_or_default();
    let is_index = last.bytes().all(|byte| byte.is_ascii_digit());
    list != SCHEMAS && !(is_index && COMPOSITIONS.contains(&keyword))
}

struct Rewrite<'d> {
    document: &'d Document,
    value: Value,
    /// Maps the present place of a member to the place where the document writes it.
    moves: Vec<(String, String)>,
    diagnostics: Vec<Diagnostic>,
}

impl Rewrite<'_> {
    fn schema(&mut self, node: &Node<'_>, is_use: bool) {
        let Some(Value::Object(schema)) = self.value.pointer_mut(&node.pointer) else {
            return;
        };
        let mut schema = std::mem::take(schema);
        let is_named = self.document.names_null(node.value);
        let is_nullable = is_use && is_named && self.document.admits_null(node.value);
        if is_named && self.document.is_null_alone(node.value) {
            if is_use {
                let help = "leave it out, or write a type that may be null";
                self.report(&node.pointer, "a value that is always null has no Rust type", help);
            }
            schema = Map::new();
        } else if schema.contains_key("$ref") {
            if is_nullable {
                self.report_beside_reference(&node.pointer, &schema);
                schema = Map::from_iter([("allOf".to_owned(), json!([schema]))]);
            }
        } else {
            schema.shift_remove("nullable");
            if let Some(Value::Array(values)) = schema.get_mut("enum") {
                values.retain(|value| !value.is_null());
            }
            self.leave_null_out(node, &mut schema);
        }
        if is_nullable {
            schema.insert("nullable".to_owned(), json!(true));
        }
        if let Some(place) = self.value.pointer_mut(&node.pointer) {
            *place = Value::Object(schema);
        }
    }

    /// Removes null from the alternatives; the only other one becomes a part of `allOf`.
    fn leave_null_out(&mut self, node: &Node<'_>, schema: &mut Map<String, Value>) {
        for keyword in ["anyOf", "oneOf"] {
            let written = node.value.get(keyword).and_then(Value::as_array).into_iter().flatten();
            let is_null: Vec<bool> =
                written.map(|alternative| self.document.is_null_alone(alternative)).collect();
            if !is_null.contains(&true) {
                continue;
            }
            let Some(Value::Array(alternatives)) = schema.shift_remove(keyword) else {
                continue;
            };
            let is_only = is_null.iter().filter(|is_null| !**is_null).count() == 1;
            let to = if is_only { "allOf" } else { keyword };
            let Value::Array(parts) = schema.entry(to).or_insert_with(|| json!([])) else {
                continue;
            };
            let others = alternatives.into_iter().enumerate().filter(|(index, _)| !is_null[*index]);
            for (index, alternative) in others {
                let at =
                    |keyword, index: usize| join(&join(&node.pointer, keyword), &index.to_string());
                self.moves.push((at(to, parts.len()), at(keyword, index)));
                parts.push(alternative);
            }
        }
    }

    /// Gives `NullableName` the name `Name`, unless another schema has it. The name of an
    /// alternative may be a value of the discriminator, so it stays.
    fn nullable_components(&mut self) {
        let alternatives = self.alternatives();
        let Some(written) = self.document.value().pointer(SCHEMAS).and_then(Value::as_object)
        else {
            return;
        };
        let Some(Value::Object(schemas)) = self.value.pointer_mut(SCHEMAS) else {
            return;
        };
        for (nullable, schema) in written {
            let name = nullable.strip_prefix("Nullable").filter(|name| !name.is_empty());
            let is_nullable = self.document.names_null(schema) && self.document.admits_null(schema);
            let Some(name) = name.filter(|_| is_nullable && !alternatives.contains(nullable))
            else {
                continue;
            };
            let same = schemas.get(name).map(|known| meaning(known) == meaning(&schemas[nullable]));
            if same == Some(false) {
                continue;
            }
            let mut alias = json!({ "allOf": [{ "$ref": format!("#{}", join(SCHEMAS, name)) }] });
            if let Some(description) = schema.get("description") {
                alias["description"] = description.clone();
            }
            if same.is_none() {
                self.moves.push((join(SCHEMAS, name), join(SCHEMAS, nullable)));
                *schemas = std::mem::take(schemas)
                    .into_iter()
                    .map(|(key, value)| {
                        (if key == *nullable { name.to_owned() } else { key }, value)
                    })
                    .collect();
            }
            schemas.insert(nullable.clone(), alias);
        }
    }

    /// The components that are alternatives of a union.
    fn alternatives(&self) -> BTreeSet<String> {
        let nodes = self.document.nodes().into_iter().filter(|node| node.kind == Kind::Schema);
        let references = nodes.filter_map(|node| {
            let (list, _) = node.pointer.rsplit_once('/')?;
            let is_alternative = list.ends_with("/anyOf") || list.ends_with("/oneOf");
            component_of(node.value.get("$ref")?.as_str().filter(|_| is_alternative)?, "schemas")
        });
        references.collect()
    }

    /// Reports what would be lost; `read` reports it beside the other references.
    fn report_beside_reference(&mut self, at: &str, schema: &Map<String, Value>) {
        let (problem, help) = BESIDE_REFERENCE;
        for keyword in OF_PROPERTIES.iter().filter(|keyword| schema.contains_key(**keyword)) {
            self.report(&join(at, keyword), format!("`{keyword}` {problem}"), help);
        }
    }

    fn report(&mut self, at: &str, problem: impl Into<String>, help: &str) {
        self.diagnostics.push(diagnostic(self.document, at, problem, help));
    }
}

/// The keywords that exclude values.
fn meaning(schema: &Value) -> Map<String, Value> {
    let mut meaning = schema.as_object().cloned().unwrap_or_default();
    meaning.retain(|keyword, _| {
        !["description", "example", "title", "x-decision", "x-references"]
            .contains(&keyword.as_str())
    });
    meaning
}
