//! The checks of a request in their order (A.order): which one ended it, and a deployment that
//! makes two of them in the other order. A response that only a later check gives proves that the
//! earlier ones were passed.

use strum::{EnumIter, EnumMessage, IntoEnumIterator as _, IntoStaticStr};

use super::prelude::*;
use crate::document::{matches, without_two_segments, wrong_method};

/// The checks of a request, in the order in which they are made; a message is the reason for which
/// a request fails one.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, EnumIter, EnumMessage, IntoStaticStr,
)]
#[strum(serialize_all = "kebab-case")]
pub(super) enum Check {
    #[strum(message = "a wrong path or method")]
    Route,
    #[strum(message = "no valid key")]
    Key,
    #[strum(message = "a used-up minute")]
    Minute,
    #[strum(message = "a key without the scope")]
    Scope,
    #[strum(message = "a body of another media type")]
    MediaType,
    #[strum(message = "a body that is too large")]
    Size,
    /// 400: the version is unknown, or something cannot be parsed.
    #[strum(message = "something that cannot be parsed")]
    Syntax,
    /// 422: a rule of the form is broken.
    #[strum(message = "a broken rule of the form")]
    Rule,
    #[strum(message = "no credits")]
    Credits,
    #[strum(message = "an unknown id")]
    Resource,
    /// References, and the state of the resource.
    #[strum(message = "a reference or a state that is refused")]
    State,
    Done,
}

use Check::{
    Credits, Done, Key, MediaType, Minute, Resource, Route, Rule, Scope, Size, State, Syntax,
};

impl Check {
    /// The check that gives this error to a request of an operation.
    pub(super) fn of((status, code): (u16, &str)) -> Option<Self> {
        Some(match status {
            200..=299 => Done,
            400 | 408 => Syntax,
            401 => Key,
            402 => Credits,
            403 => Scope,
            404 => Resource,
            405 => Route,
            409 => State,
            413 => Size,
            415 => MediaType,
            422 if code == VALIDATION_FAILED.1 => Rule,
            422 => State,
            429 => Minute,
            _ => return None,
        })
    }

    /// The check that ended a request.
    pub(super) fn reached(response: &Response) -> Option<Self> {
        Self::of((response.status.as_u16(), response.text("/error/code")))
    }

    /// Returns true if a later check than those of the form ended a request.
    pub(super) fn passed_the_form(response: &Response) -> bool {
        Self::reached(response).is_some_and(|check| check > Rule)
    }

    pub(super) fn name(self) -> &'static str {
        self.into()
    }

    fn is_of(self, operation: &Operation) -> bool {
        let documents = |status| operation.response(status).is_some();
        let is_of_state = |code| Self::of((422, code)) == Some(State);
        match self {
            Route | Key | Minute | Rule => true,
            Scope => operation.scope.is_some(),
            MediaType => documents(415),
            Size => documents(413),
            Syntax => documents(400),
            Credits => documents(402),
            Resource => operation.path.contains('{') && documents(404),
            // The code says nothing of references and state.
            State => {
                codes(operation).any(|code| is_of_state(code) && code != IDEMPOTENCY_KEY_REUSED.1)
            }
            Done => false,
        }
    }

    /// Returns true if this check is decided by the organisation or the scopes of a valid key. A
    /// target has one key for each of these, so a request fails one of them.
    const fn is_of_a_valid_key(self) -> bool {
        matches!(self, Minute | Scope | Credits)
    }

    fn ended(self, response: &Response) -> bool {
        let reached = Self::reached(response);
        reached == Some(self) || self == Route && reached == Some(Resource)
    }
}

fn codes(operation: &Operation) -> impl Iterator<Item = &str> {
    let refusals = operation.response(422).into_iter();
    refusals.flat_map(|response| response.error_codes.iter().map(String::as_str))
}

/// The pairs of checks that one request of an operation can fail, the earlier check first.
pub(super) fn pairs(operation: &Operation) -> Vec<[Check; 2]> {
    let checks: Vec<Check> = Check::iter().filter(|check| check.is_of(operation)).collect();
    // Only a reference is wrong whatever resource the path names.
    let has_references = codes(operation).any(|code| code == INVALID_REFERENCE.1);
    let is_possible = |pair: &[Check; 2]| {
        !pair.iter().all(|check| check.is_of_a_valid_key())
            && (*pair != [Resource, State] || has_references)
    };
    let later = |index: usize| checks[index + 1..].iter().copied();
    let pairs = checks.iter().enumerate();
    let pairs = pairs.flat_map(|(index, first)| later(index).map(|second| [*first, second]));
    pairs.filter(is_possible).collect()
}

impl Subject {
    /// Makes the later of two checks first: the proxy mends what the earlier one rejected, and
    /// shows what the later one says.
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
        State | Done => return None,
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

    #[test]
    fn pairs_follow_from_the_document() {
        let pairs_of = |id| {
            let mut operations = DOCUMENT.operations().iter();
            pairs(operations.find(|operation| operation.id == id).unwrap())
        };
        let list = pairs_of("listPartners");
        assert!(list.contains(&[Route, Key]) && list.contains(&[Rule, Credits]));
        let has = |check| list.iter().any(|pair| pair.contains(&check));
        assert!(!has(Resource) && !has(MediaType) && !has(State), "no id, body or reference");
        assert!(pairs_of("updatePartner").contains(&[Resource, State]), "a reference in the body");
        assert!(!pairs_of("detachCommissionLine").contains(&[Resource, State]));
    }
}
