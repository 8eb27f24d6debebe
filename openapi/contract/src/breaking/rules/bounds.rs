//! Rules about bounds: of lengths, numbers and counts, and about steps between numbers.

use std::cmp::Ordering;

use heck::ToKebabCase as _;
use regex_syntax::{ParserBuilder, hir::Look};
use serde_json::{Number, Value};

use super::{
    objects::Properties,
    values::{applies, is_integer, is_same_value, options},
};
use crate::breaking::{
    object::Object,
    rule::{Findings, Pair},
};

const KEYWORDS: [&str; 8] = [
    "maxLength",
    "minLength",
    "maximum",
    "minimum",
    "maxItems",
    "minItems",
    "maxProperties",
    "minProperties",
];

pub(super) fn find(found: &mut Findings<'_, '_>) {
    for keyword in KEYWORDS {
        bound(found, keyword);
    }
    multiple_of(found);
}

/// A bound; the flag is true if the bound itself is not a valid value.
type Limit = (Number, bool);

/// Returns the strictest bound of a schema; `None` if the other keywords imply it.
fn limit(object: &Object<'_>, keyword: &str, implied: &[Number]) -> Option<Limit> {
    if !applies(keyword, object) {
        return None;
    }
    let exclusive = match keyword {
        "maximum" => "exclusiveMaximum",
        "minimum" => "exclusiveMinimum",
        _ => "",
    };
    let mut limits = Vec::new();
    for part in &object.parts {
        // OpenAPI 3.0 has a flag beside the bound, 3.1 a bound of its own.
        let flag = part.value.get(exclusive);
        if let Some(Value::Number(bound)) = part.value.get(keyword) {
            limits.push((bound.clone(), flag == Some(&Value::Bool(true))));
        }
        if let Some(Value::Number(bound)) = flag {
            limits.push((bound.clone(), true));
        }
    }
    if !exclusive.is_empty() && is_integer(object) {
        limits = limits.into_iter().map(|limit| of_integers(keyword, limit)).collect();
    }
    let says_nothing = |(bound, _): &Limit| {
        exclusive.is_empty() && keyword.starts_with("min") && bound.as_i64() == Some(0)
    };
    let repeats = |limit: &Limit| {
        implied.iter().any(|one| strictness(keyword, limit, &(one.clone(), false)).is_ge())
    };
    limits.retain(|limit| !says_nothing(limit) && !repeats(limit));
    limits.into_iter().min_by(|one, other| strictness(keyword, one, other))
}

/// Returns the inclusive bound of integers that has the same effect, such as 1 for 0, exclusive.
fn of_integers(keyword: &str, (bound, is_exclusive): Limit) -> Limit {
    let inward = if keyword == "maximum" { -1 } else { 1 };
    let number = bound.as_f64();
    let rounded = number.map(|it| if inward < 0 { it.floor() } else { it.ceil() });
    let whole = bound.as_i64().or_else(|| rounded?.to_string().parse().ok());
    let step = if is_exclusive && rounded == number { inward } else { 0 };
    match whole.and_then(|whole: i64| whole.checked_add(step)) {
        Some(whole) => (whole.into(), false),
        None => (bound, is_exclusive),
    }
}

/// Returns true if the bounds of a schema allow no integer beyond 32 bits.
pub(super) fn is_within_int32(object: &Object<'_>) -> bool {
    [("minimum", i32::MIN), ("maximum", i32::MAX)].into_iter().all(|(keyword, most)| {
        let limit = limit(object, keyword, &[]);
        limit.is_some_and(|limit| strictness(keyword, &limit, &(most.into(), false)).is_le())
    })
}

/// Returns `Less` if the first bound is stricter.
fn strictness(keyword: &str, one: &Limit, other: &Limit) -> Ordering {
    let by_value = match (one.0.as_i128(), other.0.as_i128()) {
        (Some(one), Some(other)) => one.cmp(&other),
        _ => one.0.as_f64().partial_cmp(&other.0.as_f64()).unwrap_or(Ordering::Equal),
    };
    let by_value = if keyword.starts_with("min") { by_value.reverse() } else { by_value };
    by_value.then(other.1.cmp(&one.1))
}

