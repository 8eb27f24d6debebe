//! The parts of an operation that may be in `components`: parameters, headers, media types.

use serde_json::Value;

use super::{Header, Location, MediaType, Parameter};
use crate::{
    error::DocumentError,
    example,
    pointer::join,
    schema::Direction,
    source::{Resolved, Source},
};

pub(super) fn parameter(source: &Source, at: &str) -> Result<Parameter, DocumentError> {
    let found = source.resolve(at)?;
    let given = text(found.value, "in").unwrap_or_default();
    let mut locations = Location::ALL.into_iter();
    let Some(location) = locations.find(|location| location.as_str() == given) else {
        let at = join(&found.pointer, "in");
        return Err(source.error(&at, "a parameter is in path, query, header or cookie"));
    };
    let style = text(found.value, "style").unwrap_or_else(|| default_style(location).to_owned());
    let explode = found.value.get("explode").and_then(Value::as_bool);
    Ok(Parameter {
        explode: explode.unwrap_or(style == "form"),
        style,
        content_type: content_type(found.value),
        name: text(found.value, "name").unwrap_or_default(),
        location,
        required: is_required(found.value),
        description: text(found.value, "description"),
        schema_pointer: schema_pointer(&found),
        pointer: found.pointer,
    })
}

pub(super) fn header(source: &Source, name: &str, at: &str) -> Result<Header, DocumentError> {
    let found = source.resolve(at)?;
    Ok(Header {
        name: name.to_owned(),
        required: is_required(found.value),
        description: text(found.value, "description"),
        schema_pointer: schema_pointer(&found),
        pointer: found.pointer,
    })
}

/// The media types in the `content` of a request body or response.
pub(super) fn media_types(
    source: &Source,
    owner: &Resolved<'_>,
    direction: Direction,
) -> Result<Vec<MediaType>, DocumentError> {
    let map = join(&owner.pointer, "content");
    let content = owner.value.get("content").and_then(Value::as_object);
    let members = content.into_iter().flatten();
    members
        .map(|(content_type, value)| {
            let pointer = join(&map, content_type);
            let schema_pointer = value.get("schema").map(|_| join(&pointer, "schema"));
            Ok(MediaType {
                content_type: content_type.clone(),
                examples: example::of_owner(
                    source,
                    &pointer,
                    value,
                    schema_pointer.as_deref(),
                    direction,
                )?,
                schema_pointer,
                pointer,
            })
        })
        .collect()
}

pub(super) fn text(value: &Value, member: &str) -> Option<String> {
    value.get(member)?.as_str().map(str::to_owned)
}

fn is_required(value: &Value) -> bool {
    value.get("required").and_then(Value::as_bool).unwrap_or(false)
}

/// The style of a parameter that names none (§ 4.7.12.2.1).
fn default_style(location: Location) -> &'static str {
    match location {
        Location::Path | Location::Header => "simple",
        Location::Query | Location::Cookie => "form",
    }
}

fn content_type(parameter: &Value) -> Option<String> {
    parameter.get("content")?.as_object()?.keys().next().cloned()
}

/// The schema of a parameter or header: its own, or that of its one media type.
fn schema_pointer(owner: &Resolved<'_>) -> Option<String> {
    if owner.value.get("schema").is_some() {
        return Some(join(&owner.pointer, "schema"));
    }
    let (content_type, media_type) = owner.value.get("content")?.as_object()?.iter().next()?;
    media_type.get("schema")?;
    let map = join(&owner.pointer, "content");
    Some(join(&join(&map, content_type), "schema"))
}
