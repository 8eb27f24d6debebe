//! Rules about request bodies, and the media types of bodies in both directions.

use std::collections::BTreeMap;

use openapi_document::normal_media_type;
use serde_json::{Map, Value};

use super::values::types;
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
    if encodings(&found.pair.old) != encodings(&found.pair.new) {
        found.add("body-encoding-changed", found.pair.at("encoding"));
    }
    found.enter_nested(None, "schema");
}

/// Returns how the properties of a form are written, without what is the default of their types.
/// The default for objects depends on the version of OpenAPI: nothing is left out for these.
fn encodings<'d>(media: &Object<'d>) -> BTreeMap<&'d str, Map<String, Value>> {
    let schema = Object::schema(media.document, vec![media.pointer("schema")]);
    let properties = schema.members("properties");
    let is_form = media.pointer("").ends_with("/application~1x-www-form-urlencoded");
    let encoding = |(name, encoding): (&'d String, &'d Value)| {
        let mut members = encoding.as_object().cloned().unwrap_or_default();
        let own = properties.iter().filter(|(own, _)| own == name).map(|(_, at)| at.clone());
        let property = Object::schema(media.document, own.collect());
        let types = types(&property).unwrap_or_default();
        let has_parts = types.is_empty() || ["array", "object"].iter().any(|it| types.contains(it));
        if is_form && !has_parts {
            members.retain(|name, value| !(name == "style" && value == "form"));
            if !members.contains_key("style") {
                members.retain(|name, value| !(name == "explode" && value.is_boolean()));
            }
        }
        if !has_parts && property.get("format").or(property.get("contentEncoding")).is_none() {
            members.retain(|name, value| !(name == "contentType" && value == "text/plain"));
        }
        (name.as_str(), members)
    };
    let all = media.get("encoding").and_then(Value::as_object).into_iter().flatten();
    all.map(encoding).filter(|(_, members)| !members.is_empty()).collect()
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
