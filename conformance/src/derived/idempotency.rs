//! Faults of idempotent requests (X9): what is repeated, and what is kept.

use std::collections::HashMap;

use hyper::header::{HeaderName, HeaderValue};
use openapi_document::{Idempotency, Operation};

use super::maker::Maker;
use crate::exchange::{Request, Response};

const KEY: HeaderName = HeaderName::from_static("idempotency-key");
const REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

/// A fault that repeats the first response with a key: its name and sentence, which responses it
/// keeps, and whether it repeats the one of a request in place of the response to another one.
type Repeating =
    (&'static str, &'static str, fn(&Response) -> bool, fn(&Request, &Request, &Response) -> bool);

const REPEATING: [Repeating; 3] = [
    (
        "idempotency.reused",
        "{operation} repeats the first response, whatever the request says.",
        |_| true,
        |_, _, response| response.has_error(422, "IDEMPOTENCY_KEY_REUSED"),
    ),
    (
        "idempotency.apart",
        "{operation} repeats a response of another organisation.",
        |_| true,
        |first, request, _| first.key != request.key,
    ),
    (
        "idempotency.refused-before",
        "{operation} keeps and repeats a refusal of the form.",
        is_refused,
        |_, _, response| !is_refused(response),
    ),
];

/// The first request with each key, and its response.
#[derive(Default)]
struct Firsts(HashMap<String, (Request, Response)>);

/// Whether the form of a request was rejected.
pub(super) fn is_refused(response: &Response) -> bool {
    response.has_status(400) || response.has_error(422, "VALIDATION_FAILED")
}

/// The `idempotency-key` of an operation's request.
fn key_of(request: &Request, operation: &str) -> Option<String> {
    let key = request.headers.get(KEY).filter(|_| request.is(operation))?;
    Some(String::from_utf8_lossy(key.as_bytes()).into_owned())
}

pub(super) fn derive(maker: &mut Maker, operation: &'static Operation) {
    if operation.idempotency != Idempotency::ByKey {
        return;
    }
    let id = operation.id.as_str();
    let sentence = "{operation} does the work again for a known key.";
    maker.rewrite("idempotency.replayed", sentence, |request| {
        request.headers.remove(KEY);
    });
    let sentence = "{operation} ignores a malformed idempotency-key.";
    maker.rewrite("idempotency.malformed", sentence, |request| {
        let is_sound = |key: &HeaderValue| {
            (1..=255).contains(&key.len()) && key.as_bytes().iter().all(u8::is_ascii_graphic)
        };
        if !request.headers.get(KEY).is_some_and(is_sound) {
            request.headers.remove(KEY);
        }
    });
    let sentence = "{operation} does the work of each concurrent request with one key.";
    maker.exchange_all("idempotency.at-once", sentence, &[], move |request, upstream| {
        let key = key_of(&request, id);
        Box::pin(upstream.send_concurrently(key, request, |request| {
            request.headers.remove(KEY);
        }))
    });
    for (name, sentence, is_kept, is_repeated) in REPEATING {
        maker.edit_all(name, sentence, &[], move |request, response, upstream| {
            let Some(key) = key_of(request, id) else { return };
            let kept = upstream.remember(|Firsts(firsts)| {
                if is_kept(response) {
                    let own = || (request.clone(), response.clone());
                    firsts.entry(key.clone()).or_insert_with(own);
                }
                firsts.get(&key).cloned()
            });
            if let Some((_, first)) =
                kept.filter(|(first, _)| is_repeated(first, request, response))
            {
                response.take_content(first);
                response.headers.insert(REPLAYED, HeaderValue::from_static("true"));
            }
        });
    }
    let sentence = "A replay of {operation} costs two credits and does not say so.";
    maker.edit_all("cost.replay", sentence, &[], move |request, response, upstream| {
        let is_replay = request.is(id) && response.headers.contains_key(REPLAYED);
        upstream.charge(request, response, is_replay.into());
    });
}
