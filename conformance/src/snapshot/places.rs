//! The members of each documented body, in the document's order: what their values name, and what
//! the document says of them.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    sync::Arc,
};

use openapi_document::{Document, DocumentError, Response, Shape, Status};

use super::{
    kind::{Identities, Identity},
    recording::Key,
};
use crate::document::members;

const JSON: &str = "application/json";
/// The member whose schema depends on the code of an error.
const DETAILS: &str = "/error/details";

/// The name for responses of no operation: an unknown path, or another method.
pub(crate) const UNROUTED: &str = "unrouted";

/// A member of a documented body.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    /// From the root of the body; `*` stands for an index.
    pub(crate) path: String,
    /// The pointer of its schema.
    pub(crate) schema: String,
    /// What its value names, if it names something.
    pub(crate) identity: Option<Arc<Identity>>,
    /// Each object that can have the member has it.
    pub(crate) is_required: bool,
    pub(crate) is_nullable: bool,
    /// The document lists its values, all of them or those known today.
    pub(crate) is_enum: bool,
    /// An object whose members the document does not name, such as `metadata`.
    pub(crate) is_map: bool,
    /// An object that may have no members but those that the document names.
    pub(crate) is_closed: bool,
}

/// The members of a body; of the root, whose path is empty, first.
pub(crate) type Members = Vec<Member>;

#[derive(Debug, Default)]
pub(crate) struct Places {
    /// Those of responses of no operation under [`UNROUTED`], and of a code that the document does
    /// not list under an empty one.
    bodies: BTreeMap<Key, Members>,
    /// The format of request ids, if the document has one.
    pub(crate) request_id: Option<Arc<Identity>>,
}

impl Places {
    pub(crate) fn of(document: &Document) -> Result<Self, DocumentError> {
        let identities = Identities::of(document)?;
        let mut places = Self { request_id: identities.of_schema("RequestId"), ..Self::default() };
        let mut details: BTreeMap<String, Members> = BTreeMap::new();
        let unrouted = document.unrouted_responses();
        let operations = document.operations().iter();
        let routed = operations.map(|operation| (operation.id.as_str(), &*operation.responses));
        for (operation, responses) in routed.chain([(UNROUTED, unrouted)]) {
            for response in responses {
                let Some((status, schema)) = json_of(response) else { continue };
                let members = members_of(document, &identities, schema)?;
                let key = |code: &str| Key {
                    operation: operation.to_owned(),
                    status,
                    code: code.to_owned(),
                };
                for (code, schema) in details_by_code(document, &members, response) {
                    let details = match details.entry(schema) {
                        Entry::Occupied(known) => known.into_mut(),
                        Entry::Vacant(new) => {
                            let members = members_of(document, &identities, new.key())?;
                            new.insert(members)
                        }
                    };
                    places.bodies.insert(key(code), with_details(&members, details));
                }
                places.bodies.insert(key(""), members);
            }
        }
        Ok(places)
    }

    /// The members of an operation's bodies with this status and code, or those of no operation: an
    /// undecodable path belongs to an operation only by its segments.
    pub(crate) fn body(&self, key: &Key) -> Option<&Members> {
        let of = |operation: &str, code: &str| {
            let (operation, code) = (operation.to_owned(), code.to_owned());
            self.bodies.get(&Key { operation, status: key.status, code })
        };
        let known = of(&key.operation, &key.code).or_else(|| of(&key.operation, ""));
        known.or_else(|| of(UNROUTED, &key.code)).or_else(|| of(UNROUTED, ""))
    }
}

/// The schemas of the details of an error, by each code that the document lists for it.
fn details_by_code<'a>(
    document: &'a Document,
    members: &Members,
    response: &'a Response,
) -> Vec<(&'a str, String)> {
    let details = find(Some(members), DETAILS);
    let schema = details.and_then(|details| document.value().pointer(&details.schema));
    let Some(schemas) = schema.and_then(|schema| schema.get("x-by-code")) else {
        return Vec::new();
    };
    let codes = response.error_codes.iter().filter_map(|code| {
        let schema = schemas.get(code)?.get("$ref")?.as_str()?.strip_prefix('#')?;
        Some((code.as_str(), schema.to_owned()))
    });
    codes.collect()
}

/// These members, with those of the details of one code.
fn with_details(members: &Members, details: &Members) -> Members {
    let is_required = find(Some(members), DETAILS).is_some_and(|member| member.is_required);
    let others = members.iter().filter(|member| member.path != DETAILS).cloned();
    let details = details.iter().map(|member| Member {
        path: format!("{DETAILS}{}", member.path),
        is_required: member.is_required || member.path.is_empty() && is_required,
        ..member.clone()
    });
    others.chain(details).collect()
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
pub(crate) fn find<'a>(members: Option<&'a Members>, path: &str) -> Option<&'a Member> {
    members?.iter().find(|member| member.path == path)
}
