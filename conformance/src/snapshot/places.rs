//! What the document says of each place in an answer: its schema, through references and `allOf`.
//!
//! It refuses to judge: what breaks the schema, the laws tell.

use std::collections::BTreeMap;

use payout_openapi::{Direction, Document, DocumentError, Response, Status, Validator};
use serde_json::Value;

use super::kind;

const JSON: &str = "application/json";

/// The document's answers.
#[derive(Debug, Default)]
pub(super) struct Places {
    document: Value,
    /// JSON pointers of schemas, by operation and status; of answers of no operation under [`UNROUTED`].
    bodies: BTreeMap<(String, u16), String>,
    /// What a value must look like to be bound, by the name of its schema.
    formats: BTreeMap<&'static str, Validator>,
}

/// Where answers stand that belong to no operation: an unknown path, or another method.
pub(super) const UNROUTED: &str = "unrouted";

/// One place: a schema of the document.
#[derive(Clone, Copy, Debug)]
pub(super) struct Schema<'document> {
    places: &'document Places,
    node: &'document Value,
}

/// A schema, or one that it refers to, with the name it has in the document.
struct Part<'document> {
    name: Option<&'document str>,
    node: &'document Value,
}

impl Places {
    /// Of this document.
    ///
    /// # Errors
    /// One of its schemas cannot be used.
    pub(super) fn of(document: &Document) -> Result<Self, DocumentError> {
        let mut places = Self {
            document: document.value().clone(),
            ..Self::default()
        };
        for operation in document.operations() {
            places.note(&operation.id, &operation.responses);
        }
        places.note(UNROUTED, document.unrouted_responses());
        for name in kind::schemas() {
            let pointer = format!("/components/schemas/{name}");
            if places.document.pointer(&pointer).is_some() {
                let format = document.validator(&pointer, Direction::Response)?;
                places.formats.insert(name, format);
            }
        }
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

    /// The schema of the bodies of an operation's answers with this status; of an undecodable path's, which belongs to an
    /// operation by its segments alone, that of no operation.
    pub(super) fn body(&self, operation: &str, status: u16) -> Option<Schema<'_>> {
        let of = |operation: &str| self.bodies.get(&(operation.to_owned(), status));
        let pointer = of(operation).or_else(|| of(UNROUTED))?;
        let node = self.document.pointer(pointer)?;
        Some(Schema { places: self, node })
    }
}

impl<'document> Schema<'document> {
    /// What the value is called, where it names something and has the form of that.
    pub(super) fn identity(self, value: &Value) -> Option<&'static str> {
        let schema = self.bindable(value)?;
        kind::identity(schema)
    }

    /// Whether the value is an instant that moves, and has the form of one.
    pub(super) fn moves(self, member: &str, value: &Value) -> bool {
        let schema = self.bindable(value);
        schema.is_some_and(|schema| kind::moves(schema, member))
    }

    /// The named schema by which a value may be bound; none where the value breaks it.
    fn bindable(self, value: &Value) -> Option<&'static str> {
        let parts = self.parts();
        let mut names = parts.iter().filter_map(|part| part.name);
        let formats = &self.places.formats;
        let (name, format) = names.find_map(|name| formats.get_key_value(name))?;
        format.is_valid(value).then_some(*name)
    }

    /// The member of an object.
    pub(super) fn member(self, name: &str) -> Option<Self> {
        let mut parts = self.parts().into_iter();
        let node = parts.find_map(|part| part.node["properties"].get(name))?;
        Some(Self { node, ..self })
    }

    /// The names of all members, in the document's order.
    pub(super) fn members(self) -> Vec<&'document str> {
        let parts = self.parts().into_iter();
        let names = parts.filter_map(|part| part.node["properties"].as_object());
        names
            .flat_map(|properties| properties.keys().map(String::as_str))
            .collect()
    }

    /// Whether the member must be there.
    pub(super) fn requires(self, name: &str) -> bool {
        let parts = self.parts().into_iter();
        let mut required = parts.filter_map(|part| part.node["required"].as_array());
        required.any(|names| names.iter().any(|required| required == name))
    }

    /// The items of an array.
    pub(super) fn items(self) -> Option<Self> {
        let mut parts = self.parts().into_iter();
        let node = parts.find_map(|part| part.node.get("items"))?;
        Some(Self { node, ..self })
    }

    /// `string`, `array`, …; none where any will do.
    pub(super) fn type_name(self) -> Option<&'document str> {
        let mut parts = self.parts().into_iter();
        parts.find_map(|part| part.node["type"].as_str())
    }

    /// Whether null will do.
    pub(super) fn is_nullable(self) -> bool {
        let mut parts = self.parts().into_iter();
        parts.any(|part| part.node["nullable"] == true)
    }

    /// Itself and all that it refers to. References never lead back: the document was loaded.
    fn parts(self) -> Vec<Part<'document>> {
        let mut parts = Vec::new();
        self.places.collect(None, self.node, &mut parts);
        parts
    }
}

impl Places {
    fn collect<'document>(
        &'document self,
        name: Option<&'document str>,
        node: &'document Value,
        parts: &mut Vec<Part<'document>>,
    ) {
        parts.push(Part { name, node });
        if let Some(reference) = node["$ref"].as_str() {
            let target = reference.strip_prefix('#');
            if let Some(target) = target.and_then(|pointer| self.document.pointer(pointer)) {
                let name = reference.rsplit('/').next();
                self.collect(name, target, parts);
            }
        }
        for part in node["allOf"].as_array().into_iter().flatten() {
            self.collect(None, part, parts);
        }
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
        assert!(partner.requires("domain"));
        assert!(!partner.requires("experienceTemplateId"));
        assert!(partner.member("owner").unwrap().is_nullable());
        assert_eq!(partner.member("owner").unwrap().type_name(), Some("object"));
        let unknown = places.body(UNROUTED, 405).unwrap();
        assert_eq!(unknown.members(), ["error"]);
        assert!(places.body("listPartners", 418).is_none());
    }

    #[test]
    fn each_schema_that_may_be_bound_is_in_the_document() {
        let formats = places().formats;
        for name in kind::schemas() {
            assert!(formats.contains_key(name), "{name}");
        }
    }
}
