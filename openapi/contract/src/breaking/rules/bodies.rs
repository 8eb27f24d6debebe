//! Rules about request bodies, and the media types of bodies in both directions.

use crate::breaking::{
    change::{
        Direction,
        Level::{Breaking, Compatible},
    },
    object::Object,
    rule::{At, Found, Pair, Rule},
    step::Step,
};

pub(super) const OPERATIONS: &[Rule] = &[
    Rule::fixed("request-body-added", Compatible, |pair| {
        let Some(body) = only_in(&pair.new, &pair.old) else {
            return Vec::new();
        };
        let place = pair.in_new("requestBody");
        let found = if body.flag("required") {
            Found::new(place, "", "A client that sends no body is rejected.").level(Breaking)
        } else {
            Found::new(place, "", "Clients can send a body.")
        };
        vec![found.inside(Step::Part("request body", String::new()))]
    })
    .because("Existing clients send none; where it is required, the change is breaking."),
    Rule::fixed("request-body-removed", Breaking, |pair| {
        let sentence = "A client that sends a body is rejected, or its body is ignored.";
        let step = Step::Part("request body", String::new());
        let found = |_| Found::new(pair.in_old("requestBody"), "", sentence).inside(step);
        only_in(&pair.old, &pair.new).map(found).into_iter().collect()
    })
    .because("What clients ask for in the body no longer happens."),
];

pub(super) const REQUEST_BODIES: &[Rule] = &[
    Rule::fixed("request-body-became-required", Breaking, |pair| {
        let is_it = !pair.old.flag("required") && pair.new.flag("required");
        let sentence = "A client that sends no body is rejected.";
        is_it.then(|| Found::new(pair.in_new("required"), "", sentence)).into_iter().collect()
    })
    .because("Existing clients may send none."),
    Rule::fixed("request-body-became-optional", Compatible, |pair| {
        let is_it = pair.old.flag("required") && !pair.new.flag("required");
        let sentence = "Clients need not send a body.";
        is_it.then(|| Found::new(pair.at("required"), "", sentence)).into_iter().collect()
    })
    .because("Existing clients send one."),
    Rule::fixed("request-media-type-removed", Breaking, media_type_removed)
        .because("The server rejects bodies of this type."),
    Rule::fixed("request-media-type-added", Compatible, media_type_added)
        .because("Existing clients send another type."),
];

pub(super) const MEDIA_TYPES: &[Rule] = &[
    Rule::schema("body-schema-added", Breaking, Compatible, |pair| {
        let sentence = pair.says(
            "A client whose {it} does not fit the new schema is rejected.",
            "Clients learn what {it} contains.",
        );
        let is_it = pair.old.get("schema").is_none() && pair.new.get("schema").is_some();
        is_it.then(|| Found::new(pair.in_new("schema"), "", sentence)).into_iter().collect()
    })
    .because("Without a schema every body of the media type is valid."),
    Rule::schema("body-schema-removed", Compatible, Breaking, |pair| {
        let sentence = pair.says(
            "Clients can send anything as {it}.",
            "A client can no longer rely on what {it} contains.",
        );
        let is_it = pair.old.get("schema").is_some() && pair.new.get("schema").is_none();
        is_it.then(|| Found::new(pair.in_old("schema"), "", sentence)).into_iter().collect()
    })
    .because("Without a schema every body of the media type is valid."),
    Rule::schema("body-encoding-changed", Breaking, Breaking, |pair| {
        let sentence = pair.says(
            "A client must write the fields of {it} in another way.",
            "A client must read the fields of {it} in another way.",
        );
        let is_it = pair.old.get("encoding") != pair.new.get("encoding");
        is_it.then(|| Found::new(pair.at("encoding"), "", sentence)).into_iter().collect()
    })
    .because("The same value is written differently on the wire."),
];

fn only_in<'d>(has: &Object<'d>, lacks: &Object<'d>) -> Option<Object<'d>> {
    let is_it = has.get("requestBody").is_some() && lacks.get("requestBody").is_none();
    is_it.then(|| Object::at(has.document, &has.pointer("requestBody")))
}

pub(super) fn media_type_removed(pair: &Pair<'_>) -> Vec<Found> {
    let found = |name: &str, pointer| {
        let sentence = pair.says(
            format!("A client that sends {name} is rejected with a 415."),
            format!("A client that accepts {name} no longer gets it."),
        );
        Found::new(At::Old(pointer), "", sentence).inside(Step::Media(name.to_owned()))
    };
    missing(pair.direction, &pair.old, &pair.new, found)
}

pub(super) fn media_type_added(pair: &Pair<'_>) -> Vec<Found> {
    let found = |name: &str, pointer| {
        let sentence =
            pair.says(format!("Clients can send {name}."), format!("Clients can ask for {name}."));
        Found::new(At::New(pointer), "", sentence).inside(Step::Media(name.to_owned()))
    };
    missing(pair.direction, &pair.new, &pair.old, found)
}

fn missing(
    direction: Direction,
    has: &Object<'_>,
    lacks: &Object<'_>,
    found: impl Fn(&str, String) -> Found,
) -> Vec<Found> {
    let others = lacks.members("content");
    // A server that accepts a range of types accepts each of them.
    let covers = |range: &str, name: &str| {
        range.eq_ignore_ascii_case(name)
            || direction == Direction::Request
                && range.strip_suffix('*').is_some_and(|start| {
                    start == "*/" || name.to_ascii_lowercase().starts_with(start)
                })
    };
    let own = has.members("content").into_iter();
    own.filter(|(name, _)| !others.iter().any(|(range, _)| covers(range, name)))
        .map(|(name, pointer)| found(name, pointer))
        .collect()
}
