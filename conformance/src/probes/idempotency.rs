//! Idempotent requests (X9): what an `idempotency-key` repeats, and what it does not.

use std::collections::HashMap;

use hyper::header::{CONTENT_TYPE, HeaderValue};
use openapi_document::Idempotency;
use serde_json::{Value, json};

use super::{
    SUBJECTS,
    bodies::bare,
    fields::body_with,
    probe::{Behaviour, Probe, edits_every, exchanges},
    recipes::Effect,
    stage::Stage,
    subject::{Subject, passes_the_form, with_key, with_unknown_parameter},
};
use crate::{
    case::{
        CaseContext, CaseOutcome, CaseResult,
        errors::{IDEMPOTENCY_IN_PROGRESS, IDEMPOTENCY_KEY_REUSED, VALIDATION_FAILED},
    },
    exchange::{Request, Response},
    isolation::marker,
    target::Role,
};

const KEY: &str = "idempotency-key";
pub(super) const REPLAYED: &str = "idempotent-replayed";
const CONCURRENT: usize = 6;
/// How often requests are sent at once until one of them meets another.
const TRIES: usize = 12;

/// Members with a value that no body has; one of them makes another valid body.
const OTHERS: [(&str, &str); 4] = [
    ("name", "Another"),
    ("description", "Another"),
    ("note", "Another"),
    ("periodEnd", "2026-06-30T00:00:00.000Z"),
];

impl Subject {
    /// Returns true if a header makes its requests safe to repeat.
    pub(super) fn is_keyed(&self) -> bool {
        self.operation.idempotency == Idempotency::ByKey
    }
}

/// The own request with a key that no other request has.
pub(super) fn keyed(subject: &Subject, context: &CaseContext<'_>) -> CaseResult<Request> {
    Ok(subject.own(context).with(&context.all()?).header(KEY, &marker()))
}

pub(super) fn derive(subject: &'static Subject, probes: &mut Vec<Probe>) {
    if !subject.is_keyed() {
        return;
    }
    let forgets_key = || {
        subject.rewrites(|request| {
            request.headers.remove(KEY);
        })
    };
    let replayed = subject
        .case("idempotency.replayed", "X9", replayed)
        .says("{operation} answers a request with a known key as the first time, byte for byte.");
    let creates = subject.recipe.creates.is_some();
    let replayed = if creates { subject.creating(replayed) } else { subject.on_own(replayed) };
    let at_once = subject
        .case("idempotency.at-once", "X9", at_once)
        .says("{operation} does the work of concurrent requests with one key once.")
        .requests(90);
    let malformed = subject
        .case("idempotency.malformed", "X9", malformed)
        .says("A key of {operation} has 1 to 255 visible ASCII characters.")
        .requests(16);
    probes.extend([
        replayed.fault("{operation} does the work again for a known key.", forgets_key()),
        subject.on_own(at_once).fault(
            "{operation} does the work of each concurrent request with one key.",
            exchanges(move |request, upstream| {
                let key = subject.key_of(&request);
                Box::pin(upstream.send_concurrently(key, request, |request| {
                    request.headers.remove(KEY);
                }))
            }),
        ),
        subject.on_own(malformed).fault(
            "{operation} ignores a malformed idempotency-key.",
            subject.rewrites(|request| {
                if !request.headers.get(KEY).is_some_and(is_sound) {
                    request.headers.remove(KEY);
                }
            }),
        ),
    ]);
    repeated_responses(subject, probes);
}

