//! Rules about operations as a whole, and about the document.

use std::collections::BTreeSet;

use openapi_document::{Idempotency, Operation, pointer::join};
use serde_json::Value;

use crate::breaking::{
    change::{Direction, Level::Breaking},
    equality::Equality,
    lifecycle::has_ended,
    matched::Matched,
    object::Object,
    rule::{At, Findings, Kind, Pair},
};

/// Pairs the operations of both documents by method and path; one side may be absent.
pub(in crate::breaking) fn endpoints<'d>(equality: &'d Equality<'d>) -> Vec<(String, Pair<'d>)> {
    let Equality { old, new, .. } = *equality;
    let mut matched =
        Matched::of(old.operations().iter().collect(), new.operations().iter().collect());
    let key = |operation: &Operation| (operation.method, operation.path.clone());
    matched.pair(|before, after| key(before) == key(after));
    // Only the names of the path's parameters differ.
    let key = |operation: &Operation| (operation.method, without_names(&operation.path));
    matched.pair(|before, after| key(before) == key(after));
    let endpoint = |operation: &'d Operation, old, new| {
        let direction = Direction::Request;
        let pair = Pair { kind: Kind::Endpoint, direction, old, new, equality };
        (format!("{} {}", operation.method, operation.path), pair)
    };
    let before = |operation| Object::of_operation(old, operation);
    let after = |operation| Object::of_operation(new, operation);
    let both = matched.both.into_iter().map(|(old, new)| endpoint(new, before(old), after(new)));
    let removed = matched.removed.into_iter();
    let removed = removed.map(|gone| endpoint(gone, before(gone), Object::absent(new)));
    let added = matched.added.into_iter();
    let added = added.map(|come| endpoint(come, Object::absent(old), after(come)));
    both.chain(removed).chain(added).collect()
}

fn without_names(path: &str) -> String {
    let mut parts = path.split('{');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        plain.push_str("{}");
        plain.push_str(part.split_once('}').map_or("", |(_, rest)| rest));
    }
    plain
}

pub(super) fn document(found: &mut Findings<'_, '_>) {
    if found.pair.old.get("info") != found.pair.new.get("info") {
        found.add("info-changed", found.pair.at("info"));
    }
}

pub(super) fn endpoint(found: &mut Findings<'_, '_>) {
    let pair = found.pair;
    if pair.old.is_absent() {
        found.add("operation-added", pair.in_new(""));
    } else if pair.new.is_absent() {
        let is_announced = has_ended(&pair.old);
        let rule =
            if is_announced { "operation-removed-after-sunset" } else { "operation-removed" };
        found.add(rule, pair.in_old(""));
    } else {
        found.enter(None, Kind::Operation, pair.old.clone(), pair.new.clone());
    }
}

pub(super) fn operation(found: &mut Findings<'_, '_>) {
    let (pair, old, new) = (found.pair, &found.pair.old, &found.pair.new);
    for (rule, member, before, after) in [
        ("operation-id-changed", "operationId", old.text("operationId"), new.text("operationId")),
        (
            "operation-tag-changed",
            "tags",
            old.texts("tags").first().copied(),
            new.texts("tags").first().copied(),
        ),
    ] {
        if before != after {
            let renamed = found.add(rule, pair.at(member)).detail(after.unwrap_or("nothing"));
            renamed.word("old", before.unwrap_or("nothing"));
        }
    }
    scope(found);
    idempotency(found);
    let name = |profile: Option<&Value>| {
        profile.and_then(Value::as_str).map_or("none".to_owned(), |name| format!("`{name}`"))
    };
    let (before, after) = (old.get("x-profile"), new.get("x-profile"));
    if before != after {
        let changed = found.add("profile-changed", pair.at("x-profile"));
        changed.detail(name(after)).word("old", name(before));
    }
    for (member, kind) in [("servers", Kind::Servers), ("security", Kind::Security)] {
        found.enter(None, kind, inherited(old, member), inherited(new, member));
    }
}

fn scope(found: &mut Findings<'_, '_>) {
    const SCOPE: &str = "x-required-scope";
    let pair = found.pair;
    match (pair.old.text(SCOPE), pair.new.text(SCOPE)) {
        (old, Some(scope)) if old != Some(scope) => {
            found.add("required-scope-changed", pair.in_new(SCOPE)).detail(scope);
        }
        (Some(scope), None) if pair.new.get(SCOPE).is_none() => {
            found.add("required-scope-removed", pair.in_old(SCOPE)).detail(scope);
        }
        _ => {}
    }
}

