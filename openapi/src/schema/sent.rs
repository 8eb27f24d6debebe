//! The direction in which a property is sent: `readOnly` ones in responses, `writeOnly` ones in
//! requests. A reference and a part of `allOf` may say so too.

use serde_json::Value;

use super::keywords::Direction;
use crate::{pointer, source::Source};

/// A longer chain of references and parts says nothing.
const MAX_DEPTH: usize = 128;

pub(crate) fn is_sent(source: &Source, property: &Value, direction: Direction) -> bool {
    let is_marked = |keyword| is_marked(source, property, keyword, 0);
    !(direction.drops_read_only() && is_marked("readOnly")
        || direction.drops_write_only() && is_marked("writeOnly"))
}

fn is_marked(source: &Source, schema: &Value, keyword: &str, depth: usize) -> bool {
    if depth >= MAX_DEPTH {
        return false;
    }
    let is_marked = |schema| is_marked(source, schema, keyword, depth + 1);
    if let Some(reference) = pointer::reference_in(schema) {
        let target = pointer::of_local_reference(reference);
        let target = target.and_then(|target| source.resolve(&target).ok());
        return target.is_some_and(|target| is_marked(target.value));
    }
    let parts = schema.get("allOf").and_then(Value::as_array).into_iter().flatten();
    schema.get(keyword) == Some(&Value::Bool(true)) || parts.into_iter().any(is_marked)
}
