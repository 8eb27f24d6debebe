//! Schemas with a fixed set of values are compared by these values, whichever keywords exclude the
//! others.

use openapi_document::{Direction as Sent, Validator};
use serde_json::Value;

use super::{
    bounds::whole_numbers,
    values::{covers, have_disjoint_types, is_same_value, type_of, types},
};
use crate::breaking::{
    change::{Direction, Level::Compatible},
    equality::ANNOTATIONS,
    object::Object,
    rule::Findings,
};

const OPEN_SETS: [&str; 2] = ["x-known-values", "x-extensible-enum"];

/// Unions of unions that are deeper are no sets.
const MAX_DEPTH: usize = 4;

/// Compares the values if one side lists its values; returns false if none does.
pub(super) fn find(found: &mut Findings<'_, '_>) -> bool {
    let pair = found.pair;
    let is_listed = |object: &Object<'_>| listed(object, MAX_DEPTH).is_some();
    if !is_listed(&pair.old) && !is_listed(&pair.new) {
        return false;
    }
    if let ([old], [new]) = (&pair.old.roots[..], &pair.new.roots[..])
        && pair.equality.are_equal(old, new)
    {
        return false;
    }
    // A change of the type is one change.
    if have_disjoint_types(&pair.old, &pair.new) {
        return false;
    }
    let sent = match pair.direction {
        Direction::Request => Sent::Request,
        Direction::Response => Sent::Response,
    };
    let rules = ["enum-value-removed", "enum-value-added"];
    let [old, new] =
        [&pair.old, &pair.new].map(|object| options(object).or_else(|| enumerated(object)));
    let lists = [(&pair.old, &old), (&pair.new, &new)];
    let without_list = lists.iter().find(|(_, values)| values.is_none());
    let validators = without_list.and_then(|(object, _)| validators(object, sent));
    let is_other = |value: &Value| match (&old, &new) {
        (Some(old), Some(new)) => !(contains(old, value) && contains(new, value)),
        _ => !validators.as_ref().is_some_and(|validators| are_valid(validators, value)),
    };
    if new.is_none() {
        found.add("enum-opened", pair.in_old(keyword(&pair.old)));
    } else if old.is_none() {
        found.add("became-enum", pair.in_new(keyword(&pair.new)));
    }
    let is_open = |object: &Object<'_>| {
        let is_set = |member| object.get(member).is_some_and(|value| value != false);
        OPEN_SETS.into_iter().any(is_set)
    };
    let are_open = is_open(&pair.old) && is_open(&pair.new);
    let places = [pair.in_old(keyword(&pair.old)), pair.in_new(keyword(&pair.new))];
    for ((rule, values), place) in rules.into_iter().zip([&old, &new]).zip(places) {
        for value in values.iter().flatten().filter(|value| is_other(value)) {
            let change = found.add(rule, place.clone());
            change.detail(format!("`{}`", text(value)));
            if are_open {
                change.level(Compatible);
            }
        }
    }
    true
}

pub(super) fn known_values(found: &mut Findings<'_, '_>) {
    let known = |object: &Object<'_>| -> Vec<(String, String)> {
        let lists = OPEN_SETS.iter().flat_map(|member| object.all(member));
        let values = lists.filter_map(|part| part.value.as_array()).flatten();
        values.map(|value| (text(value), object.pointer("x-known-values"))).collect()
    };
    let rules = ["known-value-removed", "known-value-added"];
    found.one_sided(rules, known, String::eq, |found, value| {
        found.detail(format!("`{value}`"));
    });
}

/// Returns the only valid values other than null; `None` if the schema does not list them.
pub(super) fn options(object: &Object<'_>) -> Option<Vec<Value>> {
    let mut options = listed(object, MAX_DEPTH)?;
    let types = types(object);
    let is_typed = |name: &str| types.as_ref().is_none_or(|types| covers(types, name));
    options.retain(|value| type_of(value).is_some_and(is_typed));
    let is_silent = |keyword: &String| {
        ["$ref", "allOf", "enum", "nullable", "type"].contains(&keyword.as_str())
            || ANNOTATIONS.contains(&keyword.as_str())
            || keyword.starts_with("x-")
    };
    let mut keywords = object.parts.iter().filter_map(|part| part.value.as_object());
    let is_whole = keywords.all(|keywords| keywords.keys().all(is_silent));
    if !is_whole && let Some(validators) = validators(object, Sent::Either) {
        options.retain(|value| are_valid(&validators, value));
    }
    Some(options)
}

fn listed(object: &Object<'_>, depth: usize) -> Option<Vec<Value>> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let lists = object.all("enum").into_iter().map(|part| list(part.value));
    let constants = object.all("const").into_iter().map(|part| vec![part.value.clone()]);
    let written = lists.chain(constants).reduce(|mut one, other| {
        one.retain(|value| contains(&other, value));
        one
    });
    written.or_else(|| {
        let (_, forms) = object.alternatives().filter(|_| depth > 0)?;
        let mut all: Vec<Value> = Vec::new();
        for form in forms {
            let values = listed(&Object::schema(object.document, vec![form.pointer]), depth - 1)?;
            let new: Vec<Value> = values.into_iter().filter(|it| !contains(&all, it)).collect();
            all.extend(new);
        }
        Some(all)
    })
}

/// Returns the values of a type that has few; these are a set only beside a list.
fn enumerated(object: &Object<'_>) -> Option<Vec<Value>> {
    let is_boolean = types(object).is_some_and(|types| types.iter().eq(&["boolean"]));
    let mut values = match is_boolean {
        true => vec![Value::Bool(true), Value::Bool(false)],
        false => whole_numbers(object)?,
    };
    let validators = validators(object, Sent::Either)?;
    values.retain(|value| are_valid(&validators, value));
    Some(values)
}

/// Returns the keyword that lists the values.
fn keyword(object: &Object<'_>) -> &'static str {
    let mut keywords = ["enum", "const", "oneOf", "anyOf"].into_iter();
    keywords.find(|keyword| object.get(keyword).is_some()).unwrap_or("type")
}

/// Returns the validators of the schemas that hold together; `None` if one cannot be used.
fn validators(object: &Object<'_>, direction: Sent) -> Option<Vec<Validator>> {
    let roots = object.roots.iter();
    roots.map(|root| object.document.validator(root, direction).ok()).collect()
}

fn are_valid(validators: &[Validator], value: &Value) -> bool {
    validators.iter().all(|validator| validator.is_valid(value))
}

fn contains(values: &[Value], value: &Value) -> bool {
    values.iter().any(|other| is_same_value(other, value))
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
