//! Faults of paths, methods, bodies and headers (R3–R5, R11–R13, §4, §9).

use bytes::Bytes;
use hyper::header::ACCEPT;

use crate::proxy::prelude::*;

/// A body with a key twice is accepted, and the last one counts.
#[fault("R4")]
fn duplicate_key_accepted(request: &mut Request) {
    if let Some(body) = request.read_json() {
        request.set_json(&body);
    }
}

/// The 404 of a resource is text/plain.
#[fault("§4")]
fn plain_text_404(request: &Request, response: &mut Response) {
    if request.operation().is_some() {
        plain_text(response);
    }
}

/// The 404 of an unknown path is text/plain.
#[fault("§4")]
fn plain_text_unknown_path(request: &Request, response: &mut Response) {
    if request.operation().is_none() {
        plain_text(response);
    }
}

/// A request that accepts other media types than JSON alone is answered 406.
#[fault("E.codes")]
fn narrow_accept_refused(request: &Request, response: &mut Response) {
    let accept = request.headers.get(ACCEPT).and_then(|accept| accept.to_str().ok());
    let accepts_json = |accept: &str| accept.contains("*/*") || accept.contains("json");
    if !accept.is_none_or(accepts_json) && request.operation().is_some() {
        response.status = StatusCode::NOT_ACCEPTABLE;
    }
}

fn plain_text(response: &mut Response) {
    if response.has_status(404) {
        let plain = HeaderValue::from_static("text/plain; charset=utf-8");
        response.headers.insert(CONTENT_TYPE, plain);
        response.set_body("not found");
    }
}

/// HEAD is answered as GET is.
#[fault("R5")]
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
