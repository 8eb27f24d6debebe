//! Faults of keys and scopes (§5, A1–A3): which are accepted, and how a refused one is answered.

use serde_json::json;

use crate::{
    fault::{Fault, fault},
    message::{KEY, Request, Response},
    upstream::Upstream,
};

pub(super) const FAULTS: &[Fault] = &[
    fault("missing-key-403", "§5.4").says("A request without a key is answered 403.").edit(
        &|request, response| {
            if response.is(401) && !request.headers.contains_key(KEY) {
                response.set_code(403, "INSUFFICIENT_SCOPE");
            }
        },
    ),
    fault("unknown-key-404", "§5.4").says("A key that was never valid is answered 404.").edit_with(
        &|request, response, upstream| {
            let is_known = |key| upstream.known_keys().iter().any(|known| known == key);
            if response.is(401) && request.key().is_some_and(|key| !is_known(key)) {
                response.set_code(404, "NOT_FOUND");
            }
        },
    ),
    fault("revoked-key-lives", "§5.4")
        .says("A key stays accepted after it was revoked.")
        .needs(&["all"])
        .exchange(&|request, upstream| Box::pin(revoked_key_lives(request, upstream))),
    fault("key-in-details", "§5.1").says("The details of a 401 repeat the key.").edit(
        &|request, response| {
            let key = request.headers.get(KEY).and_then(|key| key.to_str().ok());
            if let Some(key) = key.filter(|_| response.is(401)) {
                response.edit_json(|body| body["error"]["details"] = json!({ "key": key }));
            }
        },
    ),
    fault("other-environment-let-in", "A1")
        .says("The prefix of a key, and with it its environment, is not compared.")
        .exchange(&|request, upstream| Box::pin(other_environment_let_in(request, upstream))),
    fault("missing-scope-401", "§5.5").says("A valid key without the scope is answered 401.").edit(
        &|_, response| {
            if response.is(403) {
                response.set_code(401, "UNAUTHORIZED");
            }
        },
    ),
    fault("list-lines-needs-write", "§4.4")
        .says("Listing lines demands `commissions:write`.")
        .needs(&["commissions_read", "partners_read"])
        .exchange(&|request, upstream| Box::pin(list_lines_needs_write(request, upstream))),
];

async fn revoked_key_lives(request: Request, upstream: &Upstream) -> Response {
    let response = upstream.send(&request).await;
    if response.is(401) && request.key().is_some_and(|key| upstream.has_worked(key)) {
        return upstream.send(&upstream.in_role("all", &request)).await;
    }
    response
}

async fn other_environment_let_in(request: Request, upstream: &Upstream) -> Response {
    let secret = |key: &str| key.rsplit_once('_').map(|(_, secret)| secret.to_owned());
    let sent = request.key().and_then(secret);
    let known = upstream.known_keys();
    let meant = known.iter().find(|known| sent.is_some() && secret(known) == sent);
    let request = meant.map_or_else(|| request.clone(), |key| request.with_key(key));
    upstream.send(&request).await
}

async fn list_lines_needs_write(request: Request, upstream: &Upstream) -> Response {
    let reads_alone = request.key() == upstream.keys().get("commissions_read");
    let is_refused = request.is("listCommissionLines") && reads_alone;
    let role = if is_refused { "partners_read" } else { "commissions_read" };
    upstream.send(&if reads_alone { upstream.in_role(role, &request) } else { request }).await
}