/// Keys under which a response is not repeated.
fn repeated_responses(subject: &'static Subject, probes: &mut Vec<Probe>) {
    probes.extend([
        subject
            .on_own(
                subject
                    .case("idempotency.reused", "X9", reused)
                    .says("{operation} rejects another body or path under a known key."),
            )
            .fault(
                "{operation} repeats the first response, whatever the request says.",
                subject.repeats(
                    |_| true,
                    |_, _, response| {
                        response.has_error(IDEMPOTENCY_KEY_REUSED.0, IDEMPOTENCY_KEY_REUSED.1)
                    },
                ),
            ),
        subject
            .on_own(
                subject.case("idempotency.apart", "X9", apart).says(
                    "A key of {operation} means nothing to other operations and organisations.",
                ),
            )
            .keys(vec![subject.own_role(), Role::OtherOrganization].leak())
            .fault(
                "{operation} repeats a response of another organisation.",
                subject.repeats(|_| true, |first, request, _| first.key != request.key),
            ),
        subject
            .on_own(
                subject
                    .case("idempotency.refused-before", "X9", refused_before)
                    .says("{operation} keeps no refusal that came before its work."),
            )
            .fault(
                "{operation} keeps and repeats a refusal of the form.",
                subject.repeats(Response::rejects_form, |_, _, response| !response.rejects_form()),
            ),
    ]);
}

/// The first request with each key, and its response.
#[derive(Default)]
struct Firsts(HashMap<String, (Request, Response)>);

fn is_sound(key: &HeaderValue) -> bool {
    (1..=255).contains(&key.len()) && key.as_bytes().iter().all(u8::is_ascii_graphic)
}

impl Subject {
    /// The `idempotency-key` of a request of the operation.
    fn key_of(&self, request: &Request) -> Option<String> {
        let key = request.headers.get(KEY).filter(|_| request.is(&self.operation.id))?;
        Some(String::from_utf8_lossy(key.as_bytes()).into_owned())
    }

    /// Keeps the first response with each key if `is_kept` holds of it, and repeats it where
    /// `is_repeated` holds of the first request, of a later one and of its own response.
    fn repeats(
        &'static self,
        is_kept: fn(&Response) -> bool,
        is_repeated: fn(&Request, &Request, &Response) -> bool,
    ) -> Behaviour {
        edits_every(move |request, response, upstream| {
            let Some(key) = self.key_of(request) else { return };
            let kept = upstream.remember(|Firsts(firsts)| {
                if is_kept(response) {
                    let own = || (request.clone(), response.clone());
                    firsts.entry(key.clone()).or_insert_with(own);
                }
                firsts.get(&key).cloned()
            });
            let kept = kept.filter(|(first, _)| is_repeated(first, request, response));
            if let Some((_, first)) = kept {
                response.take_content(first);
                response.headers.insert(REPLAYED, HeaderValue::from_static("true"));
            }
        })
    }
}

fn is_replayed(response: &Response) -> bool {
    response.header(REPLAYED) == Some("true")
}

/// Requires a response that is not a repeated one.
fn is_first(response: &Response) -> CaseResult {
    response.that(
        response.header(REPLAYED).is_none(),
        "A request with a key of its own was answered with an earlier response.",
        "a response of its own",
        &response.status_and_body(),
    )
}

/// Requires that a response repeats another one.
fn repeats(response: &Response, first: &Response) -> CaseResult {
    response.that(
        is_replayed(response) && response.status == first.status && response.body == first.body,
        "A repeated request did not get the first response again.",
        &format!("{REPLAYED}: true\n{}", first.status_and_body()),
        &format!("{}\n{}", response.header(REPLAYED).unwrap_or("none"), response.status_and_body()),
    )
}

/// The first response to a request with a key, which has reached its work.
async fn first(context: &mut CaseContext<'_>, request: &Request) -> CaseResult<Response> {
    let response = context.send(request.clone()).await?;
    is_first(&response)?;
    response.that(
        Stage::reached(&response) >= Some(Stage::Resource),
        "The valid request was refused.",
        "a response of its work",
        &response.status_and_body(),
    )?;
    Ok(response)
}

/// Replaces the body of a request.
fn with_body(request: &Request, body: &Value) -> Request {
    let mut bare = Request { body: None, ..request.clone() };
    bare.headers.remove(CONTENT_TYPE);
    bare.json(body)
}

async fn replayed(subject: &Subject, context: &mut CaseContext<'_>) -> CaseResult {
    let mut request = keyed(subject, context)?;
    if let Some(body) = subject.created_body(context) {
        request = with_body(&request, &body);
    }
    let original = first(context, &request).await?;
    for _ in 0..2 {
        repeats(&context.send(request.clone()).await?, &original)?;
    }
    // Another key is another request.
    first(context, &keyed(subject, context)?).await.map(drop)
}