fn bound(found: &mut Findings<'_, '_>, keyword: &str) {
    let pair = found.pair;
    let implied = implied(pair, keyword);
    let limit = |object| limit(object, keyword, &implied);
    let (old, new) = (limit(&pair.old), limit(&pair.new));
    let change = match (&old, &new) {
        (None, None) => Ordering::Equal,
        (None, Some(_)) => Ordering::Less,
        (Some(_), None) => Ordering::Greater,
        (Some(old), Some(new)) => strictness(keyword, new, old),
    };
    if change.is_eq() {
        return;
    }
    let is_decreased = change.is_lt() == keyword.starts_with("max");
    let change = if is_decreased { "decreased" } else { "increased" };
    let rule = format!("{}-{change}", keyword.to_kebab_case());
    let name = |limit: Option<Limit>| match limit {
        None => "unlimited".to_owned(),
        Some((bound, false)) => bound.to_string(),
        Some((bound, true)) => format!("{bound}, exclusive"),
    };
    found.add(&rule, pair.at(keyword)).detail(name(new)).word("old", name(old));
}

/// Returns the bounds that other keywords of both documents imply.
fn implied(pair: &Pair<'_>, keyword: &str) -> Vec<Number> {
    let format = pair.old.text("format").filter(|format| pair.new.text("format") == Some(format));
    match (keyword, format) {
        ("minimum", Some("int32")) => vec![i32::MIN.into()],
        ("maximum", Some("int32")) => vec![i32::MAX.into()],
        ("maxLength" | "minLength", Some("date")) => vec!["2030-01-31".len().into()],
        ("maxLength" | "minLength", _) => {
            let values = [&pair.old, &pair.new].map(options);
            implied_length(pair, keyword).into_iter().chain(length(&values, keyword)).collect()
        }
        ("minProperties", _) => {
            let required = [&pair.old, &pair.new]
                .map(|object| Properties::of(object, pair.direction).required.len());
            required.into_iter().min().map(Number::from).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the bound of the length of the values of two sets.
fn length(sets: &[Option<Vec<&Value>>; 2], keyword: &str) -> Option<Number> {
    let [Some(old), Some(new)] = sets else {
        return None;
    };
    let texts = old.iter().chain(new).filter_map(|value| value.as_str());
    let lengths = texts.map(|text| text.chars().count());
    if keyword == "maxLength" { lengths.max() } else { lengths.min() }.map(Number::from)
}

/// Returns the bound of the length that a pattern of both documents has, such as 2 of `^[A-Z]{2}$`.
fn implied_length(pair: &Pair<'_>, keyword: &str) -> Option<Number> {
    let (old, new) = (pair.old.all("pattern"), pair.new.all("pattern"));
    let common = old.iter().filter(|one| new.iter().any(|other| other.value == one.value));
    let length = |pattern: &Value| match (keyword, lengths(pattern.as_str()?)?) {
        ("maxLength", (_, most)) => most,
        ("minLength", (least, _)) => Some(least),
        _ => None,
    };
    common.map(|part| part.value).find_map(length).map(Number::from)
}

/// Returns the least and the greatest length of the texts that match a pattern of the whole text.
/// Only patterns of ASCII are read, where each byte is a character.
fn lengths(pattern: &str) -> Option<(usize, Option<usize>)> {
    let mut parser = ParserBuilder::new().unicode(false).utf8(false).build();
    let parsed = parser.parse(pattern).ok().filter(|_| pattern.is_ascii())?;
    let found = parsed.properties();
    let is_whole = found.look_set_prefix().contains(Look::Start)
        && found.look_set_suffix().contains(Look::End);
    is_whole.then(|| Some((found.minimum_len()?, found.maximum_len())))?
}

fn multiple_of<'d>(found: &mut Findings<'_, 'd>) {
    let pair = found.pair;
    let step = |object: &Object<'d>| {
        let steps = object.get("multipleOf").filter(|_| applies("multipleOf", object));
        steps.filter(|step| !is_integer(object) || !is_same_value(step, &Value::from(1)))
    };
    let (old, new) = (step(&pair.old), step(&pair.new));
    if old == new {
        return;
    }
    let name = |value: Option<&Value>| value.map_or("anything".to_owned(), Value::to_string);
    // Every multiple of the first is one of the second.
    let is_within = |one: Option<&Value>, other: Option<&Value>| {
        other.is_none_or(|other| one.is_some_and(|one| divides(other, one)))
    };
    for (rule, is_it) in [
        ("multiple-of-tightened", !is_within(old, new)),
        ("multiple-of-loosened", !is_within(new, old)),
    ] {
        if is_it {
            found.add(rule, pair.at("multipleOf")).detail(name(new)).word("old", name(old));
        }
    }
}

/// Returns true if every multiple of `larger` is one of `smaller`; false for fractions.
fn divides(smaller: &Value, larger: &Value) -> bool {
    match (smaller.as_i64(), larger.as_i64()) {
        (Some(smaller), Some(larger)) => larger.checked_rem(smaller) == Some(0),
        _ => false,
    }
}
