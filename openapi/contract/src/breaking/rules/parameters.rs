//! Rules about the parameters of operations: those of the path are paired by their position in it,
//! the others by location and name.

use std::mem;

use openapi_document::{Location, Operation, Parameter, normal_media_type};
use serde_json::Value;

use super::{bodies::enter_schemas, values::types};
use crate::breaking::{
    change::Level::{Breaking, Compatible},
    equality::ANNOTATIONS,
    lifecycle::has_ended,
    matched::Matched,
    object::Object,
    rule::{At, Findings, Found, InDocument, Kind, Pair},
    step::Step,
};

pub(super) fn operation(found: &mut Findings<'_, '_>) {
    let (matched, moved) = matched(found.pair);
    let [old, new] = [found.pair.old.document, found.pair.new.document];
    for parameter in matched.added {
        let rule = match parameter.required {
            // Every request has it, whether the document declares it or not.
            _ if parameter.location == Location::Path => "path-parameter-declared",
            true => "request-required-parameter-added",
            false => "request-optional-parameter-added",
        };
        let added = add(found, parameter, At::New, rule);
        if parameter.location == Location::Path
            && !is_any_text(&Object::at(new, &parameter.pointer))
        {
            added.level(Breaking).says("A client that sends other values as {it} is rejected.");
        }
    }
    for parameter in matched.removed {
        if parameter.location == Location::Path {
            add(found, parameter, At::Old, "path-parameter-undeclared");
            continue;
        }
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
        let step = Step::Part("parameter", new.name.clone());
        found.enter_at(step, Kind::Parameter, &old.pointer, &new.pointer);
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
    let is_required =
        |object: &Object<'_>| object.flag("required") || object.text("in") == Some("path");
    let rules = ["request-parameter-became-required", "request-parameter-became-optional"];
    found.toggled("required", is_required, rules);
    let rules = ["request-parameter-empty-allowed", "request-parameter-empty-forbidden"];
    found.toggled(EMPTY, |object| object.flag(EMPTY), rules);
    representation(found, "request-parameter");
    enter_schemas(found);
}

/// Finds that the value of a parameter or a header is written differently.
pub(super) fn representation(found: &mut Findings<'_, '_>, rules: &str) {
    let pair = found.pair;
    let (old, new) = (style(pair, &pair.old), style(pair, &pair.new));
    if old != new {
        let member = if pair.new.get("style").is_some() { "style" } else { "explode" };
        let changed = found.add(&format!("{rules}-style-changed"), pair.at(member));
        changed.detail(new).word("old", old);
    }
    let media_types = |object: &Object<'_>| {
        let names = object.members("content").into_iter();
        names.map(|(name, _)| normal_media_type(name)).collect::<Vec<_>>()
    };
    let new = media_types(&pair.new);
    if media_types(&pair.old) != new {
        let name = if new.is_empty() { "text".to_owned() } else { new.join(" ") };
        found.add(&format!("{rules}-content-changed"), pair.at("content")).detail(name);
    }
}

/// Returns true if the values of a parameter or a header may have this type.
fn may_be(parameter: &Object<'_>, name: &str) -> bool {
    let schemas = parameter.all("schema").into_iter().map(|part| part.pointer).collect();
    let types = types(&Object::schema(parameter.document, schemas));
    types.is_none_or(|types| types.contains(name))
}

/// Returns the style with the default of the location, and `explode` where it has an effect on the
/// values of one of the sides.
fn style(pair: &Pair<'_>, parameter: &Object<'_>) -> String {
    let by_default = match parameter.text("in") {
        Some("query" | "cookie") => "form",
        _ => "simple",
    };
    let style = parameter.text("style").unwrap_or(by_default);
    let explode = parameter.get("explode").and_then(Value::as_bool).unwrap_or(style == "form");
    // The elements of an array in `simple` have commas between them either way.
    let affected: &[&str] = match style {
        "deepObject" => &[],
        "simple" => &["object"],
        _ => &["array", "object"],
    };
    let is_affected =
        |name: &&str| [&pair.old, &pair.new].into_iter().any(|side| may_be(side, name));
    if affected.iter().any(is_affected) {
        format!("style `{style}`, explode {explode}")
    } else {
        format!("style `{style}`")
    }
}

/// Returns the pairs, and those of parameters of one name in different locations.
pub(super) fn matched<'d>(
    pair: &Pair<'d>,
) -> (Matched<&'d Parameter>, Vec<(&'d Parameter, &'d Parameter)>) {
    let parameters = |side: Option<&'d Operation>| -> Vec<&'d Parameter> {
        let all = side.map_or(&[][..], |it| &it.parameters).iter();
        all.filter(|parameter| !is_ignored(parameter)).collect()
    };
    let path = |side: Option<&'d Operation>| side.map_or("", |it| &it.path);
    let (old, new) = (pair.old.operation, pair.new.operation);
    let mut matched = Matched::of(parameters(old), parameters(new));
    matched.pair(|before, after| key(before, path(old)) == key(after, path(new)));
    let both = mem::take(&mut matched.both);
    let is_moved = |before: &Parameter, after: &Parameter| {
        ![before.location, after.location].contains(&Location::Path)
            && after.name.eq_ignore_ascii_case(&before.name)
    };
    matched.pair(|before, after| is_moved(before, after));
    let moved = mem::replace(&mut matched.both, both);
    (matched, moved)
}

/// Returns true for a header that other parts of the document describe (OpenAPI, § 4.7.12.1).
fn is_ignored(parameter: &Parameter) -> bool {
    let is_name = |name: &&str| parameter.name.eq_ignore_ascii_case(name);
    parameter.location == Location::Header
        && ["accept", "authorization", "content-type"].iter().any(is_name)
}

/// Returns true if every text is a value of the parameter.
fn is_any_text(parameter: &Object<'_>) -> bool {
    let parts = parameter.all("schema").into_iter();
    parts.filter_map(|part| parameter.document.resolve(&part.pointer).ok()).all(|schema| {
        let mut members = schema.value.as_object().into_iter().flatten();
        members.all(|(name, value)| {
            ANNOTATIONS.contains(&name.as_str()) || name == "type" && value == "string"
        })
    })
}

fn key(parameter: &Parameter, path: &str) -> (Location, String) {
    let name = &parameter.name;
    let name = match parameter.location {
        Location::Path => {
            let mut names = path.split('{').map(|part| part.split('}').next());
            let position = names.position(|part| part == Some(name));
            position.map_or_else(|| name.clone(), |position| position.to_string())
        }
        Location::Header => name.to_ascii_lowercase(),
        Location::Query | Location::Cookie => name.clone(),
    };
    (parameter.location, name)
}
