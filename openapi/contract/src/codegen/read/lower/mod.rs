//! Rewrites the document before it is read, so that `read` knows few forms: objects, value sets and
//! limited values in place become named schemas, by their path; aliases are written out; composed
//! objects are merged. A document that only has those forms already stays as it is.

mod combine;
mod formats;
mod places;
mod schema;

use std::collections::{BTreeMap, BTreeSet};

use heck::ToUpperCamelCase;
use openapi_document::{Diagnostic, Document, pointer::join};
use serde_json::{Map, Value, json};

use super::{component_of, diagnostic};
use crate::codegen::config::Config;

pub(super) const SCHEMAS: &str = "/components/schemas";

/// The rewritten document, and what could not be rewritten.
pub(crate) fn lower(
    document: &Document,
    config: &Config,
) -> Result<(Document, Vec<Diagnostic>), Diagnostic> {
    let mut lowering = Lowering::new(document, config);
    let mut value = document.value().clone();
    lowering.components(&mut value);
    lowering.places(&mut value);
    lowering.add_components(&mut value);
    let Lowering { moves, diagnostics, .. } = lowering;
    Ok((document.rewritten(value, moves)?, diagnostics))
}

struct Lowering<'d> {
    document: &'d Document,
    config: &'d Config,
    /// Components that are written out where they are used.
    aliases: BTreeSet<String>,
    /// The aliases that are being written out.
    expanding: Vec<String>,
    /// What was written for each name in Rust; null for a component.
    names: BTreeMap<String, Value>,
    /// New components, in the order of their first use.
    added: Vec<(String, Value)>,
    moves: Vec<(String, String)>,
    diagnostics: Vec<Diagnostic>,
}

impl<'d> Lowering<'d> {
    fn new(document: &'d Document, config: &'d Config) -> Self {
        let written = document.value().pointer(SCHEMAS).and_then(Value::as_object);
        let schemas = || written.into_iter().flatten();
        let aliases =
            schemas().filter(|(_, schema)| is_alias(schema)).map(|(name, _)| name.clone());
        let aliases: BTreeSet<String> = aliases.collect();
        let names = schemas()
            .filter(|(name, _)| !aliases.contains(*name))
            .map(|(name, _)| (name.to_upper_camel_case(), Value::Null));
        Self {
            document,
            config,
            names: names.collect(),
            aliases,
            expanding: Vec::new(),
            added: Vec::new(),
            moves: Vec::new(),
            diagnostics: Vec::new(),
        }
    }

    /// Rewrites the named schemas, and removes the aliases among them.
    fn components(&mut self, value: &mut Value) {
        let Some(Value::Object(schemas)) = value.pointer_mut(SCHEMAS) else {
            return;
        };
        let mut rewritten = Map::new();
        for (name, schema) in std::mem::take(schemas) {
            if !self.aliases.contains(&name) {
                let at = join(SCHEMAS, &name);
                let rust = name.to_upper_camel_case();
                rewritten.insert(name, self.declared(&at, schema, &rust));
            }
        }
        *schemas = rewritten;
    }

    fn add_components(&mut self, value: &mut Value) {
        if value.pointer(SCHEMAS).is_none() {
            if value.get("components").is_none() {
                value["components"] = json!({});
            }
            value["components"]["schemas"] = json!({});
        }
        if let Some(Value::Object(schemas)) = value.pointer_mut(SCHEMAS) {
            schemas.extend(std::mem::take(&mut self.added));
        }
    }

    /// Names a schema that is written in place; the same one may be written at several places.
    /// Of several ones with the same name, the second gets a number, and so on.
    fn name(&mut self, at: &str, hint: &str, schema: Value) -> Value {
        // Twice, because `a-b` becomes `AB` and then `Ab`.
        let first = hint.to_upper_camel_case().to_upper_camel_case();
        let mut name = first.clone();
        let mut count = 1;
        let is_known = loop {
            match self.names.get(&name) {
                None => break false,
                Some(known) if *known == schema => break true,
                Some(_) => count += 1,
            }
            name = format!("{first}{count}");
        };
        let reference = json!({ "$ref": format!("#{}", join(SCHEMAS, &name)) });
        if is_known {
            return reference;
        }
        self.names.insert(name.clone(), schema.clone());
        self.moves.push((join(SCHEMAS, &name), at.to_owned()));
        let declared = self.declared(at, schema, &name);
        self.added.push((name, declared));
        reference
    }

    fn report(&mut self, at: &str, problem: impl Into<String>, help: &str) {
        self.diagnostics.push(diagnostic(self.document, at, problem, help));
    }

    /// The component that a reference leads to.
    fn component(&self, schema: &Map<String, Value>) -> Option<String> {
        component_of(schema.get("$ref")?.as_str()?, "schemas")
    }
}

fn is_alias(schema: &Value) -> bool {
    let Some(schema) = schema.as_object() else {
        return false;
    };
    if schema.contains_key("$ref") || combine::only_part(schema).is_some() {
        return true;
    }
    let is_composed = ["allOf", "anyOf", "oneOf"].iter().any(|name| schema.contains_key(*name));
    match schema.get("type").and_then(Value::as_str) {
        Some("array") => !is_composed,
        Some("boolean") => !is_composed && !formats::is_constant(schema),
        Some("number") => !is_composed && !formats::is_bounded(schema),
        None => {
            !is_composed
                && !schema.contains_key("properties")
                && !schema.contains_key("enum")
                && !schema.contains_key("additionalProperties")
                && !schema.contains_key("not")
        }
        _ => false,
    }
}
