//! Faults of keys and scopes: one that is refused is accepted here.

use payout_openapi::Operation;
use serde_json::Value;

use super::maker::{Maker, kebab};
use crate::{
    message::{KEY, Request},
    operations::DOCUMENT,
    upstream::Upstream,
};

const SCOPES: &str = "/components/securitySchemes/ApiKey/x-scopes";
const ALL: &str = "all";

pub(super) fn derive(maker: &mut Maker, operation: &'static Operation) {
    let id = &operation.id;
    maker.exchange(
        "key.missing",
        format!("{id} asks for no key."),
        vec![ALL.to_owned()],
        |request, upstream| {
            Box::pin(async move {
                let is_bare = !request.headers.contains_key(KEY);
                let request = if is_bare { upstream.in_role(ALL, &request) } else { request };
                upstream.send(&request).await
            })
        },
    );
    maker.exchange(
        "key.unknown",
        format!("{id} accepts any key."),
        vec![ALL.to_owned()],
        |request, upstream| {
            Box::pin(async move {
                let response = upstream.send(&request).await;
                let is_refused = response.is(401) && request.headers.contains_key(KEY);
                if is_refused { as_all(upstream, &request).await } else { response }
            })
        },
    );
    maker.rewrite("key.in-query", format!("{id} accepts a key in the query."), |request| {
        if let Some(key) = request.parameter("x-api-key") {
            request.set_header(KEY, &key);
            request.retain_parameters(|name, _| name != "x-api-key");
        }
    });
    maker.rewrite("key.repeated", format!("{id} takes the first of several keys."), |request| {
        if let Some(first) = request.headers.get(KEY).cloned() {
            request.headers.insert(KEY, first);
        }
    });
    for ended in ["expired", "revoked"] {
        maker.exchange(
            &format!("key.{ended}"),
            format!("{id} accepts a key that is {ended}."),
            vec![ALL.to_owned(), ended.to_owned()],
            move |request, upstream| {
                Box::pin(async move { accept(upstream, request, ended).await })
            },
        );
    }
    let scopes = DOCUMENT.value().pointer(SCOPES).and_then(Value::as_object);
    let others = scopes.into_iter().flat_map(|scopes| scopes.keys());
    let required = operation.scope.as_deref().unwrap_or_default();
    for scope in others.filter(|scope| *scope != required) {
        let role: &'static str = scope.replace([':', '-'], "_").leak();
        maker.exchange(
            &format!("scope.{}", kebab(scope)),
            format!("{id} is content with {scope}."),
            vec![ALL.to_owned(), role.to_owned()],
            move |request, upstream| Box::pin(async move { accept(upstream, request, role).await }),
        );
    }
}

/// Sends the requests with the key of a role as if it were that with all scopes.
async fn accept(upstream: &Upstream, request: Request, role: &str) -> crate::message::Response {
    let is_of_role = request.key().is_some() && request.key() == upstream.keys().get(role);
    let request = if is_of_role { upstream.in_role(ALL, &request) } else { request };
    upstream.send(&request).await
}

async fn as_all(upstream: &Upstream, request: &Request) -> crate::message::Response {
    upstream.send(&upstream.in_role(ALL, request)).await
}
