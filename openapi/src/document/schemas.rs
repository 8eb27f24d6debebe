//! Checks of schemas that `openapiv3` does not make: known types, and patterns that compile.

use serde_json::{Value, json};

use crate::{
    error::DocumentError,
    pointer,
    source::Source,
    structure::{Kind, Node},
    validate::Validator,
};

const TYPES: [&str; 6] = ["array", "boolean", "integer", "number", "object", "string"];

pub(super) fn check(source: &Source, nodes: &[Node<'_>]) -> Result<(), DocumentError> {
    let schemas = nodes.iter().filter(|node| node.kind == Kind::Schema);
    let schemas = schemas.filter(|schema| pointer::reference_in(schema.value).is_none());
    DocumentError::all(
        schemas.flat_map(|schema| [check_type(source, schema), check_pattern(source, schema)]),
    )
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

fn check_pattern(source: &Source, schema: &Node<'_>) -> Result<(), DocumentError> {
    let Some(pattern) = schema.value.get("pattern").filter(|it| it.is_string()) else {
        return Ok(());
    };
    let at = pointer::join(&schema.pointer, "pattern");
    Validator::new(&json!({ "pattern": pattern })).map(drop).map_err(|_| {
        source.error(&at, format!("the pattern {pattern} is not a regular expression"))
    })
}
