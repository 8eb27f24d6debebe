//! The gate's own answers, in words that say how to go on.
//!
//! It refuses to say more of a key than its holder may know (A3).

use chrono::SecondsFormat;
use poem::{IntoResponse, Response, http::StatusCode};
use serde_json::json;

use super::admission::InactiveKey;
use crate::{
    contract::{
        Body, Problem,
        types::{Error, ErrorCode, ErrorObject, Scope},
    },
    http::limits::URI_SIZE_BYTES,
};

/// No header `x-api-key`.
pub(super) const MISSING_KEY: &str =
    "The header x-api-key is missing. Send the API key in it, exactly once.";
/// More than one header `x-api-key`.
pub(super) const REPEATED_KEY: &str =
    "The header x-api-key stands there twice. Send it exactly once.";
/// Any other key that was never valid here.
pub(super) const INVALID_KEY: &str = "The API key is not valid. Check that it was copied whole, and that it belongs to this environment.";

/// 401.
pub(super) fn unauthorized(message: &str) -> Problem {
    Problem::new(ErrorCode::Unauthorized, message)
}

/// 401 for a key that was valid once. Only its holder can ask, so only its holder learns this.
pub(super) fn inactive_key(dead: InactiveKey) -> Problem {
    let (what, when) = match dead {
        InactiveKey::Expired(when) => ("expired", when),
        InactiveKey::Revoked(when) => ("was revoked", when),
    };
    let when = when.to_rfc3339_opts(SecondsFormat::Millis, true);
    unauthorized(&format!(
        "The API key {what} at {when}. Create a new key with the same scopes."
    ))
}

/// 429 of an organisation, or of an address without a valid key.
pub(super) fn rate_limited(whose: &str, limit: i64, retry_after_seconds: u64) -> Problem {
    let message = format!(
        "{whose} may make {limit} requests a minute; the next minute begins in {retry_after_seconds} seconds."
    );
    Problem::new(ErrorCode::RateLimited, message)
        .with_details(json!({ "retryAfterSeconds": retry_after_seconds }))
}

/// 403.
pub(super) fn insufficient_scope(required: Scope) -> Problem {
    let message = format!(
        "This operation needs a key with the scope {}.",
        required.as_str()
    );
    Problem::new(ErrorCode::InsufficientScope, message)
        .with_details(json!({ "requiredScope": required.as_str() }))
}

/// 402.
pub(super) fn credits_exhausted(retry_after_seconds: u64) -> Problem {
    let message = format!(
        "The monthly API credits are used up; they reset in {retry_after_seconds} seconds."
    );
    Problem::new(ErrorCode::ApiCreditsExhausted, message)
        .with_details(json!({ "retryAfterSeconds": retry_after_seconds }))
}

/// 414, which no operation documents: most servers' HTTP library answers it.
pub(super) fn uri_too_long() -> Response {
    let error = ErrorObject {
        code: "URI_TOO_LONG".to_owned(),
        message: format!("The address is longer than {URI_SIZE_BYTES} bytes."),
        details: None,
    };
    let body = Body(Error { error }).into_response();
    body.with_status(StatusCode::URI_TOO_LONG).into_response()
}
