//! Validates a request's form, which needs no knowledge of its sender. The gate keeps the result
//! until the key, the minute and the scope are checked (R4).

use std::sync::Arc;

use poem::http::StatusCode;

use super::idempotency::IdempotentRequest;
use crate::contract::{Arguments, Operation, Problem, RequestForm, decode};

pub(super) struct ValidRequest {
    /// Boxed, because several futures move them.
    pub(super) arguments: Box<Arguments>,
    /// Set if the request has an idempotency key.
    pub(super) idempotent_request: Option<Arc<IdempotentRequest>>,
}

/// Decodes the request, or returns the first of its problems in the decided order: 415, 413, 400,
/// 422. `others` are problems that the document does not describe: the body could not be read, the
/// version is unsupported.
pub(super) fn validate(
    operation: Operation,
    request: &RequestForm<'_>,
    others: [Option<Problem>; 2],
) -> Result<Arguments, Problem> {
    let decoded = decode(operation, request);
    let problems = others.into_iter().flatten().chain(decoded.as_ref().err().cloned());
    let first = problems.min_by_key(rank);
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
