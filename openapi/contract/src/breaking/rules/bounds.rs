//! Rules about bounds: of lengths, numbers and counts, and about steps between numbers.

use std::cmp::Ordering;

use heck::ToKebabCase as _;
use openapi_formats::integer_bounds;
use regex_syntax::{ParserBuilder, hir::Look};
use rust_decimal::Decimal;
use serde_json::{Number, Value};

use super::{
    objects::{Properties, has_named_alone},
    values::{applies, is_integer, is_same_value},
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

/// Returns the strictest bound of a schema that its keyword says.
fn limit(object: &Object<'_>, keyword: &str) -> Option<Limit> {
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
    limits.retain(|limit| !says_nothing(limit));
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
        let limit = limit(object, keyword);
        limit.is_some_and(|limit| strictness(keyword, &limit, &(most.into(), false)).is_le())
    })
}

/// Returns true if an array has no two elements that could be equal.
pub(super) fn has_one_item(object: &Object<'_>) -> bool {
    limit(object, "maxItems").and_then(|(most, _)| most.as_u64()).is_some_and(|most| most <= 1)
}

/// Returns the whole numbers between the bounds, if they are few.
pub(super) fn whole_numbers(object: &Object<'_>) -> Option<Vec<Value>> {
    const FEW: i64 = 100;
    let bound = |keyword| limit(object, keyword).filter(|_| is_integer(object))?.0.as_i64();
    let (least, most) = (bound("minimum")?, bound("maximum")?);
    (most.checked_sub(least)? < FEW).then(|| (least..=most).map(Value::from).collect())
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
    let ((old, is_old_written), (new, is_new_written)) =
        (effective(&pair.old, keyword, pair), effective(&pair.new, keyword, pair));
    let change = match (&old, &new) {
        (None, None) => Ordering::Equal,
        (None, Some(_)) => Ordering::Less,
        (Some(_), None) => Ordering::Greater,
        (Some(old), Some(new)) => strictness(keyword, new, old),
    };
    // An implied bound changes with the keyword that implies it, which is reported itself.
    let is_written_alike = limit(&pair.old, keyword) == limit(&pair.new, keyword);
    if change.is_eq() || is_written_alike || !is_old_written && !is_new_written {
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

/// Returns the bound of a schema, and true if it is stricter than what other keywords imply.
fn effective(object: &Object<'_>, keyword: &str, pair: &Pair<'_>) -> (Option<Limit>, bool) {
    let written = limit(object, keyword);
    let implied = implied(object, keyword, pair).filter(|_| applies(keyword, object));
    match (written, implied.map(|bound| (bound, false))) {
        (Some(written), Some(implied)) if strictness(keyword, &written, &implied).is_ge() => {
            (Some(implied), false)
        }
        (Some(written), _) => (Some(written), true),
        (None, implied) => (implied, false),
    }
}

/// Returns the bound that other keywords imply.
fn implied(object: &Object<'_>, keyword: &str, pair: &Pair<'_>) -> Option<Number> {
    let properties = || Properties::of(object, pair.direction);
    let format = object.text("format");
    match (keyword, format) {
        ("minimum" | "maximum", Some(format)) if is_of_integers(format) && is_integer(object) => {
            let (least, most) = integer_bounds(Some(format));
            Some(if keyword == "minimum" { least } else { most }.into())
        }
        ("maxLength" | "minLength", Some("date")) => Some("2030-01-31".len().into()),
        ("maxLength" | "minLength", Some("uuid")) => Some(36.into()),
        ("maxLength", Some("ipv4")) => Some("255.255.255.255".len().into()),
        ("minLength", Some("ipv4")) => Some("0.0.0.0".len().into()),
        ("maxLength" | "minLength", _) => implied_length(object, keyword),
        ("minProperties", _) => Some(properties().required.len().into()),
        ("maxProperties", _) if has_named_alone(object) => Some(properties().all.len().into()),
        _ => None,
    }
}

/// Returns true for a format of whole numbers whose bounds are all that it says.
pub(super) fn is_of_integers(format: &str) -> bool {
    ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32"].contains(&format)
}

/// Returns the bound of the length that the patterns imply, such as 2 of `^[A-Z]{2}$`.
fn implied_length(object: &Object<'_>, keyword: &str) -> Option<Number> {
    let patterns = object.all("pattern").into_iter().filter_map(|part| part.value.as_str());
    let lengths = patterns.filter_map(lengths);
    match keyword {
        "maxLength" => lengths.filter_map(|(_, most)| most).min(),
        _ => lengths.map(|(least, _)| least).max().filter(|least| *least > 0),
    }
    .map(Number::from)
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
    let steps = |object: &Object<'d>| -> Vec<&'d Value> {
        let steps = object.all("multipleOf").into_iter().map(|part| part.value);
        let restricts = |step: &&Value| !(is_integer(object) && is_same_value(step, &1.into()));
        steps.filter(|_| applies("multipleOf", object)).filter(restricts).collect()
    };
    let (old, new) = (steps(&pair.old), steps(&pair.new));
    let name = |steps: &[&Value]| match steps {
        [] => "anything".to_owned(),
        steps => steps.iter().map(ToString::to_string).collect::<Vec<_>>().join(" and "),
    };
    // Every multiple of the first is one of the second.
    let is_within = |one: &[&Value], other: &[&Value]| {
        let all = least_common_multiple(one);
        other.iter().all(|other| one.iter().copied().chain(&all).any(|one| divides(other, one)))
    };
    for (rule, is_it) in [
        ("multiple-of-tightened", !is_within(&old, &new)),
        ("multiple-of-loosened", !is_within(&new, &old)),
    ] {
        if is_it {
            found.add(rule, pair.at("multipleOf")).detail(name(&new)).word("old", name(&old));
        }
    }
}

/// Returns the least number that is a multiple of all; `None` if one is no whole number.
fn least_common_multiple(steps: &[&Value]) -> Option<Value> {
    let mut whole = steps.iter().map(|step| step.as_u64().filter(|step| *step > 0));
    let all = whole.try_fold(1_u64, |one, other| {
        let other = other?;
        let (mut divisor, mut rest) = (one, other);
        while rest > 0 {
            (divisor, rest) = (rest, divisor % rest);
        }
        (one / divisor).checked_mul(other)
    });
    all.filter(|_| !steps.is_empty()).map(Value::from)
}

/// Returns true if every multiple of `larger` is one of `smaller`.
fn divides(smaller: &Value, larger: &Value) -> bool {
    let decimal = |value: &Value| value.to_string().parse::<Decimal>().ok();
    let rest = decimal(larger).zip(decimal(smaller));
    is_same_value(smaller, larger)
        || rest.is_some_and(|(larger, smaller)| larger.checked_rem(smaller) == Some(Decimal::ZERO))
}
