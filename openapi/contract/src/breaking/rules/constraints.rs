//! Rules about constraints that are compared as a whole: patterns, formats, and keywords whose
//! values have no order.

use heck::ToLowerCamelCase;
use openapi_formats::Format;
use serde_json::Value;

use super::{
    bounds::{has_one_item, is_of_integers, is_within_int32},
    values::{applies, is_integer},
};
use crate::breaking::{
    change::Direction,
    object::{Object, Part},
    rule::{At, Findings, Pair},
    step::Step,
};

/// The keywords, and the beginning of the rules of each.
const OWN: [(&str, &str); 4] = [
    ("pattern", "pattern"),
    ("format", "format"),
    ("uniqueItems", "unique-items"),
    ("x-required-when", "conditional-requirement"),
];

/// `propertyNames` of OpenAPI 3.1, as a document of 3.0 writes it.
const PROPERTY_NAMES: &str = "x-property-names";

/// Keywords that restrict values, and have no rule of their own.
const OTHERS: [&str; 8] = [
    "not",
    "propertyNames",
    "x-excluded-by",
    "x-later-than",
    "x-not-negative",
    "x-not-zero",
    PROPERTY_NAMES,
    "x-within-seconds",
];

/// Keywords of OpenAPI 3.1 whose changes are not understood.
const INCOMPARABLE: [&str; 14] = [
    "contains",
    "dependentRequired",
    "dependentSchemas",
    "else",
    "if",
    "maxContains",
    "minContains",
    "patternProperties",
    "prefixItems",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
    "x-content-encoding",
    "x-content-media-type",
];

/// Finds the keywords that differ in any way.
pub(super) fn incomparable(found: &mut Findings<'_, '_>) {
    let pair = found.pair;
    for keyword in INCOMPARABLE {
        let (old, new) = (effective(&pair.old, keyword), effective(&pair.new, keyword));
        let mut pairs = old.iter().zip(&new);
        let is_equal = |(old, new): (&Part<'_>, &Part<'_>)| {
            pair.equality.are_equal(&old.pointer, &new.pointer)
        };
        if old.len() != new.len() || !pairs.all(is_equal) {
            // The reader of 3.1 documents writes some keywords as extensions.
            let written = keyword.strip_prefix("x-").map(ToLowerCamelCase::to_lower_camel_case);
            let change = found.add("keyword-changed", pair.at(keyword));
            change.detail(written.unwrap_or_else(|| keyword.to_owned()));
        }
    }
}

/// Returns the values of a keyword, without those that have no effect.
fn effective<'d>(object: &Object<'d>, keyword: &str) -> Vec<Part<'d>> {
    let has_effect = |part: &&Part<'d>| {
        let has = |other: &str| part.value.get(other).is_some();
        match keyword {
            "if" => has("then") || has("else"),
            "then" | "else" => has("if"),
            "maxContains" => has("contains"),
            "minContains" => has("contains") && part.value[keyword] != 1,
            _ => true,
        }
    };
    let mut effective = object.clone();
    effective.parts.retain(|part| has_effect(&part));
    effective.all(keyword)
}

/// The values of sets are validated, so only what the validator does not check is compared.
pub(super) fn find(found: &mut Findings<'_, '_>, are_sets: bool) {
    for (keyword, rules) in OWN.into_iter().chain(OTHERS.map(|keyword| (keyword, "constraint"))) {
        constraint(found, keyword, rules, are_sets);
    }
}

fn constraint(found: &mut Findings<'_, '_>, keyword: &str, rules: &str, are_sets: bool) {
    let pair = found.pair;
    let (mut old, mut new) = (restricting(&pair.old, keyword), restricting(&pair.new, keyword));
    if are_sets {
        old.retain(|part| !is_validated(keyword, part));
        new.retain(|part| !is_validated(keyword, part));
    }
    let types = [&pair.old, &pair.new].map(|object| object.text("type"));
    if keyword == "format"
        && matches!(types, [Some("integer"), Some("number")] | [Some("number"), Some("integer")])
    {
        // Every integer is a number of these formats.
        let is_of_integers =
            |part: &Part<'_>| !["double", "float"].map(Value::from).contains(part.value);
        old.retain(is_of_integers);
        new.retain(is_of_integers);
    }
    if keyword == "format" && pair.direction == Direction::Request && old.len() != new.len() {
        old.retain(|part| !is_implied(part, &pair.old));
        new.retain(|part| !is_implied(part, &pair.new));
    }
    let are_same =
        |old: &Part<'_>, new: &Part<'_>| pair.equality.are_equal(&old.pointer, &new.pointer);
    let gone = old.iter().find(|old| !new.iter().any(|new| are_same(old, new)));
    let come = new.iter().find(|new| !old.iter().any(|old| are_same(old, new)));
    let (change, place) = match (gone, come) {
        (None, None) => return,
        (Some(gone), None) => ("removed", At::Old(gone.pointer.clone())),
        (None, Some(come)) => ("added", At::New(come.pointer.clone())),
        (Some(_), Some(come)) if keyword == "format" => {
            (change_of_format(pair), At::New(come.pointer.clone()))
        }
        (Some(_), Some(_)) if keyword == PROPERTY_NAMES => {
            return found.enter_nested(Some(Step::Names), keyword);
        }
        (Some(_), Some(come)) => ("changed", At::New(come.pointer.clone())),
    };
    let name = |part: Option<&Part<'_>>| match part {
        None => "nothing".to_owned(),
        Some(part) if part.value.is_object() => "another schema".to_owned(),
        Some(part) => {
            format!("`{}`", part.value.as_str().map_or(part.value.to_string(), str::to_owned))
        }
    };
    let known = if keyword == PROPERTY_NAMES { "propertyNames" } else { keyword };
    let change = found.add(&format!("{rules}-{change}"), place);
    change.detail(format!("{keyword} {}", name(come)));
    change.word("keyword", known).word("old", name(gone)).word("new", name(come));
}

fn is_validated(keyword: &str, part: &Part<'_>) -> bool {
    match part.value.as_str() {
        Some(format) if keyword == "format" => {
            Format::named(format).is_some() || is_of_integers(format)
        }
        _ => ["not", "pattern", "uniqueItems"].contains(&keyword),
    }
}

/// Returns true for a format of integers that all integers have which a server reads by the schema.
fn is_implied(format: &Part<'_>, object: &Object<'_>) -> bool {
    is_integer(object)
        && match format.value.as_str() {
            Some("int64") => true,
            Some("int32") => is_within_int32(object),
            _ => false,
        }
}

/// Returns the values of a keyword, without those that restrict nothing.
fn restricting<'d>(object: &Object<'d>, keyword: &str) -> Vec<Part<'d>> {
    let restricts = |part: &Part<'d>| match part.value {
        Value::Bool(true) if keyword == "uniqueItems" => !has_one_item(object),
        Value::Bool(flag) => *flag,
        Value::String(text) => {
            !(keyword == "pattern" && matches!(text.as_str(), "" | ".*" | "^.*$"))
        }
        _ => true,
    };
    let all = if applies(keyword, object) { object.all(keyword) } else { Vec::new() };
    all.into_iter().filter(restricts).collect()
}

/// Returns how the formats compare: whether one has all the values of the other.
fn change_of_format(pair: &Pair<'_>) -> &'static str {
    match (pair.old.text("format"), pair.new.text("format")) {
        (Some("int32"), Some("int64")) | (Some("float"), Some("double")) => "widened",
        (Some("int64"), Some("int32")) | (Some("double"), Some("float")) => "narrowed",
        _ => "changed",
    }
}
