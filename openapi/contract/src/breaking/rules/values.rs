//! Rules about the values of a schema: type, null, format, fixed sets, default.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::breaking::{
    change::Level::{Breaking, Compatible, Warning},
    object::{Object, Part},
    rule::{At, Found, Pair, Rule},
};

pub(super) const VALUES: &[Rule] = &[
    Rule::schema("type-changed", Breaking, Breaking, |pair| {
        types_changed(pair, |removed, added| removed && added)
    })
    .because("Values of one type are not values of the other."),
    Rule::schema("type-narrowed", Breaking, Compatible, |pair| {
        types_changed(pair, |removed, added| removed && !added)
    })
    .because("A server may accept more than clients send, and send less than clients accept."),
    Rule::schema("type-widened", Compatible, Breaking, |pair| {
        types_changed(pair, |removed, added| !removed && added)
    })
    .because("A server may accept more than clients send, and send less than clients accept."),
    Rule::schema("became-nullable", Compatible, Breaking, |pair| {
        let sentence =
            pair.says("Clients can send null as {it}.", "A client can get null as {it}.");
        null_changed(pair, true, sentence)
    })
    .because("Clients that do not expect null fail on it."),
    Rule::schema("became-not-nullable", Breaking, Compatible, |pair| {
        let sentence =
            pair.says("A client that sends null as {it} is rejected.", "{it} is never null.");
        null_changed(pair, false, sentence)
    })
    .because("Existing clients may send null."),
    Rule::schema("default-added", Warning, Compatible, |pair| {
        default_changed(pair, |old, new| old.is_none() && new.is_some())
    })
    .because("What the server did without the value was not documented; it may differ."),
    Rule::schema("default-changed", Breaking, Compatible, |pair| {
        default_changed(pair, |old, new| old.is_some() && new.is_some() && old != new)
    })
    .because("The same request means something else."),
    Rule::schema("default-removed", Breaking, Compatible, |pair| {
        default_changed(pair, |old, new| old.is_some() && new.is_none())
    })
    .because("What a request without the value means is no longer documented."),
    Rule::schema("enum-value-added", Compatible, Breaking, |pair| {
        let sentence = |value: &str| {
            pair.says(
                format!("Clients can send {value} as {{it}}."),
                format!("A client that knows the other values of {{it}} only also gets {value}."),
            )
        };
        values(pair, &pair.new, &pair.old, true, sentence)
    })
    .because("A set without `x-known-values` is closed: clients know all its values."),
    Rule::schema("enum-value-removed", Breaking, Compatible, |pair| {
        let sentence = |value: &str| {
            pair.says(
                format!("A client that sends {value} as {{it}} is rejected."),
                format!("Clients no longer get {value} as {{it}}."),
            )
        };
        values(pair, &pair.old, &pair.new, false, sentence)
    })
    .because("Existing clients may send the value."),
    Rule::schema("became-enum", Breaking, Compatible, |pair| {
        let sentence = pair.says(
            "A client that sends anything but the listed values as {it} is rejected.",
            "Clients get only the listed values as {it}.",
        );
        let is_it = options(&pair.old).is_none() && options(&pair.new).is_some();
        is_it.then(|| Found::new(pair.in_new("enum"), "", sentence)).into_iter().collect()
    })
    .because("Existing clients may send another value."),
    Rule::schema("enum-opened", Compatible, Breaking, |pair| {
        let sentence = pair.says(
            "Clients can send any value as {it}.",
            "A client that knows the listed values of {it} only may get another one.",
        );
        let is_it = options(&pair.old).is_some() && options(&pair.new).is_none();
        is_it.then(|| Found::new(pair.in_old("enum"), "", sentence)).into_iter().collect()
    })
    .because("Clients know all the values of a closed set."),
    Rule::schema("known-value-added", Compatible, Compatible, |pair| {
        known_values(&pair.new, &pair.old, |value| {
            let sentence = format!("{{it}} has a new known value, {value}.");
            Found::new(pair.at("x-known-values"), value, sentence)
        })
    })
    .because("The set is open: clients expect values that they do not know."),
    Rule::schema("known-value-removed", Warning, Compatible, |pair| {
        known_values(&pair.old, &pair.new, |value| {
            let sentence = pair.says(
                format!("A client that sends {value} as {{it}} may be rejected."),
                format!("Clients no longer get {value} as {{it}}."),
            );
            Found::new(pair.in_old("x-known-values"), value, sentence)
        })
    })
    .because("An open set says nothing about the values that it does not list."),
];

/// Returns the types other than null; `None` if any type is valid.
fn types<'d>(object: &Object<'d>) -> Option<BTreeSet<&'d str>> {
    let of_part = |part: &Part<'d>| -> Option<BTreeSet<&'d str>> {
        match (part.value.get("type"), part.value.get("enum")) {
            (Some(name), _) => Some(name.as_str().into_iter().collect()),
            (None, Some(Value::Array(values))) => Some(values.iter().filter_map(type_of).collect()),
            (None, _) => None,
        }
    };
    object.parts.iter().filter_map(of_part).reduce(|one, other| {
        let narrower = |name: &&'d str| covers(&other, name);
        let both: BTreeSet<_> = one.iter().copied().filter(narrower).collect();
        let from_other = other.iter().copied().filter(|name| covers(&one, name));
        both.into_iter().chain(from_other).collect()
    })
}

