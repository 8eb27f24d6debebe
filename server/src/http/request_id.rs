//! The request's id: the client's own where it is safe in a header and a log line, else a new one
//! (R13).

use std::sync::Arc;

use poem::http::{HeaderMap, HeaderName};
use ulid::Ulid;

pub(super) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const LENGTH_LIMIT: usize = 128;

pub(super) fn of(headers: &HeaderMap) -> Arc<str> {
    let inbound = headers.get(REQUEST_ID).and_then(|value| value.to_str().ok());
    match inbound {
        Some(id) if is_well_formed(id) => id.into(),
        _ => Ulid::new().to_string().into(),
    }
}

/// `[A-Za-z0-9._-]{1,128}`.
fn is_well_formed(id: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    (1..=LENGTH_LIMIT).contains(&id.len()) && id.bytes().all(allowed)
}
