//! Rules about objects of any kind: deprecation, texts, examples, extensions, and members without
//! rules of their own.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::breaking::{equality::Equality, lifecycle::date, object::Object, rule::Findings};

/// Extensions that have rules of their own.
const KNOWN_EXTENSIONS: [&str; 19] = [
    "x-by-code",
    "x-content-encoding",
    "x-content-media-type",
    "x-error-codes",
    "x-excluded-by",
    "x-extensible-enum",
    "x-idempotent",
    "x-known-values",
    "x-later-than",
    "x-not-negative",
    "x-not-zero",
    "x-profile",
    "x-property-names",
    "x-required-scope",
    "x-required-when",
    "x-sunset",
    "x-unrouted-responses",
    "x-webhooks",
    "x-within-seconds",
];

/// Parts of operations, responses, parameters and bodies that have no rules of their own.
const COMPARED_AS_A_WHOLE: [&str; 4] = ["allowReserved", "callbacks", "links", "x-webhooks"];

/// The first of the members that differs is reported.
const TEXTS: [(&str, &[&str]); 2] = [
    ("description-changed", &["description", "summary", "title", "externalDocs"]),
    ("example-changed", &["example", "examples"]),
];

pub(super) fn find(found: &mut Findings<'_, '_>) {
    let pair = found.pair;
    let is_deprecated = |object: &Object<'_>| object.flag("deprecated");
    let rules = ["deprecated", "undeprecated"];
    if let Some(found) = found.toggled("deprecated", is_deprecated, rules) {
        let date = pair.new.text("x-sunset").map(|date| format!("on {date}"));
        found.word("until", date.as_deref().unwrap_or("at a date yet unknown"));
    }
    sunset(found);
    for (rule, members) in TEXTS {
        if let Some(member) =
            members.iter().find(|member| pair.differs(member, Equality::are_identical))
        {
            found.add(rule, pair.at(member)).detail(*member);
        }
    }
    for member in
        COMPARED_AS_A_WHOLE.iter().filter(|member| pair.differs(member, Equality::are_equal))
    {
        found.add("part-changed", pair.at(member)).detail(member.trim_start_matches("x-"));
    }
    let names: BTreeSet<&str> =
        extensions(&pair.old).into_iter().chain(extensions(&pair.new)).collect();
    // An extension may refer to components too.
    for name in names.into_iter().filter(|name| pair.differs(name, Equality::are_identical)) {
        found.add("extension-changed", pair.at(name)).detail(name);
    }
}

fn sunset(found: &mut Findings<'_, '_>) {
    let (old, new) = (&found.pair.old, &found.pair.new);
    let text = |object: &Object<'_>| match object.get("x-sunset") {
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
        None => String::new(),
    };
    let is_written = new.get("x-sunset").is_some();
    let rule = match (date(&text(old)), date(&text(new))) {
        (Some(before), Some(after)) if after < before => "sunset-moved-earlier",
        (Some(before), Some(after)) if after > before => "sunset-moved-later",
        // A date that comes together with the deprecation is part of the sentence about that.
        (None, Some(_)) if old.flag("deprecated") => "sunset-announced",
        (Some(_), None) if !is_written && new.flag("deprecated") => "sunset-removed",
        (_, None) if is_written && new.get("x-sunset") != old.get("x-sunset") => {
            "sunset-unreadable"
        }
        _ => return,
    };
    found.add(rule, found.pair.at("x-sunset")).word("date", text(new));
}

fn extensions<'d>(object: &Object<'d>) -> Vec<&'d str> {
    let members = object.parts.iter().filter_map(|part| part.value.as_object());
    let names = members.flat_map(Map::keys).map(String::as_str);
    let has_no_rule = |name: &&str| name.starts_with("x-") && !KNOWN_EXTENSIONS.contains(name);
    let is_annotation = |name: &&str| !matches!(object.get(name), Some(Value::Null) | None);
    names.filter(has_no_rule).filter(is_annotation).collect()
}
