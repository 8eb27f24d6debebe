//! The schema that the document has for each value of a response, through references and `allOf`.

use std::collections::BTreeMap;

use openapi_document::{Direction, Document, DocumentError, Response, Status, Validator};
use serde_json::Value;

use super::kind;

const JSON: &str = "application/json";

#[derive(Debug, Default)]
pub(super) struct Places {
    document: Value,
    /// Pointers of the schemas of bodies, by operation and status; of responses of no operation
    /// under [`UNROUTED`].
    bodies: BTreeMap<(String, u16), String>,
    /// The form that a value must have to be replaced, by the name of its schema.
    formats: BTreeMap<&'static str, Validator>,
}

/// The name for responses of no operation: an unknown path, or another method.
pub(super) const UNROUTED: &str = "unrouted";

/// One place: a schema of the document, with all that it refers to.
#[derive(Clone, Debug)]
pub(super) struct Schema<'places> {
    places: &'places Places,
    /// The named schema by which a value may be replaced.
    format: Option<&'static str>,
    nodes: Vec<&'places Value>,
}

impl Places {
    pub(super) fn of(document: &Document) -> Result<Self, DocumentError> {
        let mut places = Self { document: document.value().clone(), ..Self::default() };
        for name in kind::schemas() {
            let pointer = format!("/components/schemas/{name}");
            if document.value().pointer(&pointer).is_some() {
                let format = document.validator(&pointer, Direction::Response)?;
                places.formats.insert(name, format);
            }
        }
        for operation in document.operations() {
            places.note(&operation.id, &operation.responses);
        }
        places.note(UNROUTED, document.unrouted_responses());
        Ok(places)
    }

    fn note(&mut self, operation: &str, responses: &[Response]) {
        for response in responses {
            let mut media = response.content.iter();
            let media = media.find(|media| media.content_type == JSON);
            let pointer = media.and_then(|media| media.schema_pointer.clone());
            if let (Status::Code(status), Some(pointer)) = (response.status, pointer) {
                self.bodies.insert((operation.to_owned(), status), pointer);
            }
        }
    }

    /// The schema of an operation's bodies with this status, or that of no operation: an
    /// undecodable path belongs to an operation only by its segments.
    pub(super) fn body(&self, operation: &str, status: u16) -> Option<Schema<'_>> {
        let of = |operation: &str| self.bodies.get(&(operation.to_owned(), status));
        let pointer = of(operation).or_else(|| of(UNROUTED))?;
        Some(self.schema(self.document.pointer(pointer)?))
    }

    fn schema<'places>(&'places self, node: &'places Value) -> Schema<'places> {
        let mut schema = Schema { places: self, format: None, nodes: Vec::new() };
        schema.add(node);
        schema
    }
}

impl<'places> Schema<'places> {
    /// References have no cycles: loading the document checks that.
    fn add(&mut self, node: &'places Value) {
        self.nodes.push(node);
        let reference = node["$ref"].as_str().and_then(|reference| reference.strip_prefix('#'));
        if let Some(pointer) = reference {
            let name = pointer.rsplit('/').next().unwrap_or_default();
            // `NullableTierId` is a `TierId` or null.
            let name = name.strip_prefix("Nullable").unwrap_or(name);
            let format = self.places.formats.get_key_value(name);
            self.format = self.format.or(format.map(|(name, _)| *name));
            self.places.document.pointer(pointer).into_iter().for_each(|target| self.add(target));
        }
        node["allOf"].as_array().into_iter().flatten().for_each(|part| self.add(part));
    }

    /// The kind of thing that the value names, if it names one and has its form.
    pub(super) fn identity(&self, value: &Value) -> Option<&'static str> {
        let name = kind::identity(self.format?)?;
        self.is_format(value).then_some(name)
    }

    /// Returns true if the value is an instant that changes with each run, and has the form of one.
    pub(super) fn moves(&self, member: &str, value: &Value) -> bool {
        self.format.is_some_and(|format| kind::moves(format, member)) && self.is_format(value)
    }

    fn is_format(&self, value: &Value) -> bool {
        let format = self.format.and_then(|name| self.places.formats.get(name));
        format.is_some_and(|format| format.is_valid(value))
    }

    /// Returns the first member with this name.
    pub(super) fn member(&self, name: &str) -> Option<Self> {
        let mut members = self.nodes.iter().filter_map(|node| node["properties"].get(name));
        Some(self.places.schema(members.next()?))
    }

    /// In the document's order.
    pub(super) fn members(&self) -> Vec<&'places str> {
        let members = self.nodes.iter().filter_map(|node| node["properties"].as_object());
        members.flatten().map(|(name, _)| name.as_str()).collect()
    }

    pub(super) fn items(&self) -> Option<Self> {
        let mut items = self.nodes.iter().filter_map(|node| node.get("items"));
        Some(self.places.schema(items.next()?))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::path::Path;

    use serde_json::json;

    use super::*;

    /// Returns the places of the project's own document.
    pub(in crate::snapshot) fn places() -> Places {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../openapi/api.yaml");
        Places::of(&Document::load(&path).unwrap()).unwrap()
    }

    #[test]
    fn value_is_known_by_its_place_and_only_in_its_format() {
        let places = places();
        let line = places.body("listCommissionLines", 200).unwrap();
        let line = line.member("data").and_then(|data| data.items()).unwrap();
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
    fn value_that_may_be_null_names_the_same_kind_of_thing() {
        let places = places();
        let partner = places.body("getPartner", 200).unwrap().member("data").unwrap();
        let tier = partner.member("tierId").unwrap();
        assert_eq!(tier.identity(&"tier_1".into()), Some("tier"));
        assert_eq!(tier.identity(&Value::Null), None);
    }

    #[test]
    fn each_schema_of_a_volatile_value_is_in_the_document() {
        let formats = places().formats;
        for name in kind::schemas() {
            assert!(formats.contains_key(name), "{name}");
        }
    }
}
