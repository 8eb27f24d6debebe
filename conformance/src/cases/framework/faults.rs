//! Faults of paths, methods, bodies and headers (R3–R5, R11–R13, §4, §9).

use bytes::Bytes;
use hyper::{
    Method, StatusCode,
    header::{ACCEPT, ALLOW, CONTENT_TYPE, HeaderValue},
};

use crate::{
    exchange::{
        Request, Response,
        headers::{RATE_LIMIT, RATE_REMAINING, REQUEST_ID},
    },
    proxy::{
        fault::{Fault, fault},
        upstream::Upstream,
    },
};

pub(in crate::cases) const FAULTS: &[Fault] = &[
    fault("head-answered", "R5")
        .says("HEAD is answered as GET is.")
        .exchange(&|request, upstream| Box::pin(head_answered(request, upstream))),
    fault("allow-missing", "R5").says("A 405 lacks `Allow`.").edit(&|_, response| {
        response.headers.remove(ALLOW);
    }),
    fault("request-id-missing-on-errors", "R13").says("Errors lack `x-request-id`.").edit(
        &|_, response| {
            if !response.status.is_success() {
                response.headers.remove(REQUEST_ID);
            }
        },
    ),
    fault("broken-json-422", "R4").says("A body that is no JSON is answered 422.").edit(
        &|_, response| {
            if response.has_error(400, "INVALID_JSON") {
                response.set_code(422, "VALIDATION_FAILED");
            }
        },
    ),
    fault("duplicate-key-accepted", "R4")
        .says("Of a key that occurs twice in a body the last one counts.")
        .rewrite(&|request| {
            if let Some(body) = request.read_json() {
                request.set_json(&body);
            }
        }),
    fault("plain-text-404", "§4").says("The 404 of a resource is text/plain.").edit(
        &|request, response| {
            if response.has_status(404) && request.operation().is_some() {
                plain_text(response);
            }
        },
    ),
    fault("plain-text-unknown-path", "§4").says("The 404 of an unknown path is text/plain.").edit(
        &|request, response| {
            if response.has_status(404) && request.operation().is_none() {
                plain_text(response);
            }
        },
    ),
    fault("narrow-accept-refused", "E.codes")
        .says("A request that accepts other media types than JSON alone is answered 406.")
        .edit(&|request, response| {
            let accept = request.headers.get(ACCEPT).and_then(|accept| accept.to_str().ok());
            let accepts_json = |accept: &str| accept.contains("*/*") || accept.contains("json");
            if !accept.is_none_or(accepts_json) && request.operation().is_some() {
                response.status = StatusCode::NOT_ACCEPTABLE;
            }
        }),
    fault("rate-headers-missing-on-errors", "§8").says("Errors lack the rate headers.").edit(
        &|_, response| {
            if !response.status.is_success() {
                response.headers.remove(RATE_LIMIT);
                response.headers.remove(RATE_REMAINING);
            }
        },
    ),
];

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

/// The response to this request where its form is refused: 422, nothing done, with the headers of a
/// refused form.
pub(in crate::cases) async fn refused(request: &Request, upstream: &Upstream) -> Response {
    upstream.send(&request.with_parameter("payout-faults", "refused")).await
}
