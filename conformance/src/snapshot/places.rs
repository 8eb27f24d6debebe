//! The members of each documented body, in the document's order, and what their values name.

use std::collections::BTreeMap;

use openapi_document::{Document, DocumentError, Response, Status};

use super::kind;
use crate::document::members;

const JSON: &str = "application/json";

/// The name for responses of no operation: an unknown path, or another method.
pub(super) const UNROUTED: &str = "unrouted";

/// The members of a body, each by its path, in which `*` stands for an index, with the kind of
/// thing that its value names.
pub(super) type Body = Vec<(String, Option<&'static str>)>;

/// The bodies by operation and status; of responses of no operation under [`UNROUTED`].
#[derive(Debug, Default)]
pub(super) struct Places(BTreeMap<(String, u16), Body>);

impl Places {
    pub(super) fn of(document: &Document) -> Result<Self, DocumentError> {
        let mut places = Self::default();
        for operation in document.operations() {
            places.note(document, &operation.id, &operation.responses)?;
        }
        places.note(document, UNROUTED, document.unrouted_responses())?;
        Ok(places)
    }

    fn note(
        &mut self,
        document: &Document,
        operation: &str,
        responses: &[Response],
    ) -> Result<(), DocumentError> {
        for response in responses {
            let media = response.content.iter().find(|media| media.content_type == JSON);
            let schema = media.and_then(|media| media.schema_pointer.as_ref());
            if let (Status::Code(status), Some(schema)) = (response.status, schema) {
                let members = members(document, schema)?.into_iter();
                let body = members.map(|(path, schema)| (path, kind::of_schema(document, &schema)));
                self.0.insert((operation.to_owned(), status), body.collect());
            }
        }
        Ok(())
    }

    /// The members of an operation's bodies with this status, or those of no operation: an
    /// undecodable path belongs to an operation only by its segments.
    pub(super) fn body(&self, operation: &str, status: u16) -> Option<&Body> {
        let of = |operation: &str| self.0.get(&(operation.to_owned(), status));
        of(operation).or_else(|| of(UNROUTED))
    }
}
