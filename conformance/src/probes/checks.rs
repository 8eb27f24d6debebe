//! The checks of a request in their order (A.order), and a deployment that makes two of them in the
//! other order: the proxy mends what the earlier check rejected, and shows what the later one says.

use hyper::{
    Method,
    header::{CONTENT_TYPE, HeaderValue},
};
use openapi_document::Operation;

use super::{
    probe::{Behaviour, exchanges},
    subject::{CURSOR, Subject},
};
use crate::{
    document::{UNKNOWN_NAME, matches, without_two_segments, wrong_method},
    exchange::{Request, Response, headers::VERSION},
    proxy::upstream::Upstream,
    secret::Secret,
    target::Role,
};

const VALIDATION_FAILED: &str = "VALIDATION_FAILED";
const INVALID_REFERENCE: &str = "INVALID_REFERENCE";
/// Codes of a 422 that say nothing of references and state.
const OTHER_CODES: [&str; 2] = [VALIDATION_FAILED, "IDEMPOTENCY_KEY_REUSED"];

/// The checks of a request, in the order in which they are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Check {
    Route,
    Key,
    Minute,
    Scope,
    MediaType,
    Size,
    /// 400: the version is unknown, or something cannot be parsed.
    Syntax,
    /// 422: a rule of the form is broken.
    Rule,
    Credits,
    Resource,
    /// References, and the state of the resource.
    State,
}

use Check::*;

impl Check {
    const ALL: [Self; 11] =
        [Route, Key, Minute, Scope, MediaType, Size, Syntax, Rule, Credits, Resource, State];

    /// Its name in ids of cases and faults.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Route => "route",
            Key => "key",
            Minute => "minute",
            Scope => "scope",
            MediaType => "media-type",
            Size => "size",
            Syntax => "syntax",
            Rule => "rule",
            Credits => "credits",
            Resource => "resource",
            State => "state",
        }
    }

    /// The reason for which a request fails it, in words.
    pub(super) const fn failure(self) -> &'static str {
        match self {
            Route => "a wrong path or method",
            Key => "no valid key",
            Minute => "a used-up minute",
            Scope => "a key without the scope",
            MediaType => "a body of another media type",
            Size => "a body that is too large",
            Syntax => "something that cannot be parsed",
            Rule => "a broken rule of the form",
            Credits => "no credits",
            Resource => "an unknown id",
            State => "a reference or a state that is refused",
        }
    }

    fn is_of(self, operation: &Operation) -> bool {
        let documents = |status| operation.response(status).is_some();
        match self {
            Route | Key | Minute | Rule => true,
            Scope => operation.scope.is_some(),
            MediaType => documents(415),
            Size => documents(413),
            Syntax => documents(400),
            Credits => documents(402),
            Resource => operation.path.contains('{'),
            State => codes(operation).any(|code| !OTHER_CODES.contains(&code)),
        }
    }

    /// Returns true if this check is decided by the organisation or the scopes of a valid key. A
    /// target has one key for each of these, so a request fails one of them.
    const fn is_of_a_valid_key(self) -> bool {
        matches!(self, Minute | Scope | Credits)
    }

    fn ended(self, response: &Response) -> bool {
        let is_of_the_form = || response.has_error(422, VALIDATION_FAILED);
        match self {
            Route => response.has_status(404) || response.has_status(405),
            Key => response.has_status(401),
            Minute => response.has_status(429),
            Scope => response.has_status(403),
            MediaType => response.has_status(415),
            Size => response.has_status(413),
            Syntax => response.has_status(400),
            Rule => is_of_the_form(),
            Credits => response.has_status(402),
            Resource => response.has_status(404),
            State => response.has_status(422) && !is_of_the_form(),
        }
    }
}

fn codes(operation: &Operation) -> impl Iterator<Item = &str> {
    let refusals = operation.response(422).into_iter();
    refusals.flat_map(|response| response.error_codes.iter().map(String::as_str))
}

/// The pairs of checks that one request of an operation can fail, the earlier check first.
pub(super) fn pairs(operation: &Operation) -> impl Iterator<Item = [Check; 2]> {
    let checks = Check::ALL.into_iter().filter(|check| check.is_of(operation));
    let checks: Vec<Check> = checks.collect();
    // Only a reference is wrong whatever resource the path names.
    let has_references = codes(operation).any(|code| code == INVALID_REFERENCE);
    let is_possible = move |pair: &[Check; 2]| {
        !pair.iter().all(|check| check.is_of_a_valid_key())
            && (*pair != [Resource, State] || has_references)
    };
    let later = checks.clone();
    let pairs = checks.into_iter().flat_map(move |first| {
        let later: Vec<_> = later.iter().filter(|second| **second > first).copied().collect();
        later.into_iter().map(move |second| [first, second])
    });
    pairs.filter(is_possible)
}

