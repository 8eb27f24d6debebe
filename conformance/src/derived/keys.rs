//! Faults of keys and scopes: one that is refused is accepted here.

use openapi_document::Operation;

use super::maker::Maker;
use crate::{
    document::{kebab, scopes},
    exchange::{Key, Request},
    secret::Secret,
    target::{Keys, Role},
};

const ALL: Role = Role::All;

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
    accepts(maker, "key.missing", "asks for no key", &[ALL], |request, _| request.key == Key::None);
    accepts(maker, "key.unknown", "accepts any key", &[ALL], |request, _| request.key != Key::None);
    for (name, what, is_taken) in TAKEN {
        accepts(maker, &format!("key.altered.{name}"), what, &[ALL], move |request, keys| {
            let valid = || [ALL, Role::Exhausted].iter().filter_map(|role| keys.get(*role));
            let is_valid = |sent: &str| valid().any(|valid| is_taken(sent, valid.expose()));
            request.only_key().is_some_and(is_valid)
        });
    }
    maker.rewrite("key.in-query", "{operation} accepts a key in the query.", |request| {
        if let Some(key) = request.parameter("x-api-key") {
            request.set_key(&Secret::new("KEY", key));
            request.retain_parameters(|name, _| name != "x-api-key");
        }
    });
    maker.rewrite("key.repeated", "{operation} takes the first of several keys.", |request| {
        if let Some(first) = request.key.secrets().first().cloned() {
            request.set_key(&first);
        }
    });
    for ended in [Role::Expired, Role::Revoked] {
        let name = ended.name();
        let what = format!("accepts a key that is {name}");
        accepts_role(maker, &format!("key.{name}"), &what, ended);
    }
    // Each scope but the required one is enough.
    for (scope, role) in scopes() {
        if operation.scope.as_deref() != Some(scope) {
            let name = format!("scope.{}", kebab(scope));
            accepts_role(maker, &name, &format!("is content with {scope}"), role);
        }
    }
}

fn accepts_role(maker: &mut Maker, name: &str, what: &str, role: Role) {
    accepts(maker, name, what, &[ALL, role], move |request, keys| {
        request.only_key().is_some() && request.only_key() == keys.get(role).map(Secret::expose)
    });
}

/// Refused requests for which something holds are sent with the key that has all scopes.
fn accepts(
    maker: &mut Maker,
    name: &str,
    what: &str,
    roles: &[Role],
    holds: impl Fn(&Request, &Keys) -> bool + Send + Sync + 'static,
) {
    maker.again(
        name,
        &format!("{{operation}} {what}."),
        roles,
        move |request, response, upstream| {
            let is_meant = (response.has_status(401) || response.has_status(403))
                && holds(request, upstream.keys());
            is_meant.then(|| upstream.in_role(ALL, request))
        },
    );
}