async fn reused(subject: &Subject, context: &mut CaseContext<'_>) -> CaseResult {
    let request = keyed(subject, context)?;
    let original = first(context, &request).await?;
    let has = |name: &str| subject.members().any(|(known, _)| known == name);
    let other = OTHERS.iter().find(|(name, _)| has(name));
    let mut others = Vec::new();
    if let Some((name, value)) = other {
        let body = body_with(subject, context, name, Some(&json!(value)));
        others.push(with_body(&request, &body));
    }
    if subject.has_id() {
        others.push(Request { target: subject.unknown(context).target, ..request.clone() });
    }
    if others.is_empty() {
        return Err(CaseOutcome::missing("another valid body or path"));
    }
    for other in others {
        let response = context.send(other).await?;
        context.is_error(&response, IDEMPOTENCY_KEY_REUSED)?;
        is_first(&response)?;
        context.snapshot(&response);
    }
    repeats(&context.send(request).await?, &original)
}

async fn apart(subject: &Subject, context: &mut CaseContext<'_>) -> CaseResult {
    let request = keyed(subject, context)?;
    first(context, &request).await?;
    let theirs = request.clone().with(&context.key(Role::OtherOrganization)?);
    is_first(&context.send(theirs).await?)?;
    let is_other = |other: &&Subject| {
        other.recipe.effect == Effect::Nothing
            && other.is_keyed()
            && other.operation.id != subject.operation.id
            && other.is_in_profile(context)
    };
    let other = SUBJECTS.iter().find(is_other);
    let other = other.ok_or_else(|| CaseOutcome::missing("another idempotent operation"))?;
    let mut other = other.own(context).with(&context.all()?);
    if let Some(key) = request.headers.get(KEY).cloned() {
        other.headers.insert(KEY, key);
    }
    first(context, &other).await.map(drop)
}

async fn refused_before(subject: &Subject, context: &mut CaseContext<'_>) -> CaseResult {
    let request = keyed(subject, context)?;
    context.expect(with_unknown_parameter(request.clone()), VALIDATION_FAILED).await?;
    // Others ignore a body.
    if subject.operation.body.is_some() {
        let broken = bare(&(request.clone(), context.all()?));
        let broken = Request { headers: request.headers.clone(), ..broken };
        is_first(&context.send(broken.body("application/json", "{")).await?)?;
    }
    first(context, &request).await.map(drop)
}

async fn malformed(subject: &Subject, context: &mut CaseContext<'_>) -> CaseResult {
    let control = subject.varied(context)?;
    let long = "~".repeat(256);
    for (key, code) in
        [("", "TOO_SHORT"), ("a b", "BAD_FORMAT"), ("ä", "BAD_FORMAT"), (&long, "TOO_LONG")]
    {
        let request = with_key(&control).header(KEY, key);
        let issue = format!("header /{KEY} {code}");
        subject.rejects_form(context, &control, request, &[&issue]).await?;
    }
    let longest = with_key(&control).header(KEY, &long[1..]);
    passes_the_form(&context.send(longest).await?, "A key of 255 characters")
}

async fn at_once(subject: &Subject, context: &mut CaseContext<'_>) -> CaseResult {
    for _ in 0..TRIES {
        let request = keyed(subject, context)?;
        let responses = context.send_all(vec![request.clone(); CONCURRENT]).await?;
        let (early, done): (Vec<_>, Vec<_>) =
            responses.into_iter().partition(|response| response.status == 409);
        for response in &early {
            context.is_error(response, IDEMPOTENCY_IN_PROGRESS)?;
        }
        early.first().inspect(|response| context.snapshot(response));
        let (again, firsts): (Vec<_>, Vec<_>) = done.into_iter().partition(is_replayed);
        let last = context.send(request).await?;
        last.same("Concurrent requests with one key were all done.", &1, &firsts.len())?;
        for response in again.iter().chain([&last]) {
            repeats(response, &firsts[0])?;
        }
        if !early.is_empty() {
            break;
        }
    }
    Ok(())
}
