//! Validates the request's form: whatever can be checked without knowing its sender. The result
//! waits until the key, the minute and the scope are checked (R4).

use poem::http::{HeaderMap, StatusCode};

use crate::contract::{Arguments, Operation, Problem, RequestForm, decode, types::ErrorCode};

/// The versions of the interface that this server supports, newest last (§9).
pub(crate) const SUPPORTED_VERSIONS: [&str; 1] = ["2026-05-20"];
const VERSION_HEADER: &str = "api-version";

/// Decodes the request, or returns the first of its problems in the decided order: 415, 413, 400,
/// 422. `body` is the problem of reading the body, where it could not be read.
pub(super) fn validate(
    operation: Operation,
    request: &RequestForm<'_>,
    body: Result<(), Problem>,
) -> Result<Arguments, Problem> {
    let decoded = decode(operation, request);
    let problems = [body.err(), version_problem(request.headers)];
    let first =
        problems.into_iter().flatten().chain(decoded.as_ref().err().cloned()).min_by_key(rank);
    first.map_or(decoded, Err)
}

fn rank(problem: &Problem) -> u8 {
    match problem.status() {
        StatusCode::UNSUPPORTED_MEDIA_TYPE => 0,
        StatusCode::PAYLOAD_TOO_LARGE
        | StatusCode::REQUEST_TIMEOUT
        | StatusCode::SERVICE_UNAVAILABLE => 1,
        StatusCode::BAD_REQUEST => 2,
        _ => 3,
    }
}

/// R12. Without the header the key's version applies, which is the only one so far.
fn version_problem(headers: &HeaderMap) -> Option<Problem> {
    let version = headers.get(VERSION_HEADER)?;
    if SUPPORTED_VERSIONS.iter().any(|supported| version == supported) {
        return None;
    }
    let message = format!(
        "The {VERSION_HEADER} is not supported. Supported versions: {}. \
         Send one of them, or omit the header.",
        SUPPORTED_VERSIONS.join(", ")
    );
    let details = serde_json::json!({ "supportedVersions": SUPPORTED_VERSIONS });
    Some(Problem::new(ErrorCode::UnsupportedApiVersion, message).with_details(details))
}
