//! Checks of schemas that `openapiv3` does not make: known types. A pattern that does not compile
//! is only a note.

use serde_json::{Value, json};

use crate::{
    error::{Diagnostic, DocumentError},
    pointer,
    source::Source,
    structure::{Kind, Node},
    validate::Validator,
};

const TYPES: [&str; 6] = ["array", "boolean", "integer", "number", "object", "string"];

pub(super) fn check(source: &Source, nodes: &[Node<'_>]) -> Result<(), DocumentError> {
    DocumentError::all(schemas(nodes).map(|schema| check_type(source, schema)))
}

fn schemas<'n, 'v>(nodes: &'n [Node<'v>]) -> impl Iterator<Item = &'n Node<'v>> {
    let schemas = nodes.iter().filter(|node| node.kind == Kind::Schema);
    schemas.filter(|schema| pointer::reference_in(schema.value).is_none())
}

/// The patterns that are no regular expressions to the engine.
pub(super) fn unknown_patterns(source: &Source, nodes: &[Node<'_>]) -> Vec<Diagnostic> {
    let patterns = schemas(nodes).filter_map(|schema| {
        let pattern = schema.value.get("pattern").filter(|it| it.is_string())?;
        Validator::new(&json!({ "pattern": pattern })).err()?;
        let at = pointer::join(&schema.pointer, "pattern");
        Some(Diagnostic {
            place: source.place(&at),
            pointer: source.origin(&at),
            problem: format!("the pattern {pattern} is not a regular expression"),
            help: None,
        })
    });
    patterns.collect()
}

fn check_type(source: &Source, schema: &Node<'_>) -> Result<(), DocumentError> {
    let Some(name) = schema.value.get("type").and_then(Value::as_str) else {
        return Ok(());
    };
    if TYPES.contains(&name) {
        return Ok(());
    }
    let at = pointer::join(&schema.pointer, "type");
    let error = source.error(&at, format!("`{name}` is not a type of OpenAPI 3.0"));
    Err(if name == "null" {
        error.with_help("write `nullable: true` next to the type")
    } else {
        error.with_help(format!("known types: {}", TYPES.join(", ")))
    })
}
