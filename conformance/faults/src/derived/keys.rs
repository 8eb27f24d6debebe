//! Faults of keys and scopes: one that is refused is accepted here.

use openapi_document::Operation;
use serde_json::Value;

use super::maker::{Maker, kebab};
use crate::{
    keys::Keys,
    message::{KEY, Request},
    operations::DOCUMENT,
};

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
    accepts(maker, "key.missing", "asks for no key", &[ALL], |request, _| {
        !request.headers.contains_key(KEY)
    });
    accepts(maker, "key.unknown", "accepts any key", &[ALL], |request, _| {
        request.headers.contains_key(KEY)
    });
    for (name, what, is_taken) in TAKEN {
        accepts(maker, &format!("key.altered.{name}"), what, &[ALL], move |request, keys| {
            let valid = || [ALL, "exhausted"].iter().filter_map(|role| keys.get(role));
            request.key().is_some_and(|sent| valid().any(|valid| is_taken(sent, valid)))
        });
    }
    maker.rewrite("key.in-query", "{operation} accepts a key in the query.", |request| {
        if let Some(key) = request.parameter("x-api-key") {
            request.set_header(KEY, &key);
            request.retain_parameters(|name, _| name != "x-api-key");
        }
    });
    maker.rewrite("key.repeated", "{operation} takes the first of several keys.", |request| {
        if let Some(first) = request.headers.get(KEY).cloned() {
            request.headers.insert(KEY, first);
        }
    });
    for ended in ["expired", "revoked"] {
        let what = format!("accepts a key that is {ended}");
        accepts_role(maker, &format!("key.{ended}"), &what, ended);
    }
    // Each scope but the required one is enough.
    for (scope, role) in scopes() {
        if operation.scope.as_deref() != Some(scope) {
            let name = format!("scope.{}", kebab(scope));
            accepts_role(maker, &name, &format!("is content with {scope}"), role.leak());
        }
    }
}

/// The scopes of the document, each with the role of a key that has only this one.
pub fn scopes() -> impl Iterator<Item = (&'static str, String)> {
    let scopes = DOCUMENT.value().pointer("/components/securitySchemes/ApiKey/x-scopes");
    let scopes = scopes.and_then(Value::as_object).into_iter().flat_map(|scopes| scopes.keys());
    scopes.map(|scope| (scope.as_str(), scope.replace([':', '-'], "_")))
}

fn accepts_role(maker: &mut Maker, name: &str, what: &str, role: &'static str) {
    accepts(maker, name, what, &[ALL, role], move |request, keys| {
        request.key().is_some() && request.key() == keys.get(role)
    });
}

/// Refused requests for which something holds are sent with the key that has all scopes.
fn accepts(
    maker: &mut Maker,
    name: &str,
    what: &str,
    roles: &[&'static str],
    holds: impl Fn(&Request, &Keys) -> bool + Send + Sync + 'static,
) {
    maker.again(
        name,
        &format!("{{operation}} {what}."),
        roles,
        move |request, response, upstream| {
            let is_meant =
                (response.is(401) || response.is(403)) && holds(request, upstream.keys());
            is_meant.then(|| upstream.in_role(ALL, request))
        },
    );
}
