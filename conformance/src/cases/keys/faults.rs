//! Faults of keys and scopes (§5, A1–A3): which are accepted, and how a refused one is answered.

use serde_json::json;

use crate::{
    exchange::{Key, Request, Response},
    proxy::{
        fault::{Fault, fault},
        upstream::Upstream,
    },
    secret::Secret,
    target::Role,
};

pub(in crate::cases) const FAULTS: &[Fault] = &[
    fault("missing-key-403", "§5.4").says("A request without a key is answered 403.").edit(
        &|request, response| {
            if response.has_status(401) && request.key == Key::None {
                response.set_code(403, "INSUFFICIENT_SCOPE");
            }
        },
    ),
    fault("unknown-key-404", "§5.4").says("A key that was never valid is answered 404.").edit_with(
        &|request, response, upstream| {
            let is_known = |key| upstream.known_keys().iter().any(|known| known.expose() == key);
            if response.has_status(401) && request.only_key().is_some_and(|key| !is_known(key)) {
                response.set_code(404, "NOT_FOUND");
            }
        },
    ),
    fault("revoked-key-lives", "§5.4")
        .says("A key stays accepted after it was revoked.")
        .needs(&[Role::All])
        .exchange(&|request, upstream| Box::pin(revoked_key_lives(request, upstream))),
    fault("key-in-details", "§5.1").says("The details of a 401 repeat the key.").edit(
        &|request, response| {
            let key = request.key.secrets().first().map(Secret::expose);
            if let Some(key) = key.filter(|_| response.has_status(401)) {
                response.edit_json(|body| body["error"]["details"] = json!({ "key": key }));
            }
        },
    ),
    fault("other-environment-let-in", "A1")
        .says("The prefix of a key, and with it its environment, is not compared.")
        .exchange(&|request, upstream| Box::pin(other_environment_let_in(request, upstream))),
    fault("missing-scope-401", "§5.5").says("A valid key without the scope is answered 401.").edit(
        &|_, response| {
            if response.has_status(403) {
                response.set_code(401, "UNAUTHORIZED");
            }
        },
    ),
    fault("list-lines-needs-write", "§4.4")
        .says("Listing lines demands `commissions:write`.")
        .needs(&[Role::CommissionsRead, Role::PartnersRead])
        .exchange(&|request, upstream| Box::pin(list_lines_needs_write(request, upstream))),
];

async fn revoked_key_lives(request: Request, upstream: &Upstream) -> Response {
    let response = upstream.send(&request).await;
    if response.has_status(401) && request.only_key().is_some_and(|key| upstream.has_worked(key)) {
        return upstream.send(&upstream.in_role(Role::All, &request)).await;
    }
    response
}

async fn other_environment_let_in(request: Request, upstream: &Upstream) -> Response {
    let secret = |key: &str| key.rsplit_once('_').map(|(_, secret)| secret.to_owned());
    let sent = request.only_key().and_then(secret);
    let known = upstream.known_keys();
    let meant = known.iter().find(|known| sent.is_some() && secret(known.expose()) == sent);
    let request = meant.map_or_else(|| request.clone(), |key| request.clone().with(key));
    upstream.send(&request).await
}

async fn list_lines_needs_write(request: Request, upstream: &Upstream) -> Response {
    let reads_alone =
        request.only_key() == upstream.keys().get(Role::CommissionsRead).map(Secret::expose);
    let is_refused = request.is("listCommissionLines") && reads_alone;
    let role = if is_refused { Role::PartnersRead } else { Role::CommissionsRead };
    upstream.send(&if reads_alone { upstream.in_role(role, &request) } else { request }).await
}
