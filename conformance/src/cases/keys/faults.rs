//! Faults of keys and scopes (§5, A1–A3): which are accepted, and how a refused one is answered.

use crate::proxy::prelude::*;

/// A key that was never valid is answered 404.
#[fault("§5.4")]
fn unknown_key_404(request: &Request, response: &mut Response, upstream: &Upstream) {
    let is_known = |key| upstream.known_keys().iter().any(|known| known.expose() == key);
    if response.has_status(401) && request.only_key().is_some_and(|key| !is_known(key)) {
        response.set_code(404, "NOT_FOUND");
    }
}

/// A key stays accepted after it was revoked.
#[fault("§5.4", needs(All))]
async fn revoked_key_lives(request: Request, upstream: &Upstream) -> Response {
    let response = upstream.send(&request).await;
    if response.has_status(401) && request.only_key().is_some_and(|key| upstream.has_worked(key)) {
        return upstream.send(&upstream.in_role(Role::All, &request)).await;
    }
    response
}

/// The prefix of a key, and with it its environment, is not compared.
#[fault("A1")]
async fn other_environment_let_in(request: Request, upstream: &Upstream) -> Response {
    let secret = |key: &str| key.rsplit_once('_').map(|(_, secret)| secret.to_owned());
    let sent = request.only_key().and_then(secret);
    let known = upstream.known_keys();
    let meant = known.iter().find(|known| sent.is_some() && secret(known.expose()) == sent);
    let request = meant.map_or_else(|| request.clone(), |key| request.clone().with(key));
    upstream.send(&request).await
}

/// Listing lines demands `commissions:write`.
#[fault("§4.4", needs(CommissionsRead, PartnersRead))]
async fn list_lines_needs_write(request: Request, upstream: &Upstream) -> Response {
    let reads_alone =
        request.only_key() == upstream.keys().get(Role::CommissionsRead).map(Secret::expose);
    let is_refused = request.is("listCommissionLines") && reads_alone;
    let role = if is_refused { Role::PartnersRead } else { Role::CommissionsRead };
    upstream.send(&if reads_alone { upstream.in_role(role, &request) } else { request }).await
}
