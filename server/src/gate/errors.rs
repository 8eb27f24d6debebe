//! Builds the gate's own errors. Their messages say how to continue.

use chrono::SecondsFormat;

use super::admission::InactiveKey;
use crate::contract::{
    Problem,
    types::{ErrorCode, RequiredScopeDetails, RetryDetails, Scope},
};

pub(super) const MISSING_KEY: &str =
    "The header x-api-key is missing. Send the API key in it, exactly once.";
pub(super) const REPEATED_KEY: &str = "x-api-key was sent more than once. Send it exactly once.";
/// Also sent for a key of the other environment.
pub(super) const INVALID_KEY: &str = "The API key is not valid. Check that it was copied whole, \
                                      and that it belongs to this environment.";

pub(super) fn unauthorized(message: &str) -> Problem {
    Problem::new(ErrorCode::Unauthorized, message)
}

/// Reports when a key ended. Only its holder can send the key, so only its holder learns that (A3).
pub(super) fn inactive_key(key: InactiveKey) -> Problem {
    let (what, when) = match key {
        InactiveKey::Expired(when) => ("expired", when),
        InactiveKey::Revoked(when) => ("was revoked", when),
    };
    let when = when.to_rfc3339_opts(SecondsFormat::Millis, true);
    unauthorized(&format!("The API key {what} at {when}. Create a new key with the same scopes."))
}

/// Reports the limit of an organisation, or of an address without a valid key.
pub(super) fn rate_limited(subject: &str, limit: i64, retry_after_seconds: u64) -> Problem {
    let message = format!(
        "{subject} may make {limit} requests a minute; \
         the next minute begins in {retry_after_seconds} seconds."
    );
    Problem::new(ErrorCode::RateLimited, message).with_details(retry_after(retry_after_seconds))
}

pub(super) fn insufficient_scope(required: Scope) -> Problem {
    let required = required.as_str();
    let message = format!("This operation needs a key with the scope {required}.");
    Problem::new(ErrorCode::InsufficientScope, message)
        .with_details(RequiredScopeDetails { required_scope: required.to_owned() })
}

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
