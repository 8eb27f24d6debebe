//! Rules about the parameters of operations.

use openapi_document::{Location, Parameter};
use serde_json::Value;

use crate::breaking::{
    change::Level::Compatible,
    lifecycle::has_ended,
    object::Object,
    parameters::matched,
    rule::{At, Findings, Found, InDocument},
    step::Step,
};

pub(super) fn operation(found: &mut Findings<'_, '_>) {
    let (matched, moved) = matched(found.pair);
    for parameter in matched.added {
        add(
            found,
            parameter,
            At::New,
            match parameter.required {
                true => "request-required-parameter-added",
                false => "request-optional-parameter-added",
            },
        );
    }
    let old = found.pair.old.document;
    for parameter in matched.removed {
        let removed = add(found, parameter, At::Old, "request-parameter-removed");
        if has_ended(&Object::at(old, &parameter.pointer)) {
            removed.level(Compatible);
        }
    }
    for (old, new) in moved {
        let moved = add(found, new, At::New, "request-parameter-location-changed");
        moved.word("old", old.location).word("new", new.location);
    }
    for (old, new) in matched.both {
        if old.location == Location::Path && old.name != new.name {
            add(found, new, At::New, "path-parameter-renamed").word("old", &old.name);
        }
    }
}

fn add<'f>(
    found: &'f mut Findings<'_, '_>,
    parameter: &Parameter,
    place: InDocument,
    rule: &str,
) -> &'f mut Found {
    let step = Step::Part("parameter", parameter.name.clone());
    found.add(rule, place(parameter.pointer.clone())).inside(step)
}

pub(super) fn parameter(found: &mut Findings<'_, '_>) {
    const EMPTY: &str = "allowEmptyValue";
    let pair = found.pair;
    let is_required =
        |object: &Object<'_>| object.flag("required") || object.text("in") == Some("path");
    let rules = ["request-parameter-became-required", "request-parameter-became-optional"];
    found.toggled("required", is_required, rules);
    let rules = ["request-parameter-empty-allowed", "request-parameter-empty-forbidden"];
    found.toggled(EMPTY, |object| object.flag(EMPTY), rules);
    let (old, new) = (style(&pair.old), style(&pair.new));
    if old != new {
        let member = if pair.new.get("style").is_some() { "style" } else { "explode" };
        let changed = found.add("request-parameter-style-changed", pair.at(member));
        changed.detail(new).word("old", old);
    }
    let media_types = |object: &Object<'_>| {
        let names = object.members("content").into_iter().map(|(name, _)| name.to_owned());
        names.collect::<Vec<_>>()
    };
    let new = media_types(&pair.new);
    if media_types(&pair.old) != new {
        found.add("request-parameter-content-changed", pair.at("content")).detail(new.join(" "));
    }
}

/// Returns style and explode, with the defaults of the location.
fn style(parameter: &Object<'_>) -> String {
    let by_default = match parameter.text("in") {
        Some("query" | "cookie") => "form",
        _ => "simple",
    };
    let style = parameter.text("style").unwrap_or(by_default);
    let explode = parameter.get("explode").and_then(Value::as_bool).unwrap_or(style == "form");
    format!("style `{style}`, explode {explode}")
}
