//! Reads a request's body, within a size and a time. A body that is declared too large is rejected
//! without reading it.

use std::time::Duration;

use bytes::Bytes;
use poem::{Request, error::ReadBodyError, http::header::CONTENT_LENGTH};

use crate::contract::{Problem, types::ErrorCode};

/// How large a body may be, and how long it may take to arrive.
#[derive(Clone, Copy, Debug)]
pub struct BodyLimits {
    /// Above it: 413.
    pub size_bytes: usize,
    /// After it: 408.
    pub time: Duration,
}

/// Takes the body from the request and reads it whole: else 413 or, where it is late or incomplete,
/// 408.
pub(super) async fn read(request: &mut Request, limits: BodyLimits) -> Result<Bytes, Problem> {
    if declared_bytes(request).is_some_and(|length| length > limits.size_bytes) {
        return Err(too_large(limits));
    }
    let body = request.take_body();
    if body.is_empty() {
        return Ok(Bytes::new());
    }
    let body = body.into_bytes_limit(limits.size_bytes);
    match tokio::time::timeout(limits.time, body).await {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(ReadBodyError::PayloadTooLarge)) => Err(too_large(limits)),
        // No client reads this response: the connection or its framing broke.
        Ok(Err(_)) => Err(Problem::new(
            ErrorCode::RequestTimeout,
            "The body ended before it was whole.",
        )),
        Err(_) => {
            let message = format!(
                "The body did not arrive within {} s.",
                limits.time.as_secs()
            );
            Err(Problem::new(ErrorCode::RequestTimeout, message))
        }
    }
}

/// The length that the head declares; without one the body is chunked, and counted as it is read.
fn declared_bytes(request: &Request) -> Option<usize> {
    request
        .headers()
        .get(CONTENT_LENGTH)?
        .to_str()
        .ok()?
        .parse()
        .ok()
}

fn too_large(limits: BodyLimits) -> Problem {
    let message = format!("The body is larger than {} bytes.", limits.size_bytes);
    Problem::new(ErrorCode::PayloadTooLarge, message)
}
