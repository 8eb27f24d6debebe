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

/// Whether the first of two keys is taken for the second.
type IsTaken = fn(&str, &str) -> bool;

/// Keys that are taken for a valid one.
const TAKEN: [(&str, &str, IsTaken); 5] = [
    ("last-character", "ignores the last character of a key", |sent, valid| {
        sent.len() == valid.len() && sent[..sent.len() - 1] == valid[..valid.len() - 1]
    }),
    ("other-case", "compares keys in any case", str::eq_ignore_ascii_case),
    ("cut", "accepts the beginning of a key", |sent, valid| valid.starts_with(sent)),
    ("longer", "ignores what follows a key", |sent, valid| sent.starts_with(valid)),
    ("scheme", "takes off the name of a scheme", |sent, valid| sent.ends_with(valid)),
];

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
    for (name, what, is_taken) in TAKEN {
        maker.exchange(
            &format!("key.altered.{name}"),
            format!("{id} {what}."),
            vec![ALL.to_owned()],
            move |request, upstream| {
                Box::pin(async move {
                    let response = upstream.send(&request).await;
                    let key = request.key().zip(upstream.keys().get(ALL));
                    let is_meant = key.is_some_and(|(sent, valid)| is_taken(sent, valid));
                    if is_meant && response.is(401) {
                        return as_all(upstream, &request).await;
                    }
                    response
                })
            },
        );
    }
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
    scopes(maker, operation);
}

/// Each scope but the required one is enough.
fn scopes(maker: &mut Maker, operation: &'static Operation) {
    let id = &operation.id;
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
