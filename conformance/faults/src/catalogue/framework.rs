//! Faults of paths, methods, bodies and headers (R3–R5, R11–R13, §4, §9).

use bytes::Bytes;
use hyper::{
    Method, StatusCode,
    header::{ACCEPT, ALLOW, CONTENT_TYPE, HeaderName, HeaderValue},
};
use serde_json::{Value, json};

use crate::{
    fault::faults,
    message::{RATE_LIMIT, RATE_REMAINING, Request, Response},
    upstream::Upstream,
};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const API_VERSION: HeaderName = HeaderName::from_static("api-version");
/// The largest body that is read (R4).
const BODY_LIMIT_BYTES: usize = 64 * 1_024;

faults! {
    "head-answered" "R5" exchange(head_answered)
        "HEAD is answered as GET is.";
    "allow-missing" "R5" edit(allow_missing)
        "A 405 lacks `Allow`.";
    "request-id-replaced" "R13" edit(request_id_replaced)
        "A well-formed `x-request-id` is replaced.";
    "request-id-missing-on-errors" "R13" edit(request_id_missing_on_errors)
        "Errors lack `x-request-id`.";
    "version-ignored" "R12" rewrite(version_ignored)
        "An unknown `api-version` is accepted.";
    "trailing-slash-accepted" "R5" rewrite(trailing_slash_accepted)
        "A path with a slash behind it is the path without.";
    "content-type-ignored" "R4" rewrite(content_type_ignored)
        "A body is read as JSON, whatever it is declared as.";
    "large-body-accepted" "R4" rewrite(large_body_accepted)
        "A body above 64 KiB is accepted.";
    "detach-body-refused" "R11" exchange(detach_body_refused)
        "A body where none is expected is answered 400.";
    "nul-breaks" "R3" edit(nul_breaks)
        "U+0000 in a body is answered 500.";
    "nul-in-id-breaks" "R3" edit(nul_in_id_breaks)
        "An id with U+0000 in it reaches the database, which has no such text: 500.";
    "broken-json-422" "R4" edit(broken_json_422)
        "A body that is no JSON is answered 422.";
    "duplicate-key-accepted" "R4" rewrite(duplicate_key_accepted)
        "Of a key that occurs twice in a body the last one counts.";
    "first-violation-only" "R4" edit(first_violation_only)
        "Of several violations only the first is reported.";
    "plain-text-404" "§4" edit(plain_text_404)
        "The 404 of a resource is text/plain.";
    "plain-text-unknown-path" "§4" edit(plain_text_unknown_path)
        "The 404 of an unknown path is text/plain.";
    "narrow-accept-refused" "E.codes" edit(narrow_accept_refused)
        "A request that accepts other media types than JSON alone is answered 406.";
    "rate-headers-missing-on-errors" "§8" edit(rate_headers_missing_on_errors)
        "Errors lack the rate headers.";
}

fn allow_missing(_: &Request, response: &mut Response) {
    response.headers.remove(ALLOW);
}

fn request_id_replaced(request: &Request, response: &mut Response) {
    let is_echoed = request.headers.get(REQUEST_ID) == response.headers.get(REQUEST_ID);
    if is_echoed && request.headers.contains_key(REQUEST_ID) {
        response.edit_header(REQUEST_ID, |id| id.chars().rev().chain("-1".chars()).collect());
    }
}

fn request_id_missing_on_errors(_: &Request, response: &mut Response) {
    if !response.status.is_success() {
        response.headers.remove(REQUEST_ID);
    }
}

fn version_ignored(request: &mut Request) {
    request.headers.remove(API_VERSION);
}

fn trailing_slash_accepted(request: &mut Request) {
    let (path, query) = (request.path().to_owned(), request.query().to_owned());
    if let Some(path) = path.strip_suffix('/') {
        request.target = if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") };
    }
}

fn content_type_ignored(request: &mut Request) {
    if request.is("updatePartner") {
        request.set_header(CONTENT_TYPE, "application/json");
    }
}

fn large_body_accepted(request: &mut Request) {
    if request.is("updatePartner") && request.body.len() > BODY_LIMIT_BYTES {
        request.set_json(&json!({}));
    }
}

fn nul_breaks(request: &Request, response: &mut Response) {
    let has_nul = request.body.windows(6).any(|text| text == br"\u0000");
    if has_nul && response.is_error(422, "VALIDATION_FAILED") {
        response.set_error(500, "INTERNAL_ERROR", "Something went wrong.", Value::Null);
    }
}

fn nul_in_id_breaks(request: &Request, response: &mut Response) {
    if request.path().contains("%00") {
        response.set_error(500, "INTERNAL_ERROR", "Something went wrong.", Value::Null);
    }
}

fn broken_json_422(_: &Request, response: &mut Response) {
    if response.is_error(400, "INVALID_JSON") {
        response.set_code(422, "VALIDATION_FAILED");
    }
}

fn duplicate_key_accepted(request: &mut Request) {
    if let Some(body) = request.json() {
        request.set_json(&body);
    }
}

fn first_violation_only(_: &Request, response: &mut Response) {
    if response.is_error(422, "VALIDATION_FAILED") {
        first_issue_alone(response);
    }
}

fn plain_text_404(request: &Request, response: &mut Response) {
    if response.is(404) && request.operation().is_some() {
        plain_text(response);
    }
}

fn plain_text_unknown_path(request: &Request, response: &mut Response) {
    if response.is(404) && request.operation().is_none() {
        plain_text(response);
    }
}

fn narrow_accept_refused(request: &Request, response: &mut Response) {
    let accept = request.headers.get(ACCEPT).and_then(|accept| accept.to_str().ok());
    let accepts_json = |accept: &str| accept.contains("*/*") || accept.contains("json");
    if !accept.is_none_or(accepts_json) && request.operation().is_some() {
        response.status = StatusCode::NOT_ACCEPTABLE;
    }
}

fn rate_headers_missing_on_errors(_: &Request, response: &mut Response) {
    if !response.status.is_success() {
        response.headers.remove(RATE_LIMIT);
        response.headers.remove(RATE_REMAINING);
    }
}

/// Keeps the first of the issues that a 422 lists.
pub(super) fn first_issue_alone(response: &mut Response) {
    response.edit_json(|body| {
        if let Some(Value::Array(issues)) = body.pointer_mut("/error/details/issues") {
            issues.truncate(1);
        }
    });
}

fn plain_text(response: &mut Response) {
    let plain = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers.insert(CONTENT_TYPE, plain);
    response.set_body("not found");
}

async fn head_answered(request: Request, upstream: &Upstream) -> Response {
    if request.method != Method::HEAD {
        return upstream.send(&request).await;
    }
    let mut response = upstream.send(&Request { method: Method::GET, ..request }).await;
    response.body = Bytes::new();
    response
}

async fn detach_body_refused(request: Request, upstream: &Upstream) -> Response {
    let takes_none = request.operation().is_some_and(|operation| operation.body.is_none());
    if !takes_none || request.body.is_empty() {
        return upstream.send(&request).await;
    }
    let mut refused = refused(&request, upstream).await;
    if refused.is(422) {
        let message = "This operation takes no body.";
        refused.set_error(400, "INVALID_JSON", message, Value::Null);
    }
    refused
}

/// The response to this request where its form is refused: 422, nothing done, with the headers of a
/// refused form.
pub(super) async fn refused(request: &Request, upstream: &Upstream) -> Response {
    upstream.send(&request.with_parameter("payout-faults", "refused")).await
}
