//! Rules about objects of any kind: deprecation, texts, examples, extensions, and members without
//! rules of their own.

use std::collections::BTreeSet;

use chrono::NaiveDate;
use serde_json::{Map, Value};

use crate::breaking::{
    change::Level::{Breaking, Compatible, Warning},
    equality::{self, Side},
    lifecycle::date,
    object::Object,
    rule::{Found, Pair, Rule},
};

/// Extensions that have rules of their own.
const KNOWN_EXTENSIONS: [&str; 13] = [
    "x-by-code",
    "x-error-codes",
    "x-extensible-enum",
    "x-idempotent",
    "x-known-values",
    "x-later-than",
    "x-not-zero",
    "x-profile",
    "x-property-names",
    "x-required-scope",
    "x-required-when",
    "x-sunset",
    "x-unrouted-responses",
];

/// Parts of operations, responses, parameters and bodies that have no rules of their own.
const COMPARED_AS_A_WHOLE: [&str; 4] = ["allowReserved", "callbacks", "links", "webhooks"];

pub(super) const ANNOTATIONS: &[Rule] = &[
    Rule::fixed("deprecated", Compatible, |pair| {
        let is_it = !pair.old.flag("deprecated") && pair.new.flag("deprecated");
        let until = pair.new.text("x-sunset");
        let until = until.map_or("at a date yet unknown".to_owned(), |date| format!("on {date}"));
        let sentence = format!("Clients should stop using {{it}}, which ends {until}.");
        is_it.then(|| Found::new(pair.in_new("deprecated"), "", sentence)).into_iter().collect()
    })
    .because("It works until it is removed."),
    Rule::fixed("undeprecated", Compatible, |pair| {
        let is_it = pair.old.flag("deprecated") && !pair.new.flag("deprecated");
        let sentence = "Clients can go on using {it}.";
        is_it.then(|| Found::new(pair.at("deprecated"), "", sentence)).into_iter().collect()
    })
    .because("It works as before."),
    Rule::fixed("sunset-moved-earlier", Breaking, |pair| {
        sunset(
            pair,
            |old, new| old.zip(new).is_some_and(|(old, new)| new < old),
            |date| format!("Clients must stop using {{it}} sooner than announced, by {date}."),
        )
    })
    .because("Clients plan by the announced date."),
    Rule::fixed("sunset-moved-later", Compatible, |pair| {
        sunset(
            pair,
            |old, new| old.zip(new).is_some_and(|(old, new)| new > old),
            |date| format!("Clients can use {{it}} longer than announced, until {date}."),
        )
    })
    .because("Clients that kept to the announced date are done."),
    Rule::fixed("sunset-announced", Compatible, |pair| {
        // With the deprecation the date is part of its sentence.
        let is_known = pair.old.flag("deprecated");
        sunset(
            pair,
            |old, new| is_known && old.is_none() && new.is_some(),
            |date| format!("Clients can use {{it}} until {date}."),
        )
    })
    .because("The end was announced already."),
    Rule::fixed("sunset-removed", Breaking, |pair| {
        let is_still = pair.new.flag("deprecated") && pair.new.get("x-sunset").is_none();
        sunset(
            pair,
            |old, _| is_still && old.is_some(),
            |_| "Clients no longer know how long they can use {it}.".to_owned(),
        )
    })
    .because("Clients plan by the announced date."),
    Rule::fixed("sunset-unreadable", Warning, |pair| {
        let is_text = pair.new.get("x-sunset").is_some();
        let is_new = pair.new.get("x-sunset") != pair.old.get("x-sunset");
        sunset(
            pair,
            |_, new| is_text && is_new && new.is_none(),
            |text| format!("`x-sunset` of {{it}} is `{text}`, not a date such as 2030-01-31."),
        )
    })
    .because("Nobody can plan by it."),
    Rule::fixed("description-changed", Compatible, |pair| {
        texts(pair, &["description", "summary", "title", "externalDocs"], "The description")
    })
    .because("It changes no request and no response.")
    .hidden(),
    Rule::fixed("example-changed", Compatible, |pair| {
        texts(pair, &["example", "examples"], "The example")
    })
    .because("It changes no request and no response.")
    .hidden(),
    Rule::fixed("part-changed", Warning, |pair| {
        let differs = |member: &&str| differs(pair, member, equality::are_equal);
        let found = |member: &str| {
            let sentence = format!("`{member}` of {{it}} changes, which is compared as a whole.");
            Found::new(pair.at(member), member, sentence)
        };
        COMPARED_AS_A_WHOLE.into_iter().filter(differs).map(found).collect()
    })
    .because("Whether it breaks a client is not computed."),
    Rule::fixed("extension-changed", Compatible, |pair| {
        let extensions: BTreeSet<&str> =
            extensions(&pair.old).into_iter().chain(extensions(&pair.new)).collect();
        let changed = extensions.into_iter();
        changed
            // An extension may refer to components too.
            .filter(|name| differs(pair, name, equality::are_identical))
            .map(|name| {
                Found::new(
                    pair.at(name),
                    name,
                    format!("The extension `{name}` of {{it}} changes."),
                )
            })
            .collect()
    })
    .because("Only tools that know the extension read it.")
    .hidden(),
];

/// Finds a change of the date; `is_it` gets the dates that can be read.
fn sunset(
    pair: &Pair<'_>,
    is_it: impl Fn(Option<NaiveDate>, Option<NaiveDate>) -> bool,
    sentence: impl Fn(&str) -> String,
) -> Vec<Found> {
    let text = |object: &Object<'_>| match object.get("x-sunset") {
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
        None => String::new(),
    };
    let (old, new) = (text(&pair.old), text(&pair.new));
    let found = || Found::new(pair.at("x-sunset"), "", sentence(&new));
    is_it(date(&old), date(&new)).then(found).into_iter().collect()
}

fn texts(pair: &Pair<'_>, members: &[&str], subject: &str) -> Vec<Found> {
    let found = |member: &&str| {
        Found::new(pair.at(member), *member, format!("{subject} of {{it}} changes."))
    };
    let differs = |member: &&&str| differs(pair, member, equality::are_identical);
    members.iter().find(differs).map(found).into_iter().collect()
}

/// Returns true if only one side has the member, or the two are not equal.
fn differs(pair: &Pair<'_>, member: &str, are_equal: fn(Side<'_>, Side<'_>) -> bool) -> bool {
    match (pair.old.get(member), pair.new.get(member)) {
        (None, None) => false,
        (Some(_), Some(_)) => {
            let (old, new) = pair.documents();
            !are_equal((old, &pair.old.pointer(member)), (new, &pair.new.pointer(member)))
        }
        _ => true,
    }
}

fn extensions<'d>(object: &Object<'d>) -> Vec<&'d str> {
    let members = object.parts.iter().filter_map(|part| part.value.as_object());
    let names = members.flat_map(Map::keys).map(String::as_str);
    let has_no_rule = |name: &&str| name.starts_with("x-") && !KNOWN_EXTENSIONS.contains(name);
    let is_annotation = |name: &&str| !matches!(object.get(name), Some(Value::Null) | None);
    names.filter(has_no_rule).filter(is_annotation).collect()
}
