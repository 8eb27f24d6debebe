//! The members of each documented body, in the document's order: what their values name, and what
//! the document says of them.

use std::{collections::BTreeMap, sync::Arc};

use openapi_document::{Document, DocumentError, Response, Shape, Status};

use super::kind::{Identities, Identity};
use crate::document::members;

const JSON: &str = "application/json";

/// The name for responses of no operation: an unknown path, or another method.
pub(super) const UNROUTED: &str = "unrouted";

/// A member of a documented body.
#[derive(Debug)]
pub(super) struct Member {
    /// From the root of the body; `*` stands for an index.
    pub(super) path: String,
    /// The pointer of its schema.
    pub(super) schema: String,
    /// What its value names, if it names something.
    pub(super) identity: Option<Arc<Identity>>,
    /// Each object that can have the member has it.
    pub(super) is_required: bool,
    pub(super) is_nullable: bool,
    /// The document lists its values, all of them or those known today.
    pub(super) is_enum: bool,
    /// An object whose members the document does not name, such as `metadata`.
    pub(super) is_map: bool,
    /// An object that may have no members but those that the document names.
    pub(super) is_closed: bool,
}

/// The members of a body; of the root, whose path is empty, first.
pub(super) type Members = Vec<Member>;

/// The bodies by operation and status; of responses of no operation under [`UNROUTED`].
#[derive(Debug, Default)]
pub(super) struct Places(BTreeMap<(String, u16), Members>);

impl Places {
    pub(super) fn of(document: &Document) -> Result<Self, DocumentError> {
        let mut places = Self::default();
        let identities = Identities::of(document)?;
        let unrouted = document.unrouted_responses();
        let operations = document.operations().iter();
        let routed = operations.map(|operation| (operation.id.as_str(), &*operation.responses));
        for (operation, responses) in routed.chain([(UNROUTED, unrouted)]) {
            for response in responses {
                if let Some((status, schema)) = json_of(response) {
                    let members = members_of(document, &identities, schema)?;
                    places.0.insert((operation.to_owned(), status), members);
                }
            }
        }
        Ok(places)
    }

    /// The members of an operation's bodies with this status, or those of no operation: an
    /// undecodable path belongs to an operation only by its segments.
    pub(super) fn body(&self, operation: &str, status: u16) -> Option<&Members> {
        let of = |operation: &str| self.0.get(&(operation.to_owned(), status));
        of(operation).or_else(|| of(UNROUTED))
    }
}

/// The status and the pointer of the schema of a response with a JSON body.
fn json_of(response: &Response) -> Option<(u16, &str)> {
    let Status::Code(status) = response.status else { return None };
    let media = response.content.iter().find(|media| media.content_type == JSON)?;
    Some((status, media.schema_pointer.as_deref()?))
}

fn members_of(
    document: &Document,
    identities: &Identities,
    schema: &str,
) -> Result<Members, DocumentError> {
    let mut shapes: BTreeMap<String, Shape> = BTreeMap::new();
    let mut known = Members::new();
    let root = (String::new(), schema.to_owned());
    for (path, schema) in [root].into_iter().chain(members(document, schema)?) {
        let shape = document.shape(&schema)?;
        let parent = path.rsplit_once('/').and_then(|(at, name)| Some((shapes.get(at)?, name)));
        known.push(Member {
            identity: identities.find(document, &schema),
            is_required: parent.is_some_and(|(shape, name)| shape.requires(name)),
            is_nullable: shape.is_nullable(),
            is_enum: !shape.options().is_empty() || shape.keyword("x-known-values").is_some(),
            is_map: shape.is("object") && shape.properties.is_empty(),
            is_closed: shape.is_closed(),
            path: path.clone(),
            schema,
        });
        shapes.insert(path, shape);
    }
    Ok(known)
}

/// The member at this path.
pub(super) fn find<'a>(members: Option<&'a Members>, path: &str) -> Option<&'a Member> {
    members?.iter().find(|member| member.path == path)
}
