//! Rules about the properties of objects, and the elements of arrays. Requests lack the `readOnly`
//! properties, responses the `writeOnly` ones.

use std::collections::{BTreeMap, BTreeSet};

use openapi_document::{Direction as Sent, excludes_property, pointer::join};
use serde_json::{Map, Value, json};

use crate::breaking::{
    change::{
        Direction,
        Level::{Breaking, Compatible},
    },
    lifecycle::has_ended,
    object::{Object, Part},
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
        let is_rejected = is_closed(&pair.new) || pair.new.get("unevaluatedProperties").is_some();
        if is_request && is_rejected {
            removed.level(Breaking).says("A client that sends {it} is rejected.");
        } else if !is_closed(&pair.new)
            && !schemas_of(&pair.new, name).is_empty()
            && (is_request || !old.required.contains(name))
        {
            // The schemas are compared below.
            removed.level(Compatible).says("{it} is one of the further properties now.");
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
                let added = found.add("optional-property-added", place).inside(step(name));
                match is_never_valid(&pair.new, pointers) {
                    true if is_request => {
                        added.level(Breaking).says("A client that sends {it} is rejected.");
                    }
                    true => _ = added.says("Clients never get {it}."),
                    false => {}
                }
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
    schemas_of_properties(found, &old, &new);
}

/// Compares the schemas that hold for each property, and those of an error's details.
fn schemas_of_properties(found: &mut Findings<'_, '_>, old: &Properties<'_>, new: &Properties<'_>) {
    let pair = found.pair;
    let names: BTreeSet<&str> = old.sent.keys().chain(new.sent.keys()).copied().collect();
    for name in names.into_iter().filter(|name| !old.is_unsent(name) && !new.is_unsent(name)) {
        let (before, after) = (schemas_of(&pair.old, name), schemas_of(&pair.new, name));
        if !before.is_empty() && !after.is_empty() {
            found.enter_schema(Some(step(name)), before, after);
        }
    }
    // The details of each code.
    let after = pair.new.members("x-by-code");
    for (code, before) in pair.old.members("x-by-code") {
        if let Some((_, after)) = after.iter().find(|(other, _)| *other == code) {
            let step = Step::Alternative(code.to_owned());
            found.enter_schema(Some(step), vec![before], vec![after.clone()]);
        }
    }
}

/// Returns true if a schema says that the property is never there.
fn is_never_valid(object: &Object<'_>, pointers: &[String]) -> bool {
    let schema = Object::schema(object.document, pointers.to_vec());
    schema.all("not").iter().any(|part| part.value == &json!({}))
}

/// Returns the pointers of the schemas that hold for a property: in each part those of its name and
/// of the patterns that it has, else that of the additional properties.
fn schemas_of(object: &Object<'_>, name: &str) -> Vec<String> {
    let has_pattern = |pattern: &str, pointer: &str| {
        let schema = json!({ "type": "string", "pattern": pattern });
        let validator = object.document.validator_of(pointer, &schema, Sent::Either);
        // A pattern that cannot be read may be the name's.
        validator.map_or(true, |validator| validator.is_valid(&name.into()))
    };
    let of_part = |part: &Part<'_>| {
        let members = |map: &str| {
            let names = part.value.get(map).and_then(Value::as_object);
            let names = names.into_iter().flat_map(Map::keys);
            let at = join(&part.pointer, map);
            names.map(|name| (name.clone(), join(&at, name))).collect::<Vec<_>>()
        };
        let named = members("properties").into_iter().filter(|(own, _)| own == name);
        let patterns = members("patternProperties").into_iter();
        let patterns = patterns.filter(|(pattern, pointer)| has_pattern(pattern, pointer));
        let mut all: Vec<String> = named.chain(patterns).map(|(_, pointer)| pointer).collect();
        if all.is_empty() && part.value.get(ADDITIONAL).is_some_and(is_restricting) {
            all.push(join(&part.pointer, ADDITIONAL));
        }
        all
    };
    object.parts.iter().flat_map(of_part).collect()
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
    let toggled = found.toggled(ADDITIONAL, is_closed, rules);
    if let Some(change) = toggled
        && pair.direction == Direction::Response
        && is_closed(&pair.new)
        && is_map(&pair.old)
    {
        change.level(Breaking).says("A client that reads further properties of {it} gets none.");
    }
    match (is_typed(&pair.old), is_typed(&pair.new)) {
        (false, true) if !is_closed(&pair.old) => {
            found.add("additional-properties-typed", pair.in_new(ADDITIONAL));
        }
        (true, false) if !is_closed(&pair.new) => {
            found.add("additional-properties-untyped", pair.in_old(ADDITIONAL));
        }
        _ => {}
    }
    found.enter_nested(Some(Step::Values), ADDITIONAL);
}

