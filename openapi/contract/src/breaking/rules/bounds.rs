//! Rules about bounds: of lengths, numbers and counts, and about steps between numbers.

use std::cmp::Ordering;

use serde_json::{Number, Value};

use crate::breaking::{
    change::Level::{Breaking, Compatible},
    object::Object,
    rule::{Found, Pair, Rule},
};

const REJECTED: &str = "Existing clients may send what is no longer accepted.";
const SURPRISED: &str = "Clients may rely on the bound, as for the width of a column.";

/// Defines the rule of a bound that excludes more values than before.
macro_rules! stricter {
    ($name:literal, $keyword:literal) => {
        Rule::schema($name, Breaking, Compatible, |pair| bound(pair, $keyword, Ordering::Less))
            .because(REJECTED)
    };
}

/// Defines the rule of a bound that excludes fewer values than before.
macro_rules! looser {
    ($name:literal, $keyword:literal) => {
        Rule::schema($name, Compatible, Breaking, |pair| bound(pair, $keyword, Ordering::Greater))
            .because(SURPRISED)
    };
}

pub(super) const BOUNDS: &[Rule] = &[
    stricter!("max-length-decreased", "maxLength"),
    looser!("max-length-increased", "maxLength"),
    stricter!("min-length-increased", "minLength"),
    looser!("min-length-decreased", "minLength"),
    stricter!("maximum-decreased", "maximum"),
    looser!("maximum-increased", "maximum"),
    stricter!("minimum-increased", "minimum"),
    looser!("minimum-decreased", "minimum"),
    stricter!("max-items-decreased", "maxItems"),
    looser!("max-items-increased", "maxItems"),
    stricter!("min-items-increased", "minItems"),
    looser!("min-items-decreased", "minItems"),
    stricter!("max-properties-decreased", "maxProperties"),
    looser!("max-properties-increased", "maxProperties"),
    stricter!("min-properties-increased", "minProperties"),
    looser!("min-properties-decreased", "minProperties"),
    Rule::schema("multiple-of-tightened", Breaking, Compatible, |pair| {
        multiple_of(pair, |old, new| {
            old.is_none_or(|old| new.is_some_and(|new| !divides(new, old)))
        })
    })
    .because(REJECTED),
    Rule::schema("multiple-of-loosened", Compatible, Breaking, |pair| {
        multiple_of(pair, |old, new| {
            new.is_none_or(|new| old.is_some_and(|old| !divides(old, new)))
        })
    })
    .because(SURPRISED),
];

/// A bound; the flag is true if the bound itself is not a valid value.
type Limit<'d> = (&'d Number, bool);

/// Returns the strictest bound of a schema; `None` if every value is valid.
fn limit<'d>(object: &Object<'d>, keyword: &str) -> Option<Limit<'d>> {
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
            limits.push((bound, flag == Some(&Value::Bool(true))));
        }
        if let Some(Value::Number(bound)) = flag {
            limits.push((bound, true));
        }
    }
    let is_count = keyword.len() > "minimum".len();
    let says_nothing = |(bound, _): &Limit<'_>| {
        is_count && keyword.starts_with("min") && bound.as_i64() == Some(0)
    };
    limits.retain(|limit| !says_nothing(limit));
    limits.into_iter().min_by(|one, other| strictness(keyword, *one, *other))
}

/// Returns `Less` if the first bound is stricter.
fn strictness(keyword: &str, one: Limit<'_>, other: Limit<'_>) -> Ordering {
    let by_value = compare(one.0, other.0);
    let by_value = if keyword.starts_with("min") { by_value.reverse() } else { by_value };
    by_value.then(other.1.cmp(&one.1))
}

fn compare(one: &Number, other: &Number) -> Ordering {
    match (one.as_i128(), other.as_i128()) {
        (Some(one), Some(other)) => one.cmp(&other),
        _ => one.as_f64().partial_cmp(&other.as_f64()).unwrap_or(Ordering::Equal),
    }
}

fn bound(pair: &Pair<'_>, keyword: &str, wanted: Ordering) -> Vec<Found> {
    let (old, new) = (limit(&pair.old, keyword), limit(&pair.new, keyword));
    let change = match (old, new) {
        (None, None) => Ordering::Equal,
        (None, Some(_)) => Ordering::Less,
        (Some(_), None) => Ordering::Greater,
        (Some(old), Some(new)) => strictness(keyword, new, old),
    };
    if change != wanted {
        return Vec::new();
    }
    let name = |limit: Option<Limit<'_>>| match limit {
        None => "unlimited".to_owned(),
        Some((bound, false)) => bound.to_string(),
        Some((bound, true)) => format!("{bound}, exclusive"),
    };
    let (before, after) = (name(old), name(new));
    let change = format!("`{keyword}` of {{it}} changes from {before} to {after}");
    let sentence = if wanted == Ordering::Less {
        pair.says(
            format!("{change}: a client that sends a value beyond it is rejected."),
            format!("{change}: clients get fewer values."),
        )
    } else {
        pair.says(
            format!("{change}: clients can send more values."),
            format!("{change}: a client that relies on the bound gets values beyond it."),
        )
    };
    vec![Found::new(pair.at(keyword), after, sentence)]
}

fn multiple_of(
    pair: &Pair<'_>,
    is_it: impl Fn(Option<&Value>, Option<&Value>) -> bool,
) -> Vec<Found> {
    let (old, new) = (pair.old.get("multipleOf"), pair.new.get("multipleOf"));
    if old == new || !is_it(old, new) {
        return Vec::new();
    }
    let name = |value: Option<&Value>| value.map_or("anything".to_owned(), Value::to_string);
    let (before, after) = (name(old), name(new));
    let sentence = format!("{{it}} is a multiple of {after} instead of {before}.");
    vec![Found::new(pair.at("multipleOf"), after, sentence)]
}

/// Returns true if every multiple of `larger` is one of `smaller`; false for fractions.
fn divides(smaller: &Value, larger: &Value) -> bool {
    match (smaller.as_i64(), larger.as_i64()) {
        (Some(smaller), Some(larger)) => larger.checked_rem(smaller) == Some(0),
        _ => false,
    }
}
