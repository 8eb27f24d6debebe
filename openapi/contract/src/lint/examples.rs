//! Examples, defaults and listed values must be valid by their schemas.

use openapi_document::{Direction, Kind, Violation, pointer::join};
use serde_json::Value;

use super::context::{Context, Findings};
use crate::validators::Validators;

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

pub(super) fn enum_type(context: &Context<'_>, found: &mut Findings) {
    let mut validators = Validators::of(context.document);
    for node in context.nodes.iter().filter(|node| node.kind == Kind::Schema) {
        let at = join(&node.pointer, "enum");
        let values = node.value.get("enum").and_then(Value::as_array).into_iter().flatten();
        for (index, value) in values.enumerate() {
            let violations = validators.violations(&node.pointer, Direction::Either, value);
            if let Some(violation) = violations.first() {
                let problem = format!("{value} is never valid: {violation}");
                let fix = "leave it out, quote it, or correct what is beside the list; null needs \
                           `nullable: true`";
                found.add(join(&at, &index.to_string()), problem, fix);
            }
        }
    }
}

impl Validators<'_> {
    /// Returns what is wrong with a value.
    fn violations(&mut self, schema: &str, direction: Direction, value: &Value) -> Vec<Violation> {
        self.get(schema, direction).map_or_else(Vec::new, |validator| validator.validate(value))
    }
}
