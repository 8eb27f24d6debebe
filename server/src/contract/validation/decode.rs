//! Validates a whole request, in the decided order: 415, then 400, then 422 (R4). The body of an
//! operation without one is ignored (R11).

use poem::http::{HeaderMap, header::CONTENT_TYPE};
use serde_json::Value;

use super::{
    parameter::{check_headers, check_path, check_query},
    rules::Form,
    value::check_value,
};
use crate::contract::{PathValues, Problem, json::read_json, types::ErrorCode};

/// The parts of a request.
#[derive(Debug, Clone, Copy)]
pub struct RequestForm<'a> {
    /// The path parameters' values, from the router.
    pub path: &'a PathValues,
    /// The raw query, without the question mark.
    pub query: Option<&'a str>,
    pub headers: &'a HeaderMap,
    /// The whole body.
    pub body: &'a [u8],
}

/// A valid request.
#[derive(Debug, Clone, PartialEq)]
pub struct Decoded {
    /// The body, where the operation has one.
    pub body: Option<Value>,
}

/// Validates a request by the rules of its operation.
///
/// # Errors
/// 415 for another media type, 400 for broken JSON, 422 with every violation.
pub(in crate::contract) fn decode_with(
    form: &Form,
    request: &RequestForm<'_>,
) -> Result<Decoded, Problem> {
    let body = match form.body {
        Some(rule) => Some((rule, read_body(request)?)),
        None => None,
    };
    let mut issues = Vec::new();
    check_path(form.path, request.path, &mut issues);
    check_query(form.query, request.query.unwrap_or_default(), &mut issues);
    check_headers(form.headers, request.headers, &mut issues);
    if let Some((rule, value)) = &body {
        check_value(*rule, value, "", &mut issues);
    }
    if !issues.is_empty() {
        return Err(Problem::invalid(&issues));
    }
    Ok(Decoded { body: body.map(|(_, value)| value) })
}

/// Whether a content type is `application/json`, with any parameters; `application/problem+json` is
/// not.
pub(in crate::contract) fn is_json(content_type: &str) -> bool {
    let essence = content_type.split(';').next().unwrap_or_default();
    essence.trim().eq_ignore_ascii_case("application/json")
}

fn read_body(request: &RequestForm<'_>) -> Result<Value, Problem> {
    let mut declared = request.headers.get_all(CONTENT_TYPE).iter();
    let is_declared = match (declared.next(), declared.next()) {
        (Some(content_type), None) => content_type.to_str().is_ok_and(is_json),
        _ => false,
    };
    if !is_declared {
        let message = "The body must be declared as content-type: application/json.";
        return Err(Problem::new(ErrorCode::UnsupportedMediaType, message));
    }
    if request.body.is_empty() {
        let message = "The body is empty; this operation needs a JSON object.";
        return Err(Problem::new(ErrorCode::InvalidJson, message));
    }
    read_json(request.body).map_err(|reason| {
        Problem::new(ErrorCode::InvalidJson, format!("The body is not valid JSON: {reason}."))
    })
}
