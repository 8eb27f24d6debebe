//! Rules about `oneOf`, `anyOf` and their discriminators.

use serde_json::{Map, Value};

use crate::breaking::{
    alternatives::{is_reshaped, matched},
    change::Level::{Breaking, Compatible, Warning},
    object::{Alternative, Object},
    rule::{At, Found, Pair, Rule},
};

pub(super) const UNIONS: &[Rule] = &[
    Rule::schema("alternative-removed", Breaking, Compatible, |pair| {
        let removed = corresponding(pair).0.into_iter();
        removed
            .map(|alternative| {
                let name = name(&alternative);
                let sentence = pair.says(
                    format!("A client that sends {name} as {{it}} is rejected."),
                    format!("Clients no longer get {name} as {{it}}."),
                );
                let detail = detail(&pair.old, &alternative);
                Found::new(At::Old(alternative.pointer), detail, sentence)
            })
            .collect()
    })
    .because("Existing clients may send it."),
    Rule::schema("alternative-added", Compatible, Breaking, |pair| {
        let added = corresponding(pair).1.into_iter();
        added
            .map(|alternative| {
                let name = name(&alternative);
                let sentence = pair.says(
                    format!("Clients can send {name} as {{it}}."),
                    format!("A client that knows the other forms of {{it}} only can get {name}."),
                );
                let detail = detail(&pair.new, &alternative);
                Found::new(At::New(alternative.pointer), detail, sentence)
            })
            .collect()
    })
    .because("Clients know all the forms that the union lists."),
    Rule::schema("union-added", Breaking, Compatible, |pair| {
        let (None, Some((pointer, _))) = (pair.old.alternatives(), pair.new.alternatives()) else {
            return Vec::new();
        };
        let sentence = pair.says(
            "A client whose {it} has none of the listed forms is rejected.",
            "Clients get {it} in one of the listed forms.",
        );
        redescribed(pair, At::New(pointer), sentence)
    })
    .because("Existing clients may send another form."),
    Rule::schema("union-removed", Compatible, Breaking, |pair| {
        let (Some((pointer, _)), None) = (pair.old.alternatives(), pair.new.alternatives()) else {
            return Vec::new();
        };
        let sentence = pair.says(
            "Clients can send {it} in a form that was not listed.",
            "A client can get {it} in a form that was not listed.",
        );
        redescribed(pair, At::Old(pointer), sentence)
    })
    .because("Clients know all the forms that the union lists."),
    Rule::schema("discriminator-changed", Breaking, Breaking, |pair| {
        let property = |object: &Object<'_>| {
            Some(object.get("discriminator")?.get("propertyName")?.as_str()?.to_owned())
        };
        let (old, new) = (property(&pair.old), property(&pair.new));
        if old == new {
            return Vec::new();
        }
        let is_changed = old.is_some() && new.is_some();
        let name = |one: Option<String>| one.map_or("nothing".to_owned(), |one| format!("`{one}`"));
        let (old, new) = (name(old), name(new));
        let sentence = format!("Which form {{it}} has is told by {new} instead of {old}.");
        let found = Found::new(pair.at("discriminator"), new, sentence);
        vec![if is_changed { found } else { found.level(Warning) }]
    })
    .because("Generated clients choose the form by this property; without one they try each."),
    Rule::schema("discriminator-value-removed", Breaking, Compatible, |pair| {
        mapping_changed(&pair.old, &pair.new, |value| {
            let sentence = pair.says(
                format!("A client that sends the form `{value}` of {{it}} is rejected."),
                format!("Clients no longer get the form `{value}` of {{it}}."),
            );
            Found::new(pair.in_old("discriminator"), value, sentence)
        })
    })
    .because("Existing clients may send it."),
    Rule::schema("discriminator-value-added", Compatible, Breaking, |pair| {
        mapping_changed(&pair.new, &pair.old, |value| {
            let sentence = pair.says(
                format!("Clients can send the form `{value}` of {{it}}."),
                format!("A client that knows the other forms of {{it}} only can get `{value}`."),
            );
            Found::new(pair.in_new("discriminator"), value, sentence)
        })
    })
    .because("Clients know all the forms that the discriminator lists."),
];

/// Returns the alternatives that one side has; none if no alternatives correspond, because then
/// another rule reports the whole change.
fn corresponding(pair: &Pair<'_>) -> (Vec<Alternative>, Vec<Alternative>) {
    let matched = matched(pair);
    if is_reshaped(pair) && matched.both.is_empty() {
        return (Vec::new(), Vec::new());
    }
    (matched.removed, matched.added)
}

/// Finds a union in place of a schema, or the reverse. If no alternative corresponds to the schema,
/// no value is known to be valid still.
fn redescribed(pair: &Pair<'_>, place: At, sentence: String) -> Vec<Found> {
    match (is_reshaped(pair), matched(pair).both.is_empty()) {
        (true, false) => Vec::new(),
        (true, true) => vec![Found::new(place, "", sentence).level(Breaking)],
        (false, _) => vec![Found::new(place, "", sentence)],
    }
}

/// Returns the name, or the text of an alternative without a name.
fn detail(object: &Object<'_>, alternative: &Alternative) -> String {
    let text = object.document.value().pointer(&alternative.pointer).map(Value::to_string);
    alternative.name.clone().or(text).unwrap_or_default()
}

fn name(alternative: &Alternative) -> String {
    match &alternative.name {
        Some(name) => format!("`{name}`"),
        None => "a form without a name".to_owned(),
    }
}

/// Finds the values of `has` that `lacks`, which has a mapping too, does not list.
fn mapping_changed(
    has: &Object<'_>,
    lacks: &Object<'_>,
    found: impl Fn(&str) -> Found,
) -> Vec<Found> {
    let mapping = |object: &Object<'_>| -> Option<Vec<String>> {
        let mapping = object.get("discriminator")?.get("mapping").and_then(Value::as_object)?;
        Some(Map::keys(mapping).cloned().collect())
    };
    let (Some(own), Some(others)) = (mapping(has), mapping(lacks)) else {
        return Vec::new();
    };
    own.iter().filter(|value| !others.contains(value)).map(|value| found(value)).collect()
}
