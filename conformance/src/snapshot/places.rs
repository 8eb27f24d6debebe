//! What the document says about each place in a response: its schema, through references and
//! `allOf`.

use std::collections::BTreeMap;

use payout_openapi::{Direction, Document, DocumentError, Response, Status, Validator};
use serde_json::Value;

use super::kind;

const JSON: &str = "application/json";

#[derive(Debug, Default)]
pub(super) struct Places {
    nodes: Vec<Node>,
    /// Schemas of bodies, by operation and status; of responses of no operation under [`UNROUTED`].
    bodies: BTreeMap<(String, u16), usize>,
    /// What a value must look like to be replaced, by the name of its schema.
    formats: BTreeMap<&'static str, Validator>,
}

/// The name for responses of no operation: an unknown path, or another method.
pub(super) const UNROUTED: &str = "unrouted";

#[derive(Debug, Default)]
struct Node {
    /// The named schema by which a value may be replaced.
    format: Option<&'static str>,
    /// In the document's order; of two with one name the first counts.
    members: Vec<(String, usize)>,
    items: Option<usize>,
}

/// One place: a schema of the document.
#[derive(Clone, Copy, Debug)]
pub(super) struct Schema<'places> {
    places: &'places Places,
    node: &'places Node,
}

impl Places {
    pub(super) fn of(document: &Document) -> Result<Self, DocumentError> {
        let mut places = Self::default();
        for name in kind::schemas() {
            let pointer = format!("/components/schemas/{name}");
            if document.value().pointer(&pointer).is_some() {
                let format = document.validator(&pointer, Direction::Response)?;
                places.formats.insert(name, format);
            }
        }
        for operation in document.operations() {
            places.note(document.value(), &operation.id, &operation.responses);
        }
        places.note(document.value(), UNROUTED, document.unrouted_responses());
        Ok(places)
    }

    fn note(&mut self, document: &Value, operation: &str, responses: &[Response]) {
        for response in responses {
            let mut media = response.content.iter();
            let media = media.find(|media| media.content_type == JSON);
            let pointer = media.and_then(|media| media.schema_pointer.as_deref());
            let schema = pointer.and_then(|pointer| document.pointer(pointer));
            if let (Status::Code(status), Some(schema)) = (response.status, schema) {
                let node = self.resolve(document, schema);
                self.bodies.insert((operation.to_owned(), status), node);
            }
        }
    }

    /// Creates a schema's node, and those of its members and items.
    fn resolve(&mut self, document: &Value, schema: &Value) -> usize {
        let mut parts = Vec::new();
        collect(document, None, schema, &mut parts);
        let mut node = Node::default();
        for part in parts {
            let format = part.name.and_then(|name| self.formats.get_key_value(name));
            node.format = node.format.or(format.map(|(name, _)| *name));
            for (name, member) in part.node["properties"].as_object().into_iter().flatten() {
                node.members.push((name.clone(), self.resolve(document, member)));
            }
            if let Some(items) = part.node.get("items").filter(|_| node.items.is_none()) {
                node.items = Some(self.resolve(document, items));
            }
        }
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// The schema of an operation's bodies with this status, or that of no operation: an
    /// undecodable path belongs to an operation only by its segments.
    pub(super) fn body(&self, operation: &str, status: u16) -> Option<Schema<'_>> {
        let of = |operation: &str| self.bodies.get(&(operation.to_owned(), status));
        let index = of(operation).or_else(|| of(UNROUTED))?;
        Some(self.schema(*index))
    }

    fn schema(&self, index: usize) -> Schema<'_> {
        Schema { places: self, node: &self.nodes[index] }
    }
}

/// A schema, or one that it refers to, with the name it has in the document.
struct Part<'document> {
    name: Option<&'document str>,
    node: &'document Value,
}

/// A schema and all that it refers to. References have no cycles: loading the document checks that.
fn collect<'document>(
    document: &'document Value,
    name: Option<&'document str>,
    node: &'document Value,
    parts: &mut Vec<Part<'document>>,
) {
    parts.push(Part { name, node });
    if let Some(reference) = node["$ref"].as_str() {
        let target = reference.strip_prefix('#');
        if let Some(target) = target.and_then(|pointer| document.pointer(pointer)) {
            collect(document, reference.rsplit('/').next(), target, parts);
        }
    }
    for part in node["allOf"].as_array().into_iter().flatten() {
        collect(document, None, part, parts);
    }
}

impl<'places> Schema<'places> {
    /// The kind of thing that the value names, if it names one and has its form.
    pub(super) fn identity(self, value: &Value) -> Option<&'static str> {
        let name = kind::identity(self.node.format?)?;
        self.is_format(value).then_some(name)
    }

    /// Whether the value is an instant that changes with each run, and has the form of one.
    pub(super) fn moves(self, member: &str, value: &Value) -> bool {
        let may_move = |format| kind::moves(format, member);
        self.node.format.is_some_and(may_move) && self.is_format(value)
    }

    fn is_format(self, value: &Value) -> bool {
        let format = self.node.format.and_then(|name| self.places.formats.get(name));
        format.is_some_and(|format| format.is_valid(value))
    }

    pub(super) fn member(self, name: &str) -> Option<Self> {
        let mut members = self.node.members.iter();
        let (_, index) = members.find(|(known, _)| known == name)?;
        Some(self.places.schema(*index))
    }

    pub(super) fn members(self) -> Vec<&'places str> {
        let members = self.node.members.iter();
        members.map(|(name, _)| name.as_str()).collect()
    }

    pub(super) fn items(self) -> Option<Self> {
        Some(self.places.schema(self.node.items?))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::path::Path;

    use serde_json::json;

    use super::*;

    /// Of the project's own document.
    pub(in crate::snapshot) fn places() -> Places {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../openapi/api.yaml");
        Places::of(&Document::load(&path).unwrap()).unwrap()
    }

    #[test]
    fn value_is_known_by_its_place_and_only_in_its_format() {
        let places = places();
        let line = places.body("listCommissionLines", 200).unwrap();
        let line = line.member("data").and_then(Schema::items).unwrap();
        let identity = |name: &str, value: Value| line.member(name).unwrap().identity(&value);
        assert_eq!(identity("id", json!("cln_1")), Some("line"));
        assert_eq!(identity("payoutId", json!("pay_1")), Some("payout"));
        assert_eq!(identity("payoutId", json!(null)), None);
        assert_eq!(identity("id", json!("")), None);
        assert_eq!(identity("id", json!(1)), None);
        assert_eq!(identity("description", json!("cln_1")), None);
        let moves = |name: &str, value: &str| line.member(name).unwrap().moves(name, &json!(value));
        assert!(moves("updatedAt", "2026-05-20T09:30:00.000Z"));
        assert!(!moves("updatedAt", "2026-05-20T09:30:00Z"));
        assert!(!moves("createdAt", "2026-05-20T09:30:00.000Z"));
    }

    #[test]
    fn members_are_found_through_references() {
        let places = places();
        let partner = places.body("updatePartner", 200).unwrap();
        let partner = partner.member("data").unwrap();
        assert_eq!(partner.members()[..2], ["id", "name"]);
        let unknown = places.body(UNROUTED, 405).unwrap();
        assert_eq!(unknown.members(), ["error"]);
        assert!(places.body("listPartners", 418).is_none());
    }

    #[test]
    fn each_schema_of_a_volatile_value_is_in_the_document() {
        let formats = places().formats;
        for name in kind::schemas() {
            assert!(formats.contains_key(name), "{name}");
        }
    }
}
