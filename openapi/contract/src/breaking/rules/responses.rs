//! Rules about statuses, responses and their headers.

use crate::breaking::{
    change::{
        Direction,
        Level::{Breaking, Compatible, Warning},
    },
    object::Object,
    rule::{At, Found, Kind, Pair, Rule},
    step::Step,
};

use super::bodies::{media_type_added, media_type_removed};

pub(super) const STATUSES: &[Rule] = &[
    Rule::fixed("response-success-status-removed", Breaking, |pair| {
        statuses(pair, false, is_success, |status| {
            format!("A client that waits for the status {status} no longer gets it.")
        })
    })
    .because("A success becomes a status that clients do not know as one."),
    Rule::fixed("response-success-status-added", Warning, |pair| {
        statuses(pair, true, is_success, |status| {
            format!("A client that knows the other successes only also gets the status {status}.")
        })
    })
    .because("Generated clients report a success that they do not know as an error."),
    Rule::fixed("response-error-status-removed", Compatible, |pair| {
        statuses(pair, false, is_other, |status| {
            format!("Clients no longer get the status {status}.")
        })
    })
    .because("An error that no longer occurs needs no handling."),
    Rule::fixed("response-error-status-added", Compatible, |pair| {
        statuses(pair, true, is_other, |status| format!("Clients can get the status {status}."))
    })
    .because("Clients treat statuses that they do not know by their class (RFC 9110 § 15)."),
];

pub(super) const RESPONSES: &[Rule] = &[
    Rule::fixed("response-media-type-removed", Breaking, media_type_removed)
        .because("Clients that accept this type alone get nothing they can read."),
    Rule::fixed("response-media-type-added", Compatible, media_type_added)
        .because("Clients get what they ask for in `accept`."),
    Rule::fixed("response-error-code-added", Compatible, |pair| {
        codes(&pair.new, &pair.old, |code| {
            let sentence = format!("Clients can get the code `{code}` with {{it}}.");
            Found::new(pair.in_new("x-error-codes"), code, sentence)
        })
    })
    .because("Clients treat codes that they do not know by the status."),
    Rule::fixed("response-error-code-removed", Warning, |pair| {
        codes(&pair.old, &pair.new, |code| {
            let sentence = format!("A client that handles the code `{code}` no longer gets it.");
            Found::new(pair.in_old("x-error-codes"), code, sentence)
        })
    })
    .because("The error no longer occurs, which is fine, or has another code, which is not."),
    Rule::fixed("response-header-removed", Breaking, |pair| {
        headers(&pair.old, &pair.new, |name, pointer, is_required| {
            let sentence = "A client that reads {it} no longer gets it.";
            let found = Found::new(At::Old(pointer), "", sentence).inside(header(name));
            if is_required { found } else { found.level(Warning) }
        })
    })
    .because(
        "Clients rely on a required header; an optional one may be missing anyway: a warning.",
    ),
    Rule::fixed("response-header-added", Compatible, |pair| {
        headers(&pair.new, &pair.old, |name, pointer, _| {
            Found::new(At::New(pointer), "", "Clients get {it}.").inside(header(name))
        })
    })
    .because("Clients ignore headers that they do not know."),
];

pub(super) const HEADERS: &[Rule] = &[
    Rule::fixed("response-header-became-optional", Breaking, |pair| {
        let is_it = pair.old.flag("required") && !pair.new.flag("required");
        let sentence = "A client that reads {it} may not find it.";
        is_it.then(|| Found::new(pair.at("required"), "", sentence)).into_iter().collect()
    })
    .because("Clients rely on a required header."),
    Rule::fixed("response-header-became-required", Compatible, |pair| {
        let is_it = !pair.old.flag("required") && pair.new.flag("required");
        let sentence = "Clients can rely on {it}.";
        is_it.then(|| Found::new(pair.in_new("required"), "", sentence)).into_iter().collect()
    })
    .because("Clients that cope without it cope with it."),
];

fn statuses(
    pair: &Pair<'_>,
    is_added: bool,
    is_it: fn(&str) -> bool,
    sentence: impl Fn(&str) -> String,
) -> Vec<Found> {
    let map = if pair.kind == Kind::Document { "x-unrouted-responses" } else { "responses" };
    let (has, lacks) = if is_added { (&pair.new, &pair.old) } else { (&pair.old, &pair.new) };
    let others = lacks.members(map);
    let own = has.members(map).into_iter().filter(|(name, _)| !name.starts_with("x-"));
    own.filter(|(name, _)| is_it(name))
        .filter(|(name, _)| !others.iter().any(|(other, _)| other.eq_ignore_ascii_case(name)))
        .map(|(name, pointer)| {
            let place = if is_added { At::New(pointer) } else { At::Old(pointer) };
            let step = Step::Part("response", name.to_ascii_uppercase());
            Found::new(place, "", sentence(name)).inside(step).towards(Direction::Response)
        })
        .collect()
}

fn is_success(status: &str) -> bool {
    status.starts_with('2')
}

fn is_other(status: &str) -> bool {
    !is_success(status)
}

fn codes(has: &Object<'_>, lacks: &Object<'_>, found: impl Fn(&str) -> Found) -> Vec<Found> {
    let others = lacks.texts("x-error-codes");
    let own = has.texts("x-error-codes").into_iter();
    own.filter(|code| !others.contains(code)).map(found).collect()
}

fn headers(
    has: &Object<'_>,
    lacks: &Object<'_>,
    found: impl Fn(&str, String, bool) -> Found,
) -> Vec<Found> {
    let others = lacks.members("headers");
    let own = has.members("headers").into_iter();
    own.filter(|(name, _)| !others.iter().any(|(other, _)| other.eq_ignore_ascii_case(name)))
        .map(|(name, pointer)| {
            let is_required = Object::at(has.document, &pointer).flag("required");
            found(name, pointer, is_required)
        })
        .collect()
}

fn header(name: &str) -> Step {
    Step::Part("header", name.to_ascii_lowercase())
}
