//! Every example of a document, with its schema. An `externalValue` is not fetched.

use serde_json::Value;

use crate::{
    error::DocumentError,
    place::Place,
    pointer::join,
    schema::Direction,
    source::{Resolved, Source},
    structure::{Kind, Node},
};

#[derive(Debug, Clone)]
pub struct Example {
    /// Its name under `examples`; `None` for an `example`.
    pub name: Option<String>,
    /// Where the value is; for a referenced example, in `components`.
    pub pointer: String,
    pub place: Place,
    /// Its schema, if its owner has one.
    pub schema_pointer: Option<String>,
    pub direction: Direction,
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
        let owner = Resolved { pointer, value };
        match kind {
            Kind::Schema => {
                examples.extend(example(source, &owner, "example", Some(&owner.pointer), direction))
            }
            Kind::Parameter | Kind::Header | Kind::MediaType => {
                let schema = value.get("schema").map(|_| join(&owner.pointer, "schema"));
                examples.extend(of_owner(source, &owner, schema.as_deref(), direction)?);
            }
            _ => {}
        }
    }
    Ok(examples)
}

/// `example` and `examples` of a parameter, header or media type.
pub(crate) fn of_owner(
    source: &Source,
    owner: &Resolved<'_>,
    schema_pointer: Option<&str>,
    direction: Direction,
) -> Result<Vec<Example>, DocumentError> {
    let mut examples: Vec<Example> =
        example(source, owner, "example", schema_pointer, direction).into_iter().collect();
    for (name, at, _) in owner.members("examples") {
        let named = source.resolve(&at)?;
        let example = example(source, &named, "value", schema_pointer, direction);
        examples.extend(example.map(|example| Example { name: Some(name.to_owned()), ..example }));
    }
    Ok(examples)
}

/// The example in a member.
fn example(
    source: &Source,
    owner: &Resolved<'_>,
    member: &str,
    schema_pointer: Option<&str>,
    direction: Direction,
) -> Option<Example> {
    let value = owner.value.get(member)?.clone();
    let pointer = join(&owner.pointer, member);
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
