//! The parts of an operation that may be in `components`.

use serde_json::Value;

use super::{Header, Location, MediaType, Parameter, RequestBody, Response};
use crate::{
    error::DocumentError,
    example,
    pointer::join,
    schema::Direction,
    source::{Resolved, Source},
};

pub(super) fn parameter(source: &Source, at: &str) -> Result<Parameter, DocumentError> {
    let found = source.resolve(at)?;
    let location = found.text("in").unwrap_or_default().parse().map_err(|_| {
        let at = join(&found.pointer, "in");
        source.error(&at, "a parameter is in path, query, header or cookie")
    })?;
    // § 4.7.12.2.1
    let default_style = match location {
        Location::Path | Location::Header => "simple",
        Location::Query | Location::Cookie => "form",
    };
    let style = found.text("style").unwrap_or_else(|| default_style.to_owned());
    let explode = found.value.get("explode").and_then(Value::as_bool);
    Ok(Parameter {
        explode: explode.unwrap_or(style == "form"),
        style,
        content_type: found.members("content").next().map(|(name, ..)| name.to_owned()),
        name: found.text("name").unwrap_or_default(),
        location,
        required: found.flag("required"),
        description: found.text("description"),
        schema_pointer: schema_pointer(&found),
        pointer: found.pointer,
    })
}

fn header(source: &Source, name: &str, at: &str) -> Result<Header, DocumentError> {
    let found = source.resolve(at)?;
    Ok(Header {
        name: name.to_owned(),
        required: found.flag("required"),
        description: found.text("description"),
        schema_pointer: schema_pointer(&found),
        pointer: found.pointer,
    })
}

pub(super) fn request_body(source: &Source, at: &str) -> Result<RequestBody, DocumentError> {
    let body = source.resolve(at)?;
    Ok(RequestBody {
        required: body.flag("required"),
        content: media_types(source, &body, Direction::Request)?,
        pointer: body.pointer,
    })
}

/// `key` is a status, or several.
pub(super) fn response(source: &Source, key: &str, at: &str) -> Result<Response, DocumentError> {
    let status = key
        .parse()
        .map_err(|error: super::status::StatusError| source.error(at, error.to_string()))?;
    let response = source.resolve(at)?;
    let headers = response.members("headers").map(|(name, at, _)| header(source, name, &at));
    let codes = response.value.get("x-error-codes").and_then(Value::as_array);
    let codes = codes.into_iter().flatten().filter_map(Value::as_str);
    Ok(Response {
        status,
        description: response.text("description").unwrap_or_default(),
        headers: headers.collect::<Result<_, _>>()?,
        content: media_types(source, &response, Direction::Response)?,
        error_codes: codes.map(str::to_owned).collect(),
        pointer: response.pointer,
    })
}

/// The media types in the `content` of a request body or response.
fn media_types(
    source: &Source,
    owner: &Resolved<'_>,
    direction: Direction,
) -> Result<Vec<MediaType>, DocumentError> {
    let media_type = |(content_type, pointer, value): (&str, String, _)| {
        let media = Resolved { pointer, value };
        let schema_pointer = schema_pointer(&media);
        Ok(MediaType {
            content_type: content_type.to_owned(),
            examples: example::of_owner(source, &media, schema_pointer.as_deref(), direction)?,
            schema_pointer,
            pointer: media.pointer,
        })
    };
    owner.members("content").map(media_type).collect()
}

/// The schema of a parameter, header or media type: its own, or that of its one media type.
fn schema_pointer(owner: &Resolved<'_>) -> Option<String> {
    if owner.value.get("schema").is_some() {
        return Some(join(&owner.pointer, "schema"));
    }
    let (_, pointer, media_type) = owner.members("content").next()?;
    media_type.get("schema").map(|_| join(&pointer, "schema"))
}