impl Subject {
    /// Makes the later of two checks first.
    pub(super) fn swaps(&'static self, pair: [Check; 2]) -> Behaviour {
        let exchange = exchanges(move |request, upstream| {
            Box::pin(swapped(self.operation, pair, request, upstream))
        });
        exchange.needs(&[Role::All])
    }
}

/// The id of the last request that was refused for a reference or a state.
#[derive(Default)]
struct KnownId(Option<String>);

/// Answers as if the later check came first.
async fn swapped(
    operation: &'static Operation,
    [earlier, later]: [Check; 2],
    request: Request,
    upstream: &Upstream,
) -> Response {
    let response = upstream.send(&request).await;
    if request.is(&operation.id) && State.ended(&response) {
        upstream.remember(|KnownId(id)| *id = request.id().map(str::to_owned));
    }
    // The references of a body that is not JSON are unknown.
    let is_unknown = later == State && request.body.is_some() && request.read_json().is_none();
    let is_mended = earlier.ended(&response) && !is_unknown;
    let mended = is_mended.then(|| mended(operation, earlier, &request, upstream));
    if let Some(mended) = mended.flatten() {
        let other = upstream.send(&mended).await;
        if later.ended(&other) {
            return other;
        }
    }
    response
}

/// A request for the operation that passes this check; `None` if the request is for another one.
fn mended(
    operation: &'static Operation,
    check: Check,
    request: &Request,
    upstream: &Upstream,
) -> Option<Request> {
    if request.is(&operation.id) == (check == Route) {
        return None;
    }
    let mut mended = request.clone();
    match check {
        Route => mend_route(operation, &mut mended)?,
        Key => mend_key(&mut mended, upstream),
        Minute | Scope | Credits => mended = upstream.in_role(Role::All, request),
        MediaType => {
            mended.headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        }
        Size => mended.body = Some(mended.bytes().trim_ascii_end().to_vec().into()),
        Syntax => mend_syntax(operation, &mut mended),
        Rule => {
            mended.retain_parameters(|name, _| name != UNKNOWN_NAME);
            mended.edit_fields(|members| drop(members.shift_remove(UNKNOWN_NAME)));
        }
        Resource => {
            let known = upstream.remember(|KnownId(id)| id.clone())?;
            mended.target = request.target.replacen(request.id()?, &known, 1);
        }
        State => return None,
    }
    Some(mended)
}

fn mend_route(operation: &Operation, request: &mut Request) -> Option<()> {
    let path = request.path().to_owned();
    if matches(&operation.path, &path).is_some() {
        let is_wrong = Some(request.method.as_str()) == wrong_method(&operation.path);
        request.method = Method::from_bytes(operation.method.as_str().as_bytes()).ok()?;
        return is_wrong.then_some(());
    }
    let shorter = without_two_segments(&path)?;
    matches(&operation.path, &shorter)?;
    request.target = request.target.replacen(&path, &shorter, 1);
    Some(())
}

/// A key with a further character becomes the key without it, and any other one that of `all`.
fn mend_key(request: &mut Request, upstream: &Upstream) {
    let sent = request.only_key().unwrap_or_default();
    let is_meant = |known: &&Secret| known.expose() != sent && sent.starts_with(known.expose());
    let mut keys = upstream.keys().iter().map(|(_, key)| key);
    if let Some(valid) = keys.find(is_meant).or(upstream.keys().get(Role::All)) {
        request.set_key(valid);
    }
}

fn mend_syntax(operation: &Operation, request: &mut Request) {
    request.headers.remove(VERSION);
    request.retain_parameters(|name, _| name != CURSOR);
    let media = operation.body.as_ref().and_then(|body| body.content.first());
    let example = media.and_then(|media| media.examples.first());
    if let Some(example) = example.filter(|_| request.read_json().is_none()) {
        request.set_json(&example.value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::DOCUMENT;

    fn pairs_of(id: &str) -> Vec<[Check; 2]> {
        let mut operations = DOCUMENT.operations().iter();
        pairs(operations.find(|operation| operation.id == id).unwrap()).collect()
    }

    #[test]
    fn pairs_follow_from_the_document() {
        let list = pairs_of("listPartners");
        assert!(list.contains(&[Route, Key]) && list.contains(&[Rule, Credits]));
        let has = |check| list.iter().any(|pair| pair.contains(&check));
        assert!(!has(Resource) && !has(MediaType) && !has(State), "no id, body or reference");
        assert!(pairs_of("updatePartner").contains(&[Resource, State]), "a reference in the body");
        assert!(!pairs_of("detachCommissionLine").contains(&[Resource, State]));
        assert!(list.iter().all(|[earlier, later]| earlier < later));
    }
}
