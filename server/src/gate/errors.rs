//! The gate's own errors, with messages that say how to continue.

use chrono::SecondsFormat;
use poem::{Response, http::StatusCode};

use openapi_runtime::ErrorBody;

use super::admission::InactiveKey;
use crate::contract::{
    Problem,
    types::{Error, ErrorCode, ErrorObject, RequiredScopeDetails, RetryDetails, Scope},
};

/// No header `x-api-key`.
pub(super) const MISSING_KEY: &str =
    "The header x-api-key is missing. Send the API key in it, exactly once.";
/// More than one header `x-api-key`.
pub(super) const REPEATED_KEY: &str = "x-api-key was sent more than once. Send it exactly once.";
/// A key that was never valid here.
pub(super) const INVALID_KEY: &str = "The API key is not valid. Check that it was copied whole, \
                                      and that it belongs to this environment.";

/// 401.
pub(super) fn unauthorized(message: &str) -> Problem {
    Problem::new(ErrorCode::Unauthorized, message)
}

/// 401 for a key that was valid once. Only its holder can send it, so only its holder learns this
/// (A3).
pub(super) fn inactive_key(key: InactiveKey) -> Problem {
    let (what, when) = match key {
        InactiveKey::Expired(when) => ("expired", when),
        InactiveKey::Revoked(when) => ("was revoked", when),
    };
    let when = when.to_rfc3339_opts(SecondsFormat::Millis, true);
    unauthorized(&format!("The API key {what} at {when}. Create a new key with the same scopes."))
}

/// 429 of an organisation, or of an address without a valid key.
pub(super) fn rate_limited(subject: &str, limit: i64, retry_after_seconds: u64) -> Problem {
    let message = format!(
        "{subject} may make {limit} requests a minute; \
         the next minute begins in {retry_after_seconds} seconds."
    );
    Problem::new(ErrorCode::RateLimited, message).with_details(retry_after(retry_after_seconds))
}

/// 403.
pub(super) fn insufficient_scope(required: Scope) -> Problem {
    let required = required.as_str();
    let message = format!("This operation needs a key with the scope {required}.");
    Problem::new(ErrorCode::InsufficientScope, message)
        .with_details(RequiredScopeDetails { required_scope: required.to_owned() })
}

/// 402.
pub(super) fn credits_exhausted(retry_after_seconds: u64) -> Problem {
    let message = format!(
        "The monthly API credits are used up; they reset in {retry_after_seconds} seconds."
    );
    Problem::new(ErrorCode::ApiCreditsExhausted, message)
        .with_details(retry_after(retry_after_seconds))
}

fn retry_after(seconds: u64) -> RetryDetails {
    RetryDetails { retry_after_seconds: seconds.try_into().unwrap_or(i64::MAX) }
}

/// 414 and 431. Their codes are not in the document: they belong to no operation.
pub(super) fn of_the_head(status: StatusCode, code: &'static str, message: String) -> Response {
    let error = ErrorObject { code: code.to_owned(), message, details: None };
    ErrorBody::<ErrorCode> { code, error: Error { error }, cause: None }.with_status(status)
}
