//! Rules about the properties of objects.

use serde_json::Value;

use crate::breaking::{
    change::{
        Direction,
        Level::{Breaking, Compatible, Warning},
    },
    lifecycle::has_ended,
    object::Object,
    properties::{against, all, required, sent},
    rule::{At, Found, Pair, Rule},
    step::Step,
};

pub(super) const PROPERTIES: &[Rule] = &[
    Rule::schema("property-removed", Warning, Breaking, |pair| {
        let is_rejected = pair.direction == Direction::Request && is_closed(&pair.new);
        let sentence = match (pair.direction, is_rejected) {
            (Direction::Response, _) => "A client that reads {it} no longer gets it.",
            (Direction::Request, true) => "A client that sends {it} is rejected.",
            (Direction::Request, false) => {
                "The server no longer reads {it} from clients that send it."
            }
        };
        let removed = missing(pair, &pair.old, &pair.new).into_iter();
        removed
            .map(|(name, pointer)| {
                let definition = Object::schema(pair.old.document, vec![pointer.clone()]);
                let found = Found::new(At::Old(pointer), "", sentence).inside(step(name));
                match (has_ended(&definition), is_rejected) {
                    (true, _) => found.level(Compatible),
                    (false, true) => found.level(Breaking),
                    (false, false) => found,
                }
            })
            .collect()
    })
    .because(
        "Clients lose what they read. What they send is ignored, or rejected, which is breaking. \
         After an announced end it is compatible.",
    ),
    Rule::schema("required-property-added", Breaking, Compatible, |pair| added(pair, true))
        .because("Existing clients do not send it."),
    Rule::schema("optional-property-added", Compatible, Compatible, |pair| added(pair, false))
        .because("Existing clients need not send it, and ignore what they do not know."),
    Rule::schema("property-became-required", Breaking, Compatible, |pair| {
        let sentence =
            pair.says("A client that does not send {it} is rejected.", "Clients always get {it}.");
        requirement_changed(pair, &pair.old, &pair.new, sentence, |name| {
            At::New(required_at(&pair.new, name))
        })
    })
    .because("Existing clients may leave it out."),
    Rule::schema("property-became-optional", Compatible, Breaking, |pair| {
        let sentence =
            pair.says("Clients need not send {it}.", "A client that reads {it} may not get it.");
        requirement_changed(pair, &pair.new, &pair.old, sentence, |name| {
            At::Old(required_at(&pair.old, name))
        })
    })
    .because("Clients rely on a required property."),
    Rule::fixed("request-property-became-read-only", Warning, |pair| {
        let sentence = "The server no longer reads {it} from clients that send it.";
        became_unsent(pair, Direction::Request, sentence)
    })
    .because("The server ignores it; whether the client relies on it is not known."),
    Rule::fixed("response-property-became-write-only", Breaking, |pair| {
        became_unsent(pair, Direction::Response, "A client that reads {it} no longer gets it.")
    })
    .because("Clients lose what they read."),
    Rule::schema("property-became-sent", Compatible, Compatible, |pair| {
        let required = required(&pair.new, pair.direction);
        let (before, known) = (sent(&pair.old, pair.direction), all(&pair.old));
        let now = sent(&pair.new, pair.direction).into_iter();
        now.filter(|(name, _)| known.contains_key(name) && !before.contains_key(name))
            .filter_map(|(name, pointers)| Some((name, pointers.into_iter().next()?)))
            .map(|(name, pointer)| {
                let is_rejected = pair.direction == Direction::Request && required.contains(name);
                let sentence = match (pair.direction, is_rejected) {
                    (Direction::Response, _) => "Clients get {it}.",
                    (Direction::Request, true) => "A client that does not send {it} is rejected.",
                    (Direction::Request, false) => "Clients can send {it}.",
                };
                let found = Found::new(At::New(pointer), "", sentence).inside(step(name));
                if is_rejected { found.level(Breaking) } else { found }
            })
            .collect()
    })
    .because("It is no longer `readOnly` or `writeOnly`; in a request it is breaking if required."),
    Rule::schema("additional-properties-forbidden", Breaking, Compatible, |pair| {
        let sentence = pair.says(
            "A client that sends properties of {it} that are not listed is rejected.",
            "Clients get only the listed properties of {it}.",
        );
        let is_it = !is_closed(&pair.old) && is_closed(&pair.new);
        is_it.then(|| Found::new(pair.in_new(ADDITIONAL), "", sentence)).into_iter().collect()
    })
    .because("Existing clients may send them."),
    Rule::schema("additional-properties-allowed", Compatible, Compatible, |pair| {
        let sentence = pair.says(
            "Clients can send further properties of {it}.",
            "Clients can get further properties of {it}.",
        );
        let is_it = is_closed(&pair.old) && !is_closed(&pair.new);
        is_it.then(|| Found::new(pair.at(ADDITIONAL), "", sentence)).into_iter().collect()
    })
    .because("Clients ignore properties that they do not know."),
    Rule::schema("additional-properties-typed", Breaking, Compatible, |pair| {
        let sentence = pair.says(
            "A client whose further properties of {it} do not fit the new schema is rejected.",
            "Clients know what the further properties of {it} are.",
        );
        let is_it = !is_closed(&pair.old) && !is_typed(&pair.old) && is_typed(&pair.new);
        is_it.then(|| Found::new(pair.in_new(ADDITIONAL), "", sentence)).into_iter().collect()
    })
    .because("Existing clients may send values of another type."),
    Rule::schema("additional-properties-untyped", Compatible, Breaking, |pair| {
        let sentence = pair.says(
            "Clients can send anything as further properties of {it}.",
            "A client that reads the further properties of {it} can get values of any type.",
        );
        let is_it = is_typed(&pair.old) && !is_typed(&pair.new) && !is_closed(&pair.new);
        is_it.then(|| Found::new(pair.in_old(ADDITIONAL), "", sentence)).into_iter().collect()
    })
    .because("Clients rely on the type of the values."),
    Rule::schema("items-typed", Breaking, Compatible, |pair| {
        let sentence = pair.says(
            "A client whose elements of {it} do not fit the new schema is rejected.",
            "Clients know what the elements of {it} are.",
        );
        items_changed(pair, true, sentence)
    })
    .because("Existing clients may send elements of another type."),
    Rule::schema("items-untyped", Compatible, Breaking, |pair| {
        let sentence = pair.says(
            "Clients can send any elements in {it}.",
            "A client that reads the elements of {it} can get any.",
        );
        items_changed(pair, false, sentence)
    })
    .because("Clients rely on the type of the elements."),
];

