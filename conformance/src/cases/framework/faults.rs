//! Faults of paths, methods, bodies and headers (R3–R5, R11–R13, §4, §9).

use bytes::Bytes;

use crate::proxy::prelude::*;

/// A body with a key twice is accepted, and the last one counts.
#[fault("R4")]
fn duplicate_key_accepted(request: &mut Request) {
    if let Some(body) = request.read_json() {
        request.set_json(&body);
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