fn items(found: &mut Findings<'_, '_>) {
    let is_array = |object: &Object<'_>| object.text("type") == Some("array");
    // Two schemas of elements are compared with each other.
    let is_of_one = found.pair.old.get("items").is_some() != found.pair.new.get("items").is_some();
    if is_of_one && is_array(&found.pair.old) && is_array(&found.pair.new) {
        let is_typed = |array: &Object<'_>| array.get("items").is_some_and(is_restricting);
        found.toggled("items", is_typed, ["items-typed", "items-untyped"]);
    }
    found.enter_nested(Some(Step::Items), "items");
}

fn is_closed(object: &Object<'_>) -> bool {
    object.all(ADDITIONAL).iter().any(|part| part.value == &Value::Bool(false))
}

/// Returns true if an object has no other properties than those that are named.
pub(super) fn has_named_alone(object: &Object<'_>) -> bool {
    is_closed(object) && object.get("patternProperties").is_none()
}

/// Returns true if an object is documented to have further properties: typed ones, or nothing else.
fn is_map(object: &Object<'_>) -> bool {
    let is_open = object.all(ADDITIONAL).iter().any(|part| part.value != &Value::Bool(false));
    is_typed(object) || is_open && object.members("properties").is_empty()
}

fn is_typed(object: &Object<'_>) -> bool {
    object.all(ADDITIONAL).iter().any(|part| is_restricting(part.value))
}

/// Returns true for a schema other than `{}`.
fn is_restricting(value: &Value) -> bool {
    value.as_object().is_some_and(|schema| !schema.is_empty())
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

/// Each property has the pointers of its schemas, one at least.
#[derive(Debug)]
pub(super) struct Properties<'d> {
    pub(super) all: BTreeMap<&'d str, Vec<String>>,
    /// Those that are sent in the direction.
    sent: BTreeMap<&'d str, Vec<String>>,
    /// The names that must be present in the direction.
    pub(super) required: BTreeSet<&'d str>,
}

impl<'d> Properties<'d> {
    pub(super) fn of(object: &Object<'d>, direction: Direction) -> Self {
        let mut all: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for (name, pointer) in object.members("properties") {
            all.entry(name).or_default().push(pointer);
        }
        let is_excluded =
            |name: &str| object.parts.iter().any(|part| excludes_property(part.value, name));
        all.retain(|name, _| !is_excluded(name));
        let against = match direction {
            Direction::Request => "readOnly",
            Direction::Response => "writeOnly",
        };
        let is_unsent =
            |pointer: &String| Object::schema(object.document, vec![pointer.clone()]).flag(against);
        let mut sent = all.clone();
        sent.retain(|_, pointers| !pointers.iter().any(is_unsent));
        let mut required: BTreeSet<&str> = object.texts("required").into_iter().collect();
        required.retain(|name| !all.contains_key(name) || sent.contains_key(name));
        Self { all, sent, required }
    }

    /// Returns true for a property that is sent in the other direction alone.
    fn is_unsent(&self, name: &str) -> bool {
        self.all.contains_key(name) && !self.sent.contains_key(name)
    }
}
