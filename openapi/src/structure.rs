//! The structure of an OpenAPI 3.0 document (§ 4.7): which member of which object is an object of
//! which kind. Examples, defaults and extensions are data; callbacks, links and encodings are not
//! visited.

use serde_json::Value;

use crate::pointer;

/// The kinds of objects, by the specification's names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::Display)]
#[strum(serialize_all = "title_case")]
pub enum Kind {
    Document,
    #[strum(serialize = "components object")]
    Components,
    PathItem,
    Operation,
    Parameter,
    RequestBody,
    Response,
    Header,
    MediaType,
    Schema,
    Example,
    SecurityScheme,
}

/// How a member holds objects of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    One,
    List,
    Map,
    /// A map keyed by pattern, where `x-` members are extensions.
    PatternedMap,
}

/// One object of the document; a reference object has the kind of its target.
#[derive(Debug, Clone)]
pub struct Node<'document> {
    pub kind: Kind,
    pub pointer: String,
    /// As written, references unresolved.
    pub value: &'document Value,
}

impl<'document> Node<'document> {
    pub(crate) fn root(value: &'document Value) -> Self {
        Self { kind: Kind::Document, pointer: String::new(), value }
    }

    /// The objects directly inside this one, in document order. A reference object has none.
    pub(crate) fn children(&self) -> Vec<Self> {
        let Some(members) = self.value.as_object() else {
            return Vec::new();
        };
        if pointer::reference_in(self.value).is_some() {
            return Vec::new();
        }
        let mut children = Vec::new();
        for (name, value) in members {
            let Some((_, shape, kind)) = self.kind.members().iter().find(|row| row.0 == name)
            else {
                continue;
            };
            let at = pointer::join(&self.pointer, name);
            let child = |pointer, value| Self { kind: *kind, pointer, value };
            let inside = |name: &str, value| child(pointer::join(&at, name), value);
            match (shape, value) {
                // Only for `additionalProperties: true` a schema may be a boolean.
                (Shape::One, Value::Bool(_)) => {}
                (Shape::One, value) => children.push(child(at, value)),
                (Shape::List, Value::Array(elements)) => {
                    let elements = elements.iter().enumerate();
                    children.extend(elements.map(|(index, it)| inside(&index.to_string(), it)));
                }
                (Shape::Map | Shape::PatternedMap, Value::Object(members)) => {
                    let is_kept = |name: &str| *shape == Shape::Map || !name.starts_with("x-");
                    let members = members.iter().filter(|(name, _)| is_kept(name));
                    children.extend(members.map(|(name, it)| inside(name, it)));
                }
                _ => {}
            }
        }
        children
    }
}

/// `root` and every object beneath it, parents before children, in document order.
pub(crate) fn walk(root: Node<'_>) -> Vec<Node<'_>> {
    let mut nodes = Vec::new();
    let mut pending = vec![root];
    while let Some(node) = pending.pop() {
        pending.extend(node.children().into_iter().rev());
        nodes.push(node);
    }
    nodes
}

impl Kind {
    /// The members that are objects.
    pub(crate) fn members(self) -> &'static [(&'static str, Shape, Kind)] {
        use Shape::{List, Map, One, PatternedMap};
        match self {
            Self::Document => &[
                ("paths", PatternedMap, Self::PathItem),
                ("components", One, Self::Components),
                // An extension of ours, which contains references.
                ("x-unrouted-responses", PatternedMap, Self::Response),
            ],
            Self::Components => &[
                ("schemas", Map, Self::Schema),
                ("responses", Map, Self::Response),
                ("parameters", Map, Self::Parameter),
                ("examples", Map, Self::Example),
                ("requestBodies", Map, Self::RequestBody),
                ("headers", Map, Self::Header),
                // Of OpenAPI 3.1.
                ("pathItems", Map, Self::PathItem),
                ("securitySchemes", Map, Self::SecurityScheme),
            ],
            Self::PathItem => &[
                ("parameters", List, Self::Parameter),
                ("get", One, Self::Operation),
                ("put", One, Self::Operation),
                ("post", One, Self::Operation),
                ("delete", One, Self::Operation),
                ("options", One, Self::Operation),
                ("head", One, Self::Operation),
                ("patch", One, Self::Operation),
                ("trace", One, Self::Operation),
            ],
            Self::Operation => &[
                ("parameters", List, Self::Parameter),
                ("requestBody", One, Self::RequestBody),
                ("responses", PatternedMap, Self::Response),
            ],
            Self::Parameter | Self::Header => &[
                ("schema", One, Self::Schema),
                ("examples", Map, Self::Example),
                ("content", Map, Self::MediaType),
            ],
            Self::RequestBody => &[("content", Map, Self::MediaType)],
            Self::Response => &[("headers", Map, Self::Header), ("content", Map, Self::MediaType)],
            Self::MediaType => &[("schema", One, Self::Schema), ("examples", Map, Self::Example)],
            Self::Schema => &[
                ("properties", Map, Self::Schema),
                ("additionalProperties", One, Self::Schema),
                ("items", One, Self::Schema),
                ("allOf", List, Self::Schema),
                ("oneOf", List, Self::Schema),
                ("anyOf", List, Self::Schema),
                ("not", One, Self::Schema),
                // Of OpenAPI 3.1.
                ("$defs", Map, Self::Schema),
                ("contains", One, Self::Schema),
                ("dependentSchemas", Map, Self::Schema),
                ("else", One, Self::Schema),
                ("if", One, Self::Schema),
                ("patternProperties", Map, Self::Schema),
                ("prefixItems", List, Self::Schema),
                ("then", One, Self::Schema),
                ("unevaluatedItems", One, Self::Schema),
                ("unevaluatedProperties", One, Self::Schema),
            ],
            Self::Example | Self::SecurityScheme => &[],
        }
    }

    /// The specification's name, for messages.
    pub(crate) fn name(self) -> String {
        self.to_string().to_lowercase()
    }
}
