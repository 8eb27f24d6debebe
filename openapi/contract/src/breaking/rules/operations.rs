//! Rules about operations as a whole, and about the document.

use openapi_document::Idempotency;
use serde_json::Value;

use crate::breaking::{
    change::Level::{Breaking, Compatible, Warning},
    lifecycle::has_ended,
    object::Object,
    rule::{At, Found, Pair, Rule},
};

pub(super) const DOCUMENT: &[Rule] = &[Rule::fixed("info-changed", Compatible, |pair| {
    let is_changed = pair.old.get("info") != pair.new.get("info");
    let sentence = "The document's title, version or description changes.";
    is_changed.then(|| Found::new(pair.at("info"), "", sentence)).into_iter().collect()
})
.because("It describes the document.")
.hidden()];

pub(super) const ENDPOINTS: &[Rule] = &[
    Rule::fixed("operation-removed", Breaking, |pair| removed(pair, false))
        .because("Every client that calls it gets an error."),
    Rule::fixed("operation-removed-after-sunset", Compatible, |pair| removed(pair, true))
        .because("Its end was announced, and the announced date has passed."),
    Rule::fixed("operation-added", Compatible, |pair| {
        let sentence = "Clients can call a new operation.";
        let found = || Found::new(pair.in_new(""), "", sentence);
        pair.old.is_absent().then(found).into_iter().collect()
    })
    .because("No existing client calls it."),
];

pub(super) const OPERATIONS: &[Rule] = &[
    Rule::fixed("operation-id-changed", Warning, |pair| {
        renamed(pair, "operationId", pair.old.text("operationId"), pair.new.text("operationId"))
    })
    .because("Generated clients name their function after it, so their callers must be changed."),
    Rule::fixed("operation-tag-changed", Warning, |pair| {
        renamed(pair, "tags", first_tag(&pair.old), first_tag(&pair.new))
    })
    .because("Generated clients and servers group operations by their first tag."),
    Rule::fixed("required-scope-changed", Breaking, |pair| {
        let (old, new) = (pair.old.text("x-required-scope"), pair.new.text("x-required-scope"));
        let Some(scope) = new.filter(|_| old != new) else {
            return Vec::new();
        };
        let sentence = format!("A client whose key lacks the scope `{scope}` gets a 403.");
        vec![Found::new(pair.in_new("x-required-scope"), scope, sentence)]
    })
    .because("Existing keys may lack the scope."),
    Rule::fixed("required-scope-removed", Compatible, |pair| {
        let is_gone = pair.new.get("x-required-scope").is_none();
        let Some(scope) = pair.old.text("x-required-scope").filter(|_| is_gone) else {
            return Vec::new();
        };
        let sentence = format!("A client no longer needs the scope `{scope}`.");
        vec![Found::new(pair.in_old("x-required-scope"), scope, sentence)]
    })
    .because("Existing keys can do more than they need."),
    Rule::fixed("idempotency-lost", Breaking, |pair| {
        let sentence = match idempotency(&pair.new) {
            Idempotency::ByKey => {
                "A client that repeats {it} without an idempotency key may do its work twice."
            }
            _ => "A client that repeats {it} after a lost response may do its work twice.",
        };
        idempotency_changed(pair, |old, new| rank(new) < rank(old), sentence)
    })
    .because("Clients retry what is idempotent."),
    Rule::fixed("idempotency-gained", Compatible, |pair| {
        let sentence = "Clients can repeat {it} safely.";
        idempotency_changed(pair, |old, new| rank(new) > rank(old), sentence)
    })
    .because("A client that does not retry notices nothing."),
    Rule::fixed("profile-changed", Warning, |pair| {
        let (old, new) = (pair.old.get("x-profile"), pair.new.get("x-profile"));
        let name = |profile: Option<&Value>| {
            profile.and_then(Value::as_str).map_or("none".to_owned(), |name| format!("`{name}`"))
        };
        let sentence = format!(
            "{{it}} moves from the profile {} to {}: deployments of the old profile may lack it.",
            name(old),
            name(new)
        );
        let found = || Found::new(pair.at("x-profile"), name(new), sentence);
        (old != new).then(found).into_iter().collect()
    })
    .because("A deployment has the operations of its profile only."),
];

pub(super) const SERVERS: &[Rule] = &[
    Rule::fixed("server-removed", Warning, |pair| {
        missing_servers(&pair.old, &pair.new, |url, pointer| {
            let sentence = format!("A client that is configured with {url} must be changed.");
            Found::new(At::Old(pointer), url, sentence)
        })
    })
    .because("Whether a client uses this address is not known."),
    Rule::fixed("server-added", Compatible, |pair| {
        missing_servers(&pair.new, &pair.old, |url, pointer| {
            Found::new(At::New(pointer), url, format!("Clients can use a new address, {url}."))
        })
    })
    .because("No existing client uses it."),
];

fn removed(pair: &Pair<'_>, after_sunset: bool) -> Vec<Found> {
    if !pair.new.is_absent() || has_ended(&pair.old) != after_sunset {
        return Vec::new();
    }
    let sentence = if after_sunset {
        "A client that calls it gets an error, as announced."
    } else {
        "A client that calls it gets an error."
    };
    vec![Found::new(pair.in_old(""), "", sentence)]
}

fn renamed(pair: &Pair<'_>, member: &str, old: Option<&str>, new: Option<&str>) -> Vec<Found> {
    if old == new {
        return Vec::new();
    }
    let (old, new) = (old.unwrap_or("nothing"), new.unwrap_or("nothing"));
    let sentence = format!(
        "{{it}} has the {member} `{new}` instead of `{old}`: generated clients rename what they \
         derive from it."
    );
    vec![Found::new(pair.at(member), new, sentence)]
}

fn first_tag<'d>(operation: &Object<'d>) -> Option<&'d str> {
    operation.texts("tags").first().copied()
}

fn idempotency(operation: &Object<'_>) -> Idempotency {
    let value = operation.get("x-idempotent");
    value.and_then(Idempotency::of_extension).unwrap_or_default()
}

fn rank(idempotency: Idempotency) -> u8 {
    match idempotency {
        Idempotency::None => 0,
        Idempotency::ByKey => 1,
        Idempotency::ByNature => 2,
    }
}

fn idempotency_changed(
    pair: &Pair<'_>,
    is_it: fn(Idempotency, Idempotency) -> bool,
    sentence: &str,
) -> Vec<Found> {
    let (old, new) = (idempotency(&pair.old), idempotency(&pair.new));
    let found = || Found::new(pair.at("x-idempotent"), format!("{old:?} {new:?}"), sentence);
    is_it(old, new).then(found).into_iter().collect()
}

fn missing_servers(
    has: &Object<'_>,
    lacks: &Object<'_>,
    found: impl Fn(&str, String) -> Found,
) -> Vec<Found> {
    let urls = |servers: &Object<'_>| -> Vec<String> {
        let list = servers.parts.iter().filter_map(|part| part.value.as_array()).flatten();
        list.filter_map(|server| server.get("url")?.as_str().map(str::to_owned)).collect()
    };
    let others = urls(lacks);
    let own = urls(has).into_iter().enumerate().filter(|(_, url)| !others.contains(url));
    own.map(|(index, url)| found(&url, has.pointer(&index.to_string()))).collect()
}
