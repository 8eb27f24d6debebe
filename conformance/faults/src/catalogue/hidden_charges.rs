//! Faults of rejections that cost a credit and do not say so (A7): only a later response shows it.

use crate::{
    fault::faults,
    message::{Request, Response},
    upstream::Upstream,
};

faults! {
    "bad-request-charged-silently" "A7" exchange(bad_request)
        "A 400 costs a credit, which only the next response shows.";
    "forbidden-charged-silently" "A7" exchange(forbidden)
        "A 403 costs a credit, which only the next response shows.";
    "invalid-form-charged-silently" "A7" exchange(invalid_form)
        "A 422 of the form costs a credit, which only the next response shows.";
}

async fn bad_request(request: Request, upstream: &Upstream) -> Response {
    charged(&request, upstream, |response| response.is(400)).await
}

async fn forbidden(request: Request, upstream: &Upstream) -> Response {
    charged(&request, upstream, |response| response.is(403)).await
}

async fn invalid_form(request: Request, upstream: &Upstream) -> Response {
    charged(&request, upstream, |response| response.is_error(422, "VALIDATION_FAILED")).await
}

/// Sends the request, and after such a response a metered one of the same organisation.
async fn charged(
    request: &Request,
    upstream: &Upstream,
    costs: impl FnOnce(&Response) -> bool,
) -> Response {
    let response = upstream.send(request).await;
    if request.key().is_some() && costs(&response) {
        let metered = request.get("/api/v1/partners?limit=1");
        upstream.send(&upstream.with_all_scopes(&metered)).await;
    }
    response
}
