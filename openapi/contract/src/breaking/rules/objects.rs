//! Rules about the properties of objects, and the elements of arrays.

use serde_json::Value;

use crate::breaking::{
    change::{
        Direction,
        Level::{Breaking, Compatible},
    },
    lifecycle::has_ended,
    object::Object,
    properties::Properties,
    rule::{At, Findings, InDocument},
    step::Step,
};

const ADDITIONAL: &str = "additionalProperties";

pub(super) fn find(found: &mut Findings<'_, '_>) {
    properties(found);
    requirements(found);
    additional_properties(found);
    items(found);
}

fn properties(found: &mut Findings<'_, '_>) {
    let (pair, direction) = (found.pair, found.pair.direction);
    let old = Properties::of(&pair.old, direction);
    let new = Properties::of(&pair.new, direction);
    let is_request = direction == Direction::Request;
    for (name, pointers) in &old.sent {
        if new.all.contains_key(name) {
            continue;
        }
        let removed =
            found.add("property-removed", At::Old(pointers[0].clone())).inside(step(name));
        if is_request && is_closed(&pair.new) {
            removed.level(Breaking).says("A client that sends {it} is rejected.");
        }
        if has_ended(&Object::schema(pair.old.document, vec![pointers[0].clone()])) {
            removed.level(Compatible);
        }
    }
    for (name, pointers) in &new.sent {
        let is_required = new.required.contains(name);
        let place = At::New(pointers[0].clone());
        match (old.all.contains_key(name), old.sent.contains_key(name)) {
            (true, true) => {}
            (true, false) => {
                let sent = found.add("property-became-sent", place).inside(step(name));
                if is_request && is_required {
                    sent.level(Breaking).says("A client that does not send {it} is rejected.");
                }
            }
            (false, _) if is_required => {
                found.add("required-property-added", place).inside(step(name));
            }
            (false, _) => {
                found.add("optional-property-added", place).inside(step(name));
            }
        }
    }
    let (rule, keyword) = match direction {
        Direction::Request => ("property-became-read-only", "readOnly"),
        Direction::Response => ("property-became-write-only", "writeOnly"),
    };
    for (name, pointers) in &new.all {
        if old.sent.contains_key(name) && !new.sent.contains_key(name) {
            let place = At::New(format!("{}/{keyword}", pointers[0]));
            found.add(rule, place).inside(step(name));
        }
    }
}

/// Finds the properties that both sides have, and only one requires.
fn requirements(found: &mut Findings<'_, '_>) {
    let pair = found.pair;
    let sides: [(_, InDocument, _, _); 2] = [
        ("property-became-required", At::New, &pair.new, &pair.old),
        ("property-became-optional", At::Old, &pair.old, &pair.new),
    ];
    for (rule, place, with, without) in sides {
        let required = Properties::of(with, pair.direction);
        let other = Properties::of(without, pair.direction);
        let names = required.required.iter().filter(|name| !other.required.contains(*name));
        let names = names
            .filter(|name| required.all.contains_key(*name) == other.all.contains_key(*name))
            // A property that is no longer sent has a rule of its own.
            .filter(|name| !other.all.contains_key(*name) || other.sent.contains_key(*name));
        for name in names {
            found.add(rule, place(required_at(with, name))).inside(step(name));
        }
    }
}

fn additional_properties(found: &mut Findings<'_, '_>) {
    let pair = found.pair;
    let rules = ["additional-properties-forbidden", "additional-properties-allowed"];
    found.toggled(ADDITIONAL, is_closed, rules);
    match (is_typed(&pair.old), is_typed(&pair.new)) {
        (false, true) if !is_closed(&pair.old) => {
            found.add("additional-properties-typed", pair.in_new(ADDITIONAL));
        }
        (true, false) if !is_closed(&pair.new) => {
            found.add("additional-properties-untyped", pair.in_old(ADDITIONAL));
        }
        _ => {}
    }
}

fn items(found: &mut Findings<'_, '_>) {
    let is_array = |object: &Object<'_>| object.text("type") == Some("array");
    if is_array(&found.pair.old) && is_array(&found.pair.new) {
        let has_items = |array: &Object<'_>| array.get("items").is_some();
        found.toggled("items", has_items, ["items-typed", "items-untyped"]);
    }
}

fn is_closed(object: &Object<'_>) -> bool {
    object.all(ADDITIONAL).iter().any(|part| part.value == &Value::Bool(false))
}

fn is_typed(object: &Object<'_>) -> bool {
    let is_schema = |value: &Value| value.as_object().is_some_and(|schema| !schema.is_empty());
    object.all(ADDITIONAL).iter().any(|part| is_schema(part.value))
}

fn step(name: &str) -> Step {
    Step::Property(name.to_owned())
}

fn required_at(object: &Object<'_>, name: &str) -> String {
    let lists = object.all("required");
    let found = lists.iter().find_map(|list| {
        let index = list.value.as_array()?.iter().position(|one| one == name)?;
        Some(format!("{}/{index}", list.pointer))
    });
    found.unwrap_or_else(|| object.pointer("required"))
}
