//! Rules about the parameters of operations.

use openapi_document::{Location, Parameter};

use crate::breaking::{
    change::Level::{Breaking, Compatible, Warning},
    lifecycle::has_ended,
    object::Object,
    parameters::matched,
    rule::{At, Found, Rule},
    step::Step,
};

pub(super) const OPERATIONS: &[Rule] = &[
    Rule::fixed("request-required-parameter-added", Breaking, |pair| {
        let sentence = "A client that does not send {it} is rejected.";
        let added = matched(pair).added.into_iter().filter(|parameter| parameter.required);
        added.map(|parameter| of_new(parameter, sentence)).collect()
    })
    .because("Existing clients do not send it."),
    Rule::fixed("request-optional-parameter-added", Compatible, |pair| {
        let added = matched(pair).added.into_iter().filter(|parameter| !parameter.required);
        added.map(|parameter| of_new(parameter, "Clients can send {it}.")).collect()
    })
    .because("Existing clients do not send it, and need not."),
    Rule::fixed("request-parameter-removed", Breaking, |pair| {
        let sentence = "A client that sends {it} is rejected, or gets a response as without it.";
        let removed = matched(pair).removed.into_iter();
        removed
            .map(|parameter| {
                let place = At::Old(parameter.pointer.clone());
                let found = Found::new(place, "", sentence).inside(step(parameter));
                let definition = Object::at(pair.old.document, &parameter.pointer);
                if has_ended(&definition) { found.level(Compatible) } else { found }
            })
            .collect()
    })
    .because("A filter that is ignored returns other data. After an announced end: compatible."),
    Rule::fixed("request-parameter-location-changed", Breaking, |pair| {
        let moved = matched(pair).moved.into_iter();
        moved
            .map(|(old, new)| {
                let sentence = format!(
                    "A client that sends {{it}} in the {} must send it in the {}.",
                    old.location, new.location
                );
                of_new(new, &sentence)
            })
            .collect()
    })
    .because("The server no longer looks where existing clients put it."),
    Rule::fixed("path-parameter-renamed", Warning, |pair| {
        let both = matched(pair).both.into_iter();
        both.filter(|(old, new)| old.location == Location::Path && old.name != new.name)
            .map(|(old, new)| {
                let sentence = format!(
                    "The path parameter `{}` is called {{it}}: generated clients rename it.",
                    old.name
                );
                of_new(new, &sentence)
            })
            .collect()
    })
    .because("Requests stay the same; generated clients name an argument after it."),
];

pub(super) const PARAMETERS: &[Rule] = &[
    Rule::fixed("request-parameter-became-required", Breaking, |pair| {
        let is_it = !is_required(&pair.old) && is_required(&pair.new);
        let sentence = "A client that does not send {it} is rejected.";
        is_it.then(|| Found::new(pair.at("required"), "", sentence)).into_iter().collect()
    })
    .because("Existing clients may leave it out."),
    Rule::fixed("request-parameter-became-optional", Compatible, |pair| {
        let is_it = is_required(&pair.old) && !is_required(&pair.new);
        let sentence = "Clients need not send {it}.";
        is_it.then(|| Found::new(pair.at("required"), "", sentence)).into_iter().collect()
    })
    .because("Existing clients send it."),
    Rule::fixed("request-parameter-style-changed", Breaking, |pair| {
        let (old, new) = (style(&pair.old), style(&pair.new));
        let sentence = format!("A client that writes {{it}} as {old} must write it as {new}.");
        let member = if pair.new.get("style").is_some() { "style" } else { "explode" };
        let found = || Found::new(pair.at(member), new.clone(), sentence);
        (old != new).then(found).into_iter().collect()
    })
    .because("The same value is written differently on the wire."),
    Rule::fixed("request-parameter-empty-forbidden", Breaking, |pair| {
        let is_it = pair.old.flag(EMPTY) && !pair.new.flag(EMPTY);
        let sentence = "A client that sends {it} without a value is rejected.";
        is_it.then(|| Found::new(pair.at(EMPTY), "", sentence)).into_iter().collect()
    })
    .because("Existing clients may send the name alone."),
    Rule::fixed("request-parameter-empty-allowed", Compatible, |pair| {
        let is_it = !pair.old.flag(EMPTY) && pair.new.flag(EMPTY);
        let sentence = "Clients can send {it} without a value.";
        is_it.then(|| Found::new(pair.at(EMPTY), "", sentence)).into_iter().collect()
    })
    .because("Existing clients send a value."),
    Rule::fixed("request-parameter-content-changed", Breaking, |pair| {
        let (old, new) = (media_types(&pair.old), media_types(&pair.new));
        let sentence = "A client that sends {it} must encode it in another format.";
        let found = || Found::new(pair.at("content"), new.join(" "), sentence);
        (old != new).then(found).into_iter().collect()
    })
    .because("The same value is written differently on the wire."),
];

const EMPTY: &str = "allowEmptyValue";

fn of_new(parameter: &Parameter, sentence: &str) -> Found {
    Found::new(At::New(parameter.pointer.clone()), "", sentence).inside(step(parameter))
}

fn step(parameter: &Parameter) -> Step {
    Step::Part("parameter", parameter.name.clone())
}

fn is_required(parameter: &Object<'_>) -> bool {
    parameter.flag("required") || parameter.text("in") == Some("path")
}

/// Returns style and explode, with the defaults of the location.
fn style(parameter: &Object<'_>) -> String {
    let by_default = match parameter.text("in") {
        Some("query" | "cookie") => "form",
        _ => "simple",
    };
    let style = parameter.text("style").unwrap_or(by_default);
    let explode = parameter.get("explode").and_then(serde_json::Value::as_bool);
    let explode = explode.unwrap_or(style == "form");
    format!("style `{style}`, explode {explode}")
}

fn media_types<'d>(parameter: &Object<'d>) -> Vec<&'d str> {
    parameter.members("content").into_iter().map(|(name, _)| name).collect()
}
