//! What the document says of a difference: whether the new response is allowed there.

use openapi_document::{Direction, Header, Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use Stance::{Allowed, NotAllowed, Silent};

use super::difference::{Difference, DifferenceKind};
use crate::document::DOCUMENT;
use crate::snapshot::{
    places::{self, Members, UNROUTED},
    recording::Key,
};

/// Whether the document allows what came.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Stance {
    NotAllowed,
    Silent,
    Allowed,
}

impl Stance {
    /// As reports write it.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::NotAllowed => "not allowed by the document",
            Self::Silent => "the document does not say",
            Self::Allowed => "allowed by the document",
        }
    }
}

/// The response whose difference is judged.
#[derive(Clone, Copy)]
pub(super) struct Subject<'a> {
    pub(super) key: &'a Key,
    pub(super) members: Option<&'a Members>,
    /// The body as it came, if it is JSON.
    pub(super) json: Option<&'a Value>,
}

/// What the document says of a difference, and why.
pub(super) fn of(subject: Subject<'_>, difference: &Difference) -> (Stance, String) {
    use DifferenceKind as Kind;
    let Difference { at, path, actual, .. } = difference;
    let Subject { key: Key { operation, status, .. }, members, .. } = subject;
    let described = "The document describes the operation.";
    let about_all = match difference.kind {
        Kind::OperationGone => Some((NotAllowed, described)),
        Kind::OperationAdded => Some((Allowed, described)),
        Kind::ResponseGone => {
            Some((Silent, "The document does not say when each of its responses comes."))
        }
        _ => None,
    };
    if let Some((stance, what)) = about_all {
        return (stance, what.to_owned());
    }
    let Some(response) = response(operation, *status) else {
        let what = format!("The document has no status {status} for {operation}.");
        let is_new = matches!(difference.kind, Kind::Status | Kind::ResponseAdded);
        return (if is_new { NotAllowed } else { Silent }, what);
    };
    match difference.kind {
        Kind::ResponseAdded if !is_listed(response, actual) => {
            (NotAllowed, "The document does not list the code for this status.".to_owned())
        }
        Kind::Status | Kind::ResponseAdded => {
            let what = format!("The document describes the status {status} of {operation}.");
            (Allowed, what)
        }
        Kind::Code if response.error_codes.contains(actual) => {
            (Allowed, format!("The document lists {actual} for this status."))
        }
        Kind::Code if response.error_codes.is_empty() => {
            (Silent, "The document lists no codes for this status.".to_owned())
        }
        Kind::Code => {
            let codes = response.error_codes.join(", ");
            (NotAllowed, format!("The document lists {codes} for this status."))
        }
        Kind::HeaderGone | Kind::HeaderAdded | Kind::HeaderValue => header(response, difference),
        Kind::MemberGone => match places::find(members, path) {
            Some(member) if member.is_required => {
                (NotAllowed, "The document requires the member.".to_owned())
            }
            Some(_) => (Allowed, "The member is optional in the document.".to_owned()),
            None => (Silent, "The document does not name the member.".to_owned()),
        },
        Kind::MemberAdded => added(members, path),
        Kind::Order => (Silent, "No schema of the document fixes an order of items.".to_owned()),
        Kind::Relation => (Silent, "No schema of the document relates the two values.".to_owned()),
        Kind::Body => (NotAllowed, "The document describes a body of JSON.".to_owned()),
        _ => value(subject, at, path),
    }
}

fn response(operation: &str, status: u16) -> Option<&'static Response> {
    let unrouted = DOCUMENT.unrouted_responses();
    let known = DOCUMENT.operations().iter().find(|known| known.id == operation);
    let found = known.filter(|_| operation != UNROUTED).and_then(|known| known.response(status));
    found.or_else(|| unrouted.iter().find(|response| response.status.matches(status)))
}

/// Returns true if the document lists the code of a response such as `404 NOT_FOUND`, or none.
fn is_listed(response: &Response, actual: &str) -> bool {
    let code = actual.split(' ').next_back().unwrap_or_default();
    response.error_codes.is_empty() || response.error_codes.iter().any(|known| known == code)
}

fn header(response: &Response, difference: &Difference) -> (Stance, String) {
    let Difference { kind, at: name, actual, .. } = difference;
    if name == "content-type" && *kind == DifferenceKind::HeaderValue {
        let media_type = actual.split(';').next().unwrap_or_default().trim();
        let mut known = response.content.iter();
        let is_known = known.any(|known| known.content_type.eq_ignore_ascii_case(media_type));
        let is_allowed = if is_known { Allowed } else { NotAllowed };
        let known: Vec<&str> =
            response.content.iter().map(|known| known.content_type.as_str()).collect();
        return (is_allowed, format!("The document describes {}.", known.join(", ")));
    }
    let is_it = |header: &&Header| header.name.eq_ignore_ascii_case(name);
    let Some(header) = response.headers.iter().find(is_it) else {
        let stance = match kind {
            // A response may have any other header.
            DifferenceKind::HeaderAdded => Allowed,
            _ => Silent,
        };
        return (stance, "The document does not name the header.".to_owned());
    };
    match kind {
        DifferenceKind::HeaderGone if header.required => {
            (NotAllowed, "The document requires the header.".to_owned())
        }
        DifferenceKind::HeaderGone => {
            (Allowed, "The header is optional in the document.".to_owned())
        }
        DifferenceKind::HeaderAdded => (Allowed, "The document names the header.".to_owned()),
        _ => valid(header.schema_pointer.as_deref(), &actual.as_str().into()),
    }
}

fn added(members: Option<&Members>, path: &str) -> (Stance, String) {
    let parent = path.rsplit_once('/').map_or("", |(parent, _)| parent);
    let (stance, what) = match places::find(members, parent) {
        _ if places::find(members, path).is_some() => (Allowed, "The document names the member."),
        Some(parent) if parent.is_closed => {
            (NotAllowed, "The document allows no other members here.")
        }
        Some(_) => (Allowed, "The document allows further members here."),
        None => (Silent, "The document does not describe the object."),
    };
    (stance, what.to_owned())
}

fn value(subject: Subject<'_>, at: &str, path: &str) -> (Stance, String) {
    // A form has no single value: `*` stands for each index.
    let json = subject.json.and_then(|json| json.pointer(at));
    let member = places::find(subject.members, path);
    match (member, json) {
        (Some(member), Some(value)) => valid(Some(&member.schema), value),
        (Some(_), None) => (NotAllowed, "The document has another type here.".to_owned()),
        (None, _) => (Silent, "The document does not name the member.".to_owned()),
    }
}

fn valid(schema: Option<&str>, value: &Value) -> (Stance, String) {
    let validator = schema.and_then(|at| DOCUMENT.validator(at, Direction::Response).ok());
    let Some(validator) = validator else {
        return (Silent, "The document has no schema here.".to_owned());
    };
    match validator.validate(value).first() {
        None => (Allowed, "The value keeps the document's schema.".to_owned()),
        Some(violation) => (NotAllowed, format!("The value {}.", violation.message)),
    }
}
