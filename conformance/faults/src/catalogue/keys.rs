//! Faults of keys (§5, A1–A3): which are accepted, and how a refused one is answered.

use serde_json::json;

use crate::{
    fault::faults,
    message::{KEY, Request, Response},
    upstream::Upstream,
};

/// The names under which a client might send its key in a query.
const KEY_PARAMETERS: [&str; 5] = ["x-api-key", "api_key", "apiKey", "api-key", "key"];
/// The statuses of a request whose form is broken.
const FORM_ERRORS: [u16; 3] = [400, 413, 415];

faults! {
    "key-from-query" "§5.2" rewrite(key_from_query)
        "The key is also taken from a query parameter such as `x-api-key`.";
    "missing-key-403" "§5.4" edit(missing_key_403)
        "A request without a key is answered 403.";
    "unknown-key-404" "§5.4" exchange(unknown_key_404)
        "A key that was never valid is answered 404.";
    "revoked-key-lives" "§5.4" exchange(revoked_key_lives) .needs("all")
        "A key stays accepted after it was revoked.";
    "expired-key-accepted" "§5.4" exchange(expired_key_accepted) .needs("all", "expired")
        "A key is accepted after it has expired.";
    "last-character-ignored" "§5.4" exchange(last_character_ignored)
        "The last character of a key is not compared.";
    "repeated-key-accepted" "A3" rewrite(repeated_key_accepted)
        "Of two headers `x-api-key` the first one counts.";
    "key-in-details" "§5.1" edit(key_in_details)
        "The details of a 401 repeat the key.";
    "form-before-key" "A.order" exchange(form_before_key) .needs("all")
        "A broken request without a valid key is answered for its form.";
    "form-before-scope" "A.order" exchange(form_before_scope) .needs("all")
        "The form is looked at before the scope.";
    "scheme-taken-off" "§5.4" rewrite(scheme_taken_off)
        "A key behind `Bearer ` is taken for the key.";
    "other-environment-let-in" "A1" exchange(other_environment_let_in)
        "The prefix of a key, and with it its environment, is not compared.";
}

fn missing_key_403(request: &Request, response: &mut Response) {
    if response.is(401) && !request.headers.contains_key(KEY) {
        response.set_code(403, "INSUFFICIENT_SCOPE");
    }
}

fn repeated_key_accepted(request: &mut Request) {
    if let Some(first) = request.headers.get(KEY).cloned() {
        request.headers.insert(KEY, first);
    }
}

fn key_in_details(request: &Request, response: &mut Response) {
    let key = request.headers.get(KEY).and_then(|key| key.to_str().ok());
    if let Some(key) = key.filter(|_| response.is(401)) {
        response.edit_json(|body| body["error"]["details"] = json!({ "key": key }));
    }
}

fn scheme_taken_off(request: &mut Request) {
    let key = request.key().and_then(|key| key.strip_prefix("Bearer ")).map(str::to_owned);
    if let Some(key) = key {
        request.set_header(KEY, &key);
    }
}

fn key_from_query(request: &mut Request) {
    if request.operation().is_none() {
        return;
    }
    let parameters = request.parameters();
    let is_key = |name: &str| KEY_PARAMETERS.contains(&name);
    request.retain_parameters(|name, _| !is_key(name));
    let key = parameters.iter().find(|(name, _)| is_key(name));
    if let Some((_, key)) = key.filter(|_| !request.headers.contains_key(KEY)) {
        request.set_header(KEY, key);
    }
}

async fn unknown_key_404(request: Request, upstream: &Upstream) -> Response {
    let mut response = upstream.send(&request).await;
    let is_unknown = request.key().is_some_and(|key| !upstream.knows(key));
    if response.is(401) && is_unknown {
        response.set_code(404, "NOT_FOUND");
    }
    response
}

async fn revoked_key_lives(request: Request, upstream: &Upstream) -> Response {
    let response = upstream.send(&request).await;
    if response.is(401) && request.key().is_some_and(|key| upstream.has_worked(key)) {
        return upstream.send(&upstream.in_role("all", &request)).await;
    }
    response
}

async fn expired_key_accepted(request: Request, upstream: &Upstream) -> Response {
    let is_expired = request.key().is_some() && request.key() == upstream.keys().get("expired");
    let request = if is_expired { upstream.in_role("all", &request) } else { request };
    upstream.send(&request).await
}

async fn last_character_ignored(request: Request, upstream: &Upstream) -> Response {
    let known = upstream.known_keys();
    let meant = request.key().and_then(|key| {
        let (end, _) = key.char_indices().last()?;
        known.iter().find(|known| known.len() == key.len() && known.starts_with(&key[..end]))
    });
    let request = meant.map_or_else(|| request.clone(), |key| request.with_key(key));
    upstream.send(&request).await
}

async fn other_environment_let_in(request: Request, upstream: &Upstream) -> Response {
    let secret = |key: &str| key.rsplit_once('_').map(|(_, secret)| secret.to_owned());
    let sent = request.key().and_then(secret);
    let known = upstream.known_keys();
    let meant = known.iter().find(|known| sent.is_some() && secret(known) == sent);
    let request = meant.map_or_else(|| request.clone(), |key| request.with_key(key));
    upstream.send(&request).await
}

async fn form_before_key(request: Request, upstream: &Upstream) -> Response {
    form_before(401, request, upstream).await
}

async fn form_before_scope(request: Request, upstream: &Upstream) -> Response {
    form_before(403, request, upstream).await
}

/// Answers a request that is refused with this status for its form, where that is broken.
async fn form_before(status: u16, request: Request, upstream: &Upstream) -> Response {
    let mut response = upstream.send(&request).await;
    if response.is(status) && request.operation().is_some() {
        // The form is judged before the id is looked up, and nothing happens to an id that does not
        // exist.
        let judged =
            if request.method == hyper::Method::GET { request } else { request.for_no_id() };
        let judged = upstream.send(&upstream.in_role("all", &judged)).await;
        let status = judged.status.as_u16();
        if FORM_ERRORS.contains(&status) || judged.is_error(422, "VALIDATION_FAILED") {
            response.take_content(judged);
        }
    }
    response
}
