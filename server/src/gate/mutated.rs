//! The gate's faults that neither a key nor a meter can have by itself: a request that is read in another way, scopes that
//! are enough as well, an answer that leaves in another shape.
//!
//! It refuses to touch what the active mutant does not break.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::{Instant, SystemTime, UNIX_EPOCH},
};

use bytes::Bytes;
use poem::{
    IntoResponse, Request, Response,
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header},
};
use serde_json::{Value, json};

use super::{
    admission::{
        Admission, AdmissionError, AdmissionRequest, Admit, Admitted, Charge, Outcome, Verdict,
    },
    caller::OrganizationId,
    headers::{CREDIT_LIMIT, CREDITS_REMAINING, RATE_LIMIT, RATE_REMAINING, RETRY_AFTER},
};
use crate::{
    contract::{Found, Operation, Problem},
    mutants::{Mutant, is, lists::MeantRows, requests, scopes, shapes},
};

const KEY_HEADER: &str = "x-api-key";
const SECONDS_PER_MINUTE: u64 = 60;

/// What the answer's faults must know of the request.
pub(super) struct Sent {
    key: Option<HeaderValue>,
    /// Whether U+0000 stands in the path.
    has_nul: bool,
    /// Whether the header `accept` takes JSON.
    accepts_json: bool,
}

/// When a request came.
#[derive(Clone, Copy)]
pub(super) struct Begun(Instant);

/// The last credit that an organisation was charged, and when the gate knew.
static LAST_CHARGES: Mutex<Option<HashMap<OrganizationId, (Instant, Charge)>>> = Mutex::new(None);

/// Changes a request into what the active mutant reads in it.
pub(super) fn read(
    request: &mut Request,
    body: Result<Bytes, Problem>,
) -> (Sent, Result<Bytes, Problem>) {
    request.extensions_mut().insert(Begun(Instant::now()));
    if is(Mutant::HeadAnswered) && request.method() == Method::HEAD {
        request.set_method(Method::GET);
    }
    if is(Mutant::TrailingSlashAccepted)
        && let Some(path) = request.uri().path().strip_suffix('/')
    {
        let query = request.uri().query().unwrap_or_default();
        *request.uri_mut() = address(path, query);
    }
    let found = Operation::find(request.method(), request.uri().path());
    let sent = Sent {
        key: request.headers().get(KEY_HEADER).cloned(),
        has_nul: request.uri().path().contains("%00"),
        accepts_json: accepts_json(request.headers()),
    };
    let Found::Operation { operation, .. } = found else {
        return (sent, body);
    };
    read_query(operation, request);
    let key = sent.key.as_ref().and_then(|key| key.to_str().ok());
    if is(Mutant::SchemeTakenOff)
        && let Some(key) = key.and_then(|key| key.strip_prefix("Bearer "))
        && let Ok(key) = HeaderValue::from_str(key)
    {
        request.headers_mut().insert(KEY_HEADER, key);
    }
    let is_patch = operation == Operation::UpdatePartner;
    if is(Mutant::ContentTypeIgnored) && is_patch {
        let json = HeaderValue::from_static("application/json");
        request.headers_mut().insert(header::CONTENT_TYPE, json);
    }
    let body = body.map(|bytes| match requests::patch_body(&bytes) {
        Some(read) if is_patch => read.into(),
        _ => bytes,
    });
    (sent, body)
}

fn accepts_json(headers: &HeaderMap) -> bool {
    let accept = headers
        .get(header::ACCEPT)
        .and_then(|accept| accept.to_str().ok());
    accept.is_none_or(|accept| accept.contains("*/*") || accept.contains("json"))
}

fn read_query(operation: Operation, request: &mut Request) {
    let came = request.uri().query().unwrap_or_default().to_owned();
    let query = requests::query(operation, &came);
    if let Some(rows) = query.rows {
        request.extensions_mut().insert(MeantRows(rows));
    }
    let key = query
        .key
        .and_then(|key| HeaderValue::from_str(&key).ok())
        .filter(|_| !request.headers().contains_key(KEY_HEADER));
    if let Some(key) = key {
        request.headers_mut().insert(KEY_HEADER, key);
    }
    if query.text == came {
        return;
    }
    *request.uri_mut() = address(request.uri().path(), &query.text);
}

fn address(path: &str, query: &str) -> Uri {
    let text = match query {
        "" => path.to_owned(),
        query => format!("{path}?{query}"),
    };
    text.parse().expect("parts of an address are an address")
}

/// What is asked of admission.
pub(super) fn asked(operation: Operation, asked: AdmissionRequest) -> AdmissionRequest {
    AdmissionRequest {
        scope: scopes::demanded(operation, asked.scope),
        ..asked
    }
}

/// What admission says, where it has said this; a key that lacks the scope is asked for those that are enough as well.
pub(super) async fn admitted(
    admission: &impl Admit,
    operation: Operation,
    asked: AdmissionRequest,
    mut said: Result<Admitted, AdmissionError>,
) -> Result<Admitted, AdmissionError> {
    for scope in scopes::beside(operation) {
        let lacks_scope = |verdict: &Verdict| match verdict {
            Verdict::ValidKey(admission) => admission.outcome == Outcome::InsufficientScope,
            _ => false,
        };
        if said.as_ref().is_ok_and(|said| lacks_scope(&said.verdict)) {
            let asked = AdmissionRequest {
                scope: *scope,
                ..asked
            };
            said = admission.admit(asked).await;
        }
    }
    said
}