fn idempotency(found: &mut Findings<'_, '_>) {
    let of = |operation: &Object<'_>| {
        let value = operation.get("x-idempotent");
        value.and_then(Idempotency::of_extension).unwrap_or_default()
    };
    let rank = |idempotency: Idempotency| match idempotency {
        Idempotency::None => 0,
        Idempotency::ByKey => 1,
        Idempotency::ByNature => 2,
    };
    let (old, new) = (of(&found.pair.old), of(&found.pair.new));
    if old == new {
        return;
    }
    let is_lost = rank(new) < rank(old);
    let rule = if is_lost { "idempotency-lost" } else { "idempotency-gained" };
    let changed = found.add(rule, found.pair.at("x-idempotent")).detail(format!("{old:?} {new:?}"));
    changed.word(
        "when",
        match new {
            Idempotency::ByKey => "without an idempotency key",
            _ => "after a lost response",
        },
    );
}

pub(super) fn servers(found: &mut Findings<'_, '_>) {
    let urls = |servers: &Object<'_>| -> Vec<(String, String)> {
        let list = servers.parts.iter().filter_map(|part| part.value.as_array()).flatten();
        let all = list.enumerate().flat_map(|(index, server)| {
            let pointer = servers.pointer(&index.to_string());
            urls(server).into_iter().map(move |url| (url, pointer.clone()))
        });
        let all: Vec<_> = all.collect();
        if all.is_empty() { vec![("/".to_owned(), servers.pointer(""))] } else { all }
    };
    let bases = |servers| urls(servers).iter().map(|(url, _)| base_path(url)).collect::<Vec<_>>();
    let bases: Vec<String> = bases(&found.pair.new);
    let rules = ["server-removed", "server-added"];
    found.one_sided(rules, urls, String::eq, |found, url| {
        let base = base_path(url);
        found.detail(url);
        if matches!(found.place, At::Old(_)) && !bases.contains(&base) {
            let sentence = format!("A client that calls paths below `{base}` calls none any more.");
            found.level(Breaking).says(&sentence);
        }
    });
}

/// Returns the URLs of a server: with the listed values of its variables, or else their defaults.
fn urls(server: &Value) -> Vec<String> {
    /// Servers with more URLs are compared by the first ones.
    const MOST: usize = 1000;
    let mut urls: Vec<String> =
        server.get("url").and_then(Value::as_str).map(str::to_owned).into_iter().collect();
    let variables = server.get("variables").and_then(Value::as_object);
    for (name, variable) in variables.into_iter().flatten() {
        let listed = variable.get("enum").and_then(Value::as_array).into_iter().flatten();
        let values: BTreeSet<&str> =
            listed.chain(variable.get("default")).filter_map(Value::as_str).collect();
        let name = &*format!("{{{name}}}");
        if !values.is_empty() && urls.iter().any(|url| url.contains(name)) {
            let with = |value| urls.iter().map(move |url| url.replace(name, value));
            urls = values.into_iter().flat_map(with).take(MOST).collect();
        }
    }
    urls.iter().map(|url| normal(url)).collect()
}

/// Returns a URL with its host in lower case, and without a slash at the end.
fn normal(url: &str) -> String {
    let (host, path) = match url.find("://") {
        Some(scheme) => {
            let start = scheme + "://".len();
            url.split_at(url[start..].find('/').map_or(url.len(), |length| start + length))
        }
        None => ("", url),
    };
    match format!("{}{}", host.to_lowercase(), path.trim_end_matches('/')) {
        url if url.is_empty() => "/".to_owned(),
        url => url,
    }
}

/// Returns the path of a URL, which is before the paths of operations.
fn base_path(url: &str) -> String {
    let path = match url.split_once("://") {
        Some((_, rest)) => rest.split_once('/').map_or("", |(_, path)| path),
        None => url.trim_start_matches('/'),
    };
    format!("/{path}")
}

/// Returns a member of the operation, else of its path, else of the document.
fn inherited<'d>(operation: &Object<'d>, member: &str) -> Object<'d> {
    let document = operation.document;
    let path = operation.operation.map_or("", |operation| operation.path.as_str());
    let owners = [operation.pointer(""), join("/paths", path), String::new()];
    let mut pointers = owners.iter().map(|owner| join(owner, member));
    match pointers.find(|pointer| document.value().pointer(pointer).is_some()) {
        Some(pointer) => Object::at(document, &pointer),
        None => Object::absent(document),
    }
}
