//! Every example of a document, with its schema. An `externalValue` is not fetched.

use serde_json::Value;

use crate::{
    error::DocumentError,
    place::Place,
    pointer::join,
    schema::Direction,
    source::Source,
    structure::{Kind, Node},
};

/// One example value.
#[derive(Debug, Clone)]
pub struct Example {
    /// Its name under `examples`; `None` for an `example`.
    pub name: Option<String>,
    /// Where the value is; for a referenced example, in `components`.
    pub pointer: String,
    /// The place of the pointer.
    pub place: Place,
    /// Its schema, if its owner has one.
    pub schema_pointer: Option<String>,
    /// Its direction.
    pub direction: Direction,
    /// The value.
    pub value: Value,
}

/// All examples of schemas, parameters, headers, request bodies and responses, in document order.
pub(crate) fn collect(source: &Source) -> Result<Vec<Example>, DocumentError> {
    let mut examples = Vec::new();
    let mut pending = vec![(Node::root(source.value()), Direction::Either)];
    while let Some((node, inherited)) = pending.pop() {
        let direction = direction_of(node.kind).unwrap_or(inherited);
        let children = node.children();
        pending.extend(children.into_iter().rev().map(|child| (child, direction)));
        let Node { kind, pointer, value } = node;
        if value.get("$ref").is_some() {
            continue;
        }
        match kind {
            Kind::Schema => {
                examples.extend(own(source, &pointer, value, Some(&pointer), direction))
            }
            Kind::Parameter | Kind::Header | Kind::MediaType => {
                let schema = value.get("schema").map(|_| join(&pointer, "schema"));
                examples.extend(of_owner(source, &pointer, value, schema.as_deref(), direction)?);
            }
            _ => {}
        }
    }
    Ok(examples)
}

/// `example` and `examples` of a parameter, header or media type.
pub(crate) fn of_owner(
    source: &Source,
    owner: &str,
    value: &Value,
    schema_pointer: Option<&str>,
    direction: Direction,
) -> Result<Vec<Example>, DocumentError> {
    let mut examples: Vec<Example> =
        own(source, owner, value, schema_pointer, direction).into_iter().collect();
    let map = join(owner, "examples");
    let named = value.get("examples").and_then(Value::as_object);
    for name in named.into_iter().flat_map(|named| named.keys()) {
        let found = source.resolve(&join(&map, name))?;
        let Some(value) = found.value.get("value") else {
            continue;
        };
        let pointer = join(&found.pointer, "value");
        examples.push(Example {
            name: Some(name.clone()),
            place: source.place(&pointer),
            pointer,
            schema_pointer: schema_pointer.map(str::to_owned),
            direction,
            value: value.clone(),
        });
    }
    Ok(examples)
}

fn own(
    source: &Source,
    owner: &str,
    value: &Value,
    schema_pointer: Option<&str>,
    direction: Direction,
) -> Option<Example> {
    let value = value.get("example")?.clone();
    let pointer = join(owner, "example");
    Some(Example {
        name: None,
        place: source.place(&pointer),
        pointer,
        schema_pointer: schema_pointer.map(str::to_owned),
        direction,
        value,
    })
}

/// The direction that an object sets for everything inside it.
fn direction_of(kind: Kind) -> Option<Direction> {
    match kind {
        Kind::Parameter | Kind::RequestBody => Some(Direction::Request),
        Kind::Response | Kind::Header => Some(Direction::Response),
        _ => None,
    }
}