/// Who came before the last credit was gone still gets it, as where a credit is read first and taken later.
pub(super) fn overspent(mut admission: Admission, begun: Option<Begun>) -> Admission {
    if !is(Mutant::CreditsOverspent) {
        return admission;
    }
    let mut last = LAST_CHARGES.lock().unwrap_or_else(PoisonError::into_inner);
    let last = last.get_or_insert_default();
    match admission.outcome {
        Outcome::Admitted(charge) => {
            last.insert(admission.organization.clone(), (Instant::now(), charge));
        }
        Outcome::CreditsExhausted => {
            let shared = last.get(&admission.organization);
            if let (Some(Begun(begun)), Some((gone, charge))) = (begun, shared)
                && begun < *gone
            {
                admission.outcome = Outcome::Admitted(*charge);
            }
        }
        _ => {}
    }
    admission
}

/// What is done with a charge after the answer has told of it.
pub(super) async fn settled(
    admission: &impl Admit,
    operation: Operation,
    admitted: &Admission,
    charge: Charge,
) {
    if is(Mutant::StatementGivenBack) && operation == Operation::GenerateStatement {
        let given_back = admission.refund(&admitted.organization, charge).await;
        given_back.expect("a credit that was taken can be given back");
    }
}

/// Changes an answer into what the active mutant makes of it.
pub(super) async fn rewrite(response: &mut Response, sent: Sent) {
    if is(Mutant::NulInIdBreaks) && sent.has_nul {
        let mut broken = Problem::internal().into_response();
        response.set_status(broken.status());
        response.set_body(broken.take_body());
    }
    if is(Mutant::NarrowAcceptRefused) && !sent.accepts_json {
        response.set_status(StatusCode::NOT_ACCEPTABLE);
    }
    let status = response.status();
    rewrite_headers(status, response.headers_mut());
    let operation = response.extensions().get::<Operation>().copied();
    let bytes = response.take_body().into_bytes().await;
    let bytes = bytes.expect("answers of the API are in memory");
    let Ok(came) = serde_json::from_slice::<Value>(&bytes) else {
        response.set_body(bytes);
        return;
    };
    let mut body = came.clone();
    shapes::rewrite(operation, &mut body);
    if is(Mutant::KeyInDetails)
        && status == StatusCode::UNAUTHORIZED
        && let Some(key) = sent.key.as_ref().and_then(|key| key.to_str().ok())
    {
        body["error"]["details"] = json!({ "key": key });
    }
    let is_plain = is(Mutant::PlainText404) && operation.is_some()
        || is(Mutant::PlainTextUnknownPath) && operation.is_none();
    if is_plain && status == StatusCode::NOT_FOUND {
        let plain = HeaderValue::from_static("text/plain; charset=utf-8");
        response.headers_mut().insert(header::CONTENT_TYPE, plain);
        response.set_body("not found");
    } else if body == came {
        response.set_body(bytes);
    } else {
        response.set_body(body.to_string());
    }
}

fn rewrite_headers(status: StatusCode, headers: &mut HeaderMap) {
    if is(Mutant::RateHeadersMissingOnErrors) && !status.is_success() {
        headers.remove(RATE_LIMIT);
        headers.remove(RATE_REMAINING);
    }
    if let Some(limit) = number(headers, &RATE_LIMIT) {
        if is(Mutant::RateRemainingAboveLimit) {
            headers.insert(RATE_REMAINING, (limit + 1).into());
        }
        if is(Mutant::RateRemainingFrozen) {
            headers.insert(RATE_REMAINING, (limit - 1).into());
        }
    }
    if is(Mutant::RetryAfterOn429) && status == StatusCode::TOO_MANY_REQUESTS {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let second = now.map_or(0, |since| since.as_secs()) % SECONDS_PER_MINUTE;
        headers.insert(RETRY_AFTER, (SECONDS_PER_MINUTE - second).into());
    }
    if is(Mutant::NoRetryAfterOn402) {
        headers.remove(RETRY_AFTER);
    }
    if is(Mutant::RetryAfterInMinutes)
        && let Some(seconds) = number(headers, &RETRY_AFTER)
    {
        headers.insert(RETRY_AFTER, seconds.div_ceil(SECONDS_PER_MINUTE).into());
    }
    rewrite_credits(status, headers);
}

fn rewrite_credits(status: StatusCode, headers: &mut HeaderMap) {
    let remaining = number(headers, &CREDITS_REMAINING);
    let is_exhausted = status == StatusCode::PAYMENT_REQUIRED;
    if is(Mutant::CreditsLeftOn402) && is_exhausted {
        headers.insert(CREDITS_REMAINING, 1.into());
    }
    if let Some(remaining) = remaining.filter(|_| !is_exhausted)
        && is(Mutant::CreditsBeforeRequest)
    {
        headers.insert(CREDITS_REMAINING, (remaining + 1).into());
    }
    if is(Mutant::CreditHeadersMissingOn404) && status == StatusCode::NOT_FOUND {
        headers.remove(CREDIT_LIMIT);
        headers.remove(CREDITS_REMAINING);
    }
    let is_made_up = is(Mutant::CreditHeadersOn401) && status == StatusCode::UNAUTHORIZED
        || is(Mutant::CreditHeadersOfUnlimited) && status.is_success() && remaining.is_none();
    if is_made_up {
        headers.insert(CREDIT_LIMIT, 10_000.into());
        headers.insert(CREDITS_REMAINING, 9_999.into());
    }
}

fn number(headers: &HeaderMap, name: &HeaderName) -> Option<u64> {
    headers.get(name)?.to_str().ok()?.parse().ok()
}
