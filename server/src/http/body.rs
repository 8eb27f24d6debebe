//! Reading a request's body: so large and so late, and no more.
//!
//! It refuses to buffer a body whose length is declared too large.

use std::time::Duration;

use bytes::Bytes;
use poem::{Body, error::ReadBodyError};

use crate::contract::{Problem, types::ErrorCode};

/// How large a body may be, and how long it may take to arrive.
#[derive(Clone, Copy, Debug)]
pub struct BodyLimits {
    /// Above it: 413.
    pub size_bytes: usize,
    /// After it: 408.
    pub time: Duration,
}

/// Reads the body whole.
///
/// # Errors
/// 413 or 408; 400 where the client broke off.
pub async fn read(body: Body, limits: BodyLimits) -> Result<Bytes, Problem> {
    match tokio::time::timeout(limits.time, body.into_bytes_limit(limits.size_bytes)).await {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(ReadBodyError::PayloadTooLarge)) => {
            let message = format!("The body is larger than {} bytes.", limits.size_bytes);
            Err(Problem::new(ErrorCode::PayloadTooLarge, message))
        }
        // Nobody reads this answer: the connection broke, or its framing did.
        Ok(Err(_)) => Err(Problem::new(
            ErrorCode::RequestTimeout,
            "The body ended before it was whole.",
        )),
        Err(_) => {
            let message = format!(
                "The body did not arrive within {} seconds.",
                limits.time.as_secs()
            );
            Err(Problem::new(ErrorCode::RequestTimeout, message))
        }
    }
}
