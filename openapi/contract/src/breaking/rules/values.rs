//! Rules about the values of a schema: type, null, default.

use std::collections::BTreeSet;

use serde_json::{Number, Value};

use crate::breaking::{
    object::{Object, Part},
    rule::Findings,
};

pub(super) type Types<'d> = Option<BTreeSet<&'d str>>;

/// Returns the types other than null; `None` if any type is valid.
pub(super) fn types<'d>(object: &Object<'d>) -> Types<'d> {
    let of_part = |part: &Part<'d>| -> Types<'d> {
        match (part.value.get("type"), part.value.get("enum"), part.value.get("const")) {
            (Some(name), ..) => Some(name.as_str().into_iter().collect()),
            (_, Some(Value::Array(values)), _) => Some(values.iter().filter_map(type_of).collect()),
            (.., constant) => Some(type_of(constant?).into_iter().collect()),
        }
    };
    object.parts.iter().filter_map(of_part).reduce(|one, other| {
        let narrower = |name: &&'d str| covers(&other, name);
        let both: BTreeSet<_> = one.iter().copied().filter(narrower).collect();
        let from_other = other.iter().copied().filter(|name| covers(&one, name));
        both.into_iter().chain(from_other).collect()
    })
}

pub(super) fn type_of(value: &Value) -> Option<&'static str> {
    Some(match value {
        Value::Null => return None,
        Value::Bool(_) => "boolean",
        Value::Number(number) if !is_whole(number) => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    })
}

fn is_whole(number: &Number) -> bool {
    !number.is_f64() || number.as_f64().is_some_and(|number| number.fract() == 0.0)
}

/// Returns true if two values are equal; 1 is 1.0.
pub(super) fn is_same_value(one: &Value, other: &Value) -> bool {
    let are_numbers = one.is_number() && other.is_number() && one.is_f64() != other.is_f64();
    one == other || are_numbers && one.as_f64() == other.as_f64()
}

pub(super) fn covers(types: &BTreeSet<&str>, name: &str) -> bool {
    types.contains(name) || name == "integer" && types.contains("number")
}

/// Returns true if every valid value is an integer.
pub(super) fn is_integer(object: &Object<'_>) -> bool {
    types(object).is_some_and(|types| types.iter().eq(&["integer"]))
}

/// Returns false for a keyword of another type than the schema's, which says nothing.
pub(super) fn applies(keyword: &str, object: &Object<'_>) -> bool {
    let of: &[&str] = match keyword {
        "maxLength" | "minLength" | "pattern" => &["string"],
        "maximum" | "minimum" | "multipleOf" => &["integer", "number"],
        "maxItems" | "minItems" | "uniqueItems" => &["array"],
        "maxProperties" | "minProperties" => &["object"],
        _ => return true,
    };
    let is_of = |types: BTreeSet<&str>| of.iter().any(|name| types.contains(name));
    types(object).is_none_or(is_of)
}

/// Returns true if no value has a type of both schemas.
pub(super) fn have_disjoint_types(one: &Object<'_>, other: &Object<'_>) -> bool {
    let (Some(one), Some(other)) = (types(one), types(other)) else {
        return false;
    };
    !one.iter().any(|name| covers(&other, name)) && !other.iter().any(|name| covers(&one, name))
}

pub(super) fn type_of_values(found: &mut Findings<'_, '_>) {
    let pair = found.pair;
    let (old, new) = (types(&pair.old), types(&pair.new));
    let exceeds = |one: &Types<'_>, other: &Types<'_>| match (one, other) {
        (_, None) => false,
        (None, Some(_)) => true,
        (Some(one), Some(other)) => one.iter().any(|name| !covers(other, name)),
    };
    // No value is valid if the parts contradict each other.
    let is_empty = new.as_ref().is_some_and(BTreeSet::is_empty);
    let is_void = is_empty && old != new && !pair.new.admits_null();
    let rule = match (exceeds(&old, &new), exceeds(&new, &old) || is_void) {
        (true, true) => "type-changed",
        (true, false) => "type-narrowed",
        (false, true) => "type-widened",
        (false, false) => return,
    };
    let name = |types: &Types<'_>, object: &Object<'_>| match types {
        None => "any type".to_owned(),
        Some(types) if types.is_empty() && object.admits_null() => "null".to_owned(),
        Some(types) if types.is_empty() => "no value at all".to_owned(),
        Some(types) => types.iter().copied().collect::<Vec<_>>().join(" or "),
    };
    let change = found.add(rule, pair.at("type")).detail(name(&new, &pair.new));
    change.word("old", name(&old, &pair.old));
}

pub(super) fn null(found: &mut Findings<'_, '_>) {
    let (old, new) = (&found.pair.old, &found.pair.new);
    // A union says it of all its alternatives; a rule of types says it where any value is valid.
    let is_any = |object: &Object<'_>| types(object).is_none() && object.alternatives().is_none();
    if !old.is_alternative() && !new.is_alternative() && is_any(old) == is_any(new) {
        let member = if new.get("nullable").is_some() { "nullable" } else { "type" };
        found.toggled(member, Object::admits_null, ["became-nullable", "became-not-nullable"]);
    }
}

pub(super) fn default(found: &mut Findings<'_, '_>) {
    let pair = found.pair;
    let (old, new) = (pair.old.get("default"), pair.new.get("default"));
    let rule = match (old, new) {
        (None, Some(_)) => "default-added",
        (Some(_), None) => "default-removed",
        (Some(old), Some(new)) if !is_same_value(old, new) => "default-changed",
        _ => return,
    };
    let name = |value: Option<&Value>| value.map_or("nothing".to_owned(), |one| format!("`{one}`"));
    found.add(rule, pair.at("default")).detail(name(new)).word("old", name(old));
}
