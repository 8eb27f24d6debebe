//! Examples and defaults must be valid by their schemas.

use std::collections::BTreeMap;

use openapi_document::{Direction, Document, Kind, Validator, Violation, pointer::join};
use serde_json::Value;

use super::context::{Context, Findings};

pub(super) fn example_valid(context: &Context<'_>, found: &mut Findings) {
    let mut validators = Validators::of(context.document);
    // A document that was loaded has no broken reference.
    for example in context.document.examples().unwrap_or_default() {
        let Some(schema) = &example.schema_pointer else {
            continue;
        };
        for violation in validators.violations(schema, example.direction, &example.value) {
            let problem = format!("the example breaks its schema: {violation}");
            let at = format!("{}{}", example.pointer, violation.pointer);
            found.add(at, problem, "correct the example or the schema");
        }
    }
}

pub(super) fn default_valid(context: &Context<'_>, found: &mut Findings) {
    let mut validators = Validators::of(context.document);
    for node in context.nodes.iter().filter(|node| node.kind == Kind::Schema) {
        let Some(default) = node.value.get("default") else {
            continue;
        };
        for violation in validators.violations(&node.pointer, Direction::Either, default) {
            let problem = format!("the default breaks its schema: {violation}");
            let at = join(&node.pointer, "default") + &violation.pointer;
            found.add(at, problem, "correct the default or the schema");
        }
    }
}

/// Each schema is compiled once.
struct Validators<'d> {
    document: &'d Document,
    compiled: BTreeMap<(String, Direction), Option<Validator>>,
}

impl<'d> Validators<'d> {
    fn of(document: &'d Document) -> Self {
        Self { document, compiled: BTreeMap::new() }
    }

    /// Returns what is wrong; nothing if the schema cannot be used, which other rules report.
    fn violations(&mut self, schema: &str, direction: Direction, value: &Value) -> Vec<Violation> {
        let Ok(target) = self.document.resolve(schema) else { return Vec::new() };
        let validator = self
            .compiled
            .entry((target.pointer.clone(), direction))
            .or_insert_with(|| self.document.validator(&target.pointer, direction).ok());
        validator.as_ref().map_or_else(Vec::new, |validator| validator.validate(value))
    }
}