const ADDITIONAL: &str = "additionalProperties";

fn is_closed(object: &Object<'_>) -> bool {
    object.all(ADDITIONAL).iter().any(|part| part.value == &Value::Bool(false))
}

fn is_typed(object: &Object<'_>) -> bool {
    object
        .all(ADDITIONAL)
        .iter()
        .any(|part| part.value.as_object().is_some_and(|one| !one.is_empty()))
}

fn items_changed(pair: &Pair<'_>, is_new: bool, sentence: String) -> Vec<Found> {
    let has_items = |object: &Object<'_>| object.get("items").is_some();
    let is_array = |object: &Object<'_>| object.text("type") == Some("array");
    let is_it = has_items(&pair.new) == is_new && has_items(&pair.old) != is_new;
    let found = || Found::new(pair.at("items"), "", sentence);
    (is_it && is_array(&pair.old) && is_array(&pair.new)).then(found).into_iter().collect()
}

fn step(name: &str) -> Step {
    Step::Property(name.to_owned())
}

/// Returns the properties that `has` sends and `lacks` does not declare.
fn missing<'d>(pair: &Pair<'d>, has: &Object<'d>, lacks: &Object<'d>) -> Vec<(&'d str, String)> {
    let others = all(lacks);
    let own = sent(has, pair.direction).into_iter();
    own.filter(|(name, _)| !others.contains_key(name))
        .filter_map(|(name, pointers)| Some((name, pointers.into_iter().next()?)))
        .collect()
}

fn added(pair: &Pair<'_>, is_required: bool) -> Vec<Found> {
    let required = required(&pair.new, pair.direction);
    let sentence = match (pair.direction, is_required) {
        (Direction::Request, true) => "A client that does not send {it} is rejected.",
        (Direction::Request, false) => "Clients can send {it}.",
        (Direction::Response, _) => "Clients get {it}.",
    };
    let added = missing(pair, &pair.new, &pair.old).into_iter();
    added
        .filter(|(name, _)| required.contains(name) == is_required)
        .map(|(name, pointer)| Found::new(At::New(pointer), "", sentence).inside(step(name)))
        .collect()
}

/// Finds the properties that both sides have, and only `with` requires.
fn requirement_changed(
    pair: &Pair<'_>,
    without: &Object<'_>,
    with: &Object<'_>,
    sentence: String,
    place: impl Fn(&str) -> At,
) -> Vec<Found> {
    let optional = required(without, pair.direction);
    let (properties, others) = (all(with), all(without));
    // A property that is no longer sent has a rule of its own.
    let is_sent = |object: &Object<'_>, name: &str| {
        !all(object).contains_key(name) || sent(object, pair.direction).contains_key(name)
    };
    let names = required(with, pair.direction).into_iter();
    names
        .filter(|name| !optional.contains(name))
        .filter(|name| properties.contains_key(name) == others.contains_key(name))
        .filter(|name| is_sent(without, name))
        .map(|name| Found::new(place(name), "", sentence.clone()).inside(step(name)))
        .collect()
}

fn required_at(object: &Object<'_>, name: &str) -> String {
    let lists = object.all("required");
    let found = lists.iter().find_map(|list| {
        let index = list.value.as_array()?.iter().position(|one| one == name)?;
        Some(format!("{}/{index}", list.pointer))
    });
    found.unwrap_or_else(|| object.pointer("required"))
}

fn became_unsent(pair: &Pair<'_>, direction: Direction, sentence: &str) -> Vec<Found> {
    if pair.direction != direction {
        return Vec::new();
    }
    let (before, now) = (sent(&pair.old, direction), sent(&pair.new, direction));
    let unsent = all(&pair.new).into_iter().filter(|(name, _)| !now.contains_key(name));
    unsent
        .filter(|(name, _)| before.contains_key(name))
        .filter_map(|(name, pointers)| Some((name, pointers.into_iter().next()?)))
        .map(|(name, pointer)| {
            let keyword = format!("{pointer}/{}", against(direction));
            Found::new(At::New(keyword), "", sentence).inside(step(name))
        })
        .collect()
}