/// Returns the type of a value other than null.
fn type_of(value: &Value) -> Option<&'static str> {
    Some(match value {
        Value::Null => return None,
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    })
}

fn covers(types: &BTreeSet<&str>, name: &str) -> bool {
    types.contains(name) || name == "integer" && types.contains("number")
}

fn types_changed(pair: &Pair<'_>, is_it: fn(bool, bool) -> bool) -> Vec<Found> {
    let (old, new) = (types(&pair.old), types(&pair.new));
    let exceeds = |one: &Option<BTreeSet<&str>>, other: &Option<BTreeSet<&str>>| match (one, other)
    {
        (_, None) => false,
        (None, Some(_)) => true,
        (Some(one), Some(other)) => one.iter().any(|name| !covers(other, name)),
    };
    // No value is valid if the parts contradict each other.
    let is_empty = new.as_ref().is_some_and(BTreeSet::is_empty);
    let is_void = is_empty && old != new && !pair.new.admits_null();
    if !is_it(exceeds(&old, &new), exceeds(&new, &old) || is_void) {
        return Vec::new();
    }
    let name = |types: &Option<BTreeSet<&str>>, object: &Object<'_>| match types {
        None => "any type".to_owned(),
        Some(types) if types.is_empty() && object.admits_null() => "null".to_owned(),
        Some(types) if types.is_empty() => "no value at all".to_owned(),
        Some(types) => types.iter().copied().collect::<Vec<_>>().join(" or "),
    };
    let (old, new) = (name(&old, &pair.old), name(&new, &pair.new));
    let sentence = pair.says(
        format!("The server expects {new} as {{it}} where clients send {old}."),
        format!("Clients that read {old} from {{it}} get {new}."),
    );
    vec![Found::new(pair.at("type"), new, sentence)]
}

fn null_changed(pair: &Pair<'_>, to: bool, sentence: String) -> Vec<Found> {
    let (old, new) = (&pair.old, &pair.new);
    let is_it = old.admits_null() != new.admits_null() && new.admits_null() == to;
    // A union says it of all its alternatives; a rule of types says it where any value is valid.
    let is_any = |object: &Object<'_>| types(object).is_none() && object.alternatives().is_none();
    let is_said = old.is_alternative() || new.is_alternative() || is_any(old) != is_any(new);
    let member = if new.get("nullable").is_some() { "nullable" } else { "type" };
    let found = || Found::new(pair.at(member), "", sentence);
    (is_it && !is_said).then(found).into_iter().collect()
}

fn default_changed(
    pair: &Pair<'_>,
    is_it: fn(Option<&Value>, Option<&Value>) -> bool,
) -> Vec<Found> {
    let (old, new) = (pair.old.get("default"), pair.new.get("default"));
    let name = |value: Option<&Value>| value.map_or("nothing".to_owned(), |one| format!("`{one}`"));
    let (before, after) = (name(old), name(new));
    let sentence = format!("Without {{it}}, {after} is assumed where {before} was assumed before.");
    is_it(old, new).then(|| Found::new(pair.at("default"), after, sentence)).into_iter().collect()
}

/// Returns the only valid values other than null; `None` if there is no such set.
fn options<'d>(object: &Object<'d>) -> Option<Vec<&'d Value>> {
    let lists = object
        .all("enum")
        .into_iter()
        .map(|part| part.value.as_array().into_iter().flatten().collect::<Vec<_>>());
    let constants = object.all("const").into_iter().map(|part| vec![part.value]);
    let mut options = lists.chain(constants).reduce(|mut one, other| {
        one.retain(|value| other.contains(value));
        one
    })?;
    options.retain(|value| !value.is_null());
    Some(options)
}

fn values(
    pair: &Pair<'_>,
    has: &Object<'_>,
    lacks: &Object<'_>,
    is_added: bool,
    sentence: impl Fn(&str) -> String,
) -> Vec<Found> {
    let (Some(own), Some(others)) = (options(has), options(lacks)) else {
        return Vec::new();
    };
    let member = if has.get("enum").is_some() { "enum" } else { "const" };
    let pointer = has.pointer(member);
    let place = if is_added { At::New(pointer) } else { At::Old(pointer) };
    let own = own.into_iter().filter(|value| !others.contains(value));
    own.map(|value| {
        let name = format!("`{}`", value.as_str().map_or_else(|| value.to_string(), str::to_owned));
        let found = Found::new(place.clone(), name.clone(), sentence(&name));
        if is_open(&pair.old) && is_open(&pair.new) { found.level(Compatible) } else { found }
    })
    .collect()
}

const OPEN_SETS: [&str; 2] = ["x-known-values", "x-extensible-enum"];

fn is_open(object: &Object<'_>) -> bool {
    OPEN_SETS.iter().any(|member| object.get(member).is_some_and(|value| value != false))
}

/// Finds the known values of `has` that `lacks`, an open set too, does not have.
fn known_values(has: &Object<'_>, lacks: &Object<'_>, found: impl Fn(&str) -> Found) -> Vec<Found> {
    let known = |object: &Object<'_>| -> Vec<String> {
        let lists = OPEN_SETS.iter().flat_map(|member| object.all(member));
        let values = lists.filter_map(|part| part.value.as_array()).flatten();
        values
            .map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
            .collect()
    };
    let others = known(lacks);
    let own = known(has).into_iter().filter(|value| !others.contains(value));
    own.map(|value| found(&format!("`{value}`"))).collect()
}
