//! The request's form: everything that can be said of it without asking who sends it.
//!
//! It refuses to answer: the form's fault waits until the key, the minute and the scope have been asked (R4).

use poem::http::{HeaderMap, StatusCode};

use crate::{
    contract::{
        Decoded, Operation, Problem, RequestForm,
        decode::{decode, form},
        types::ErrorCode,
    },
    cursor::{self, Fingerprint},
    mutants::{self, Mutant},
};

/// The versions of the interface that this server speaks, newest last (§9).
pub const SUPPORTED_VERSIONS: [&str; 1] = ["2026-05-20"];
const VERSION_HEADER: &str = "api-version";

/// Checks the whole form; of several faults the first in the decided order is answered: 415, 413, 400, 422.
///
/// `body` is the fault of reading it, where it could not be read.
///
/// # Errors
/// The form's answer.
pub fn check(
    operation: Operation,
    request: &RequestForm<'_>,
    body: Result<(), Problem>,
) -> Result<Decoded, Problem> {
    let decoded = decode(operation, request);
    #[cfg(feature = "mutants")]
    let decoded = mutants::requests::judged(operation, request.body, decoded);
    let faults = [
        body.err(),
        version_fault(request.headers),
        cursor_fault(operation, request.query),
    ];
    let fault = faults
        .into_iter()
        .flatten()
        .chain(decoded.as_ref().err().cloned())
        .min_by_key(rank);
    fault.map_or(decoded, Err)
}

fn rank(fault: &Problem) -> u8 {
    match fault.status() {
        StatusCode::UNSUPPORTED_MEDIA_TYPE => 0,
        StatusCode::PAYLOAD_TOO_LARGE
        | StatusCode::REQUEST_TIMEOUT
        | StatusCode::SERVICE_UNAVAILABLE => 1,
        StatusCode::BAD_REQUEST => 2,
        _ => 3,
    }
}

/// R12. Without the header the key's version counts; there is one version yet, so both mean the same.
fn version_fault(headers: &HeaderMap) -> Option<Problem> {
    let version = headers.get(VERSION_HEADER)?;
    if SUPPORTED_VERSIONS
        .iter()
        .any(|supported| version == supported)
        || mutants::is(Mutant::VersionIgnored)
    {
        return None;
    }
    let message = format!(
        "This server speaks the versions {}; the header {VERSION_HEADER} names another one. Name one of them, or omit the header.",
        SUPPORTED_VERSIONS.join(", ")
    );
    let details = serde_json::json!({ "supportedVersions": SUPPORTED_VERSIONS });
    Some(Problem::new(ErrorCode::UnsupportedApiVersion, message).with_details(details))
}

/// R8. A repeated cursor is the decoder's affair.
fn cursor_fault(operation: Operation, query: Option<&str>) -> Option<Problem> {
    if !operation.info().is_list {
        return None;
    }
    let pairs: Vec<_> = form_urlencoded::parse(query?.as_bytes()).collect();
    let value_of = |name: &str| {
        pairs
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_ref())
    };
    let cursor = value_of("cursor")?;
    let mut filters: Vec<&str> = form(operation)
        .query
        .iter()
        .map(|parameter| parameter.name)
        .collect();
    filters.retain(|name| !["limit", "cursor"].contains(name));
    filters.sort_unstable();
    let set = filters
        .into_iter()
        .filter_map(|name| Some((name, value_of(name)?)));
    let error = cursor::decode(cursor, Fingerprint::of(operation.info().id, set)).err()?;
    Some(Problem::new(ErrorCode::InvalidCursor, error.to_string()))
}
