//! Rules about request bodies, and the media types of bodies in both directions.

use openapi_document::normal_media_type;

use crate::breaking::{
    change::{Direction, Level::Breaking},
    object::Object,
    rule::{Findings, Kind},
    step::Step,
};

pub(super) fn operation(found: &mut Findings<'_, '_>) {
    let pair = found.pair;
    let has_body = |object: &Object<'_>| object.get("requestBody").is_some();
    let step = Step::Part("request body", String::new());
    match (has_body(&pair.old), has_body(&pair.new)) {
        (false, true) => {
            let body = Object::at(pair.new.document, &pair.new.pointer("requestBody"));
            let added = found.add("request-body-added", pair.in_new("requestBody")).inside(step);
            if body.flag("required") {
                added.level(Breaking).says("A client that sends no body is rejected.");
            }
        }
        (true, false) => {
            found.add("request-body-removed", pair.in_old("requestBody")).inside(step);
        }
        (true, true) => {
            let (old, new) = (pair.old.pointer("requestBody"), pair.new.pointer("requestBody"));
            found.enter_at(step, Kind::RequestBody, &old, &new);
        }
        (false, false) => {}
    }
}

pub(super) fn request_body(found: &mut Findings<'_, '_>) {
    let rules = ["request-body-became-required", "request-body-became-optional"];
    found.toggled("required", |body| body.flag("required"), rules);
    media_types(found);
}

pub(super) fn media_type(found: &mut Findings<'_, '_>) {
    let rules = ["body-schema-added", "body-schema-removed"];
    found.toggled("schema", |media| media.get("schema").is_some(), rules);
    if found.pair.old.get("encoding") != found.pair.new.get("encoding") {
        found.add("body-encoding-changed", found.pair.at("encoding"));
    }
    found.enter_nested(None, "schema");
}

/// Enters the schema of a parameter or a header, and its media types.
pub(super) fn enter_schemas(found: &mut Findings<'_, '_>) {
    found.enter_members("content", Kind::MediaType, |name| Step::Media(name.to_owned()));
    found.enter_nested(None, "schema");
}

pub(super) fn media_types(found: &mut Findings<'_, '_>) {
    let is_request = found.pair.direction == Direction::Request;
    // A server that accepts a range of types accepts each of them.
    let is_covered =
        |name: &&str, range: &&str| is_same(name, range) || is_request && is_within(name, range);
    found.one_sided(
        ["media-type-removed", "media-type-added"],
        |body| body.members("content"),
        is_covered,
        |found, name| {
            found.inside(Step::Media((*name).to_owned())).word("name", name);
        },
    );
    enter_schemas(found);
    enter_ranges(found);
}

/// Compares a media type that one side alone names with the range that holds for it on the other.
fn enter_ranges(found: &mut Findings<'_, '_>) {
    let (old, new) = (found.pair.old.members("content"), found.pair.new.members("content"));
    for (own, others, is_new) in [(&old, &new, false), (&new, &old, true)] {
        let alone = |(name, _): &&(&str, _)| !others.iter().any(|(other, _)| is_same(name, other));
        for (name, pointer) in own.iter().filter(alone) {
            let ranges = others.iter().filter(|(range, _)| is_within(name, range));
            if let Some((_, range)) = ranges.max_by_key(|(range, _)| !range.starts_with('*')) {
                let (old, new) = if is_new { (range, pointer) } else { (pointer, range) };
                found.enter_at(Step::Media((*name).to_owned()), Kind::MediaType, old, new);
            }
        }
    }
}

fn is_same(one: &str, other: &str) -> bool {
    normal_media_type(one) == normal_media_type(other)
}

/// Returns true if a range, such as `image/*`, has the media type.
fn is_within(name: &str, range: &str) -> bool {
    let (name, range) = (normal_media_type(name), normal_media_type(range));
    range.strip_suffix('*').is_some_and(|start| start == "*/" || name.starts_with(start))
}
