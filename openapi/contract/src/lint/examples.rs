//! Examples and defaults must be valid by their schemas.

use std::collections::BTreeMap;

use openapi_document::{Direction, Document, Kind, Validator, pointer::join};
use serde_json::Value;

use super::context::{Context, Findings};

pub(super) fn example_valid(context: &Context<'_>, found: &mut Findings) {
    let mut validators = Validators::of(context.document);
    // A document that was loaded has no broken reference.
    for example in context.document.examples().unwrap_or_default() {
        let Some(schema) = &example.schema_pointer else {
            continue;
        };
        let problem = validators.problem(schema, example.direction, &example.value);
        if let Some(problem) = problem {
            let problem = format!("the example breaks its schema: {problem}");
            found.add(&example.pointer, problem, "correct the example or the schema");
        }
    }
}

pub(super) fn default_valid(context: &Context<'_>, found: &mut Findings) {
    let mut validators = Validators::of(context.document);
    for node in context.nodes.iter().filter(|node| node.kind == Kind::Schema) {
        let Some(default) = node.value.get("default") else {
            continue;
        };
        if let Some(problem) = validators.problem(&node.pointer, Direction::Either, default) {
            let problem = format!("the default breaks its schema: {problem}");
            let at = join(&node.pointer, "default");
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

    /// Returns the first violation; none if the schema cannot be used, which other rules report.
    fn problem(&mut self, schema: &str, direction: Direction, value: &Value) -> Option<String> {
        let target = self.document.resolve(schema).ok()?.pointer;
        let key = (target.clone(), direction);
        let validator = self
            .compiled
            .entry(key)
            .or_insert_with(|| self.document.validator(&target, direction).ok())
            .as_ref()?;
        validator.validate(value).into_iter().next().map(|violation| violation.to_string())
    }
}
