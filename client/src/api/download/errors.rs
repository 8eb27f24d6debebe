//! The error of a response other than 200. (S9)
//!
//! The host's code or the `date` of its response decides whether a link has expired, never the
//! clock of this machine. A body of unknown shape is not repeated, because it may hold the link.

use futures_util::TryStreamExt;
use reqwest::{
    Response, StatusCode,
    header::{DATE, HeaderMap},
};

use crate::{Error, ErrorCode, ErrorResponse, Timestamp, error_response::date};

/// The most that is read of an error body; S3's are below 2 KiB.
const BODY_LIMIT_BYTES: usize = 16 * 1024;
/// The codes that alone mean that a link has expired: ours, and S3's for the credentials of a link.
const EXPIRED_CODES: [&str; 2] = ["LINK_EXPIRED", "ExpiredToken"];

/// The error of a response to a link that should work until `expires_at`.
pub(super) async fn read(response: Response, expires_at: Timestamp) -> Error {
    let (status, headers) = (response.status(), response.headers().clone());
    let mut body = Vec::new();
    let mut chunks = response.bytes_stream();
    // A body that is cut short still has a status.
    while let Ok(Some(chunk)) = chunks.try_next().await {
        body.extend_from_slice(&chunk);
        if body.len() >= BODY_LIMIT_BYTES {
            break;
        }
    }
    let response = parse(status, headers, &body);
    match has_expired(&response, expires_at) {
        true => Error::LinkExpired { response: Box::new(response) },
        false => response.into(),
    }
}

/// Reads the API's envelope, else S3's XML, else only the status.
fn parse(status: StatusCode, headers: HeaderMap, body: &[u8]) -> ErrorResponse {
    let mut response = ErrorResponse::read(status, headers, body);
    if response.code.is_none() {
        let text = String::from_utf8_lossy(body);
        response.code = element(&text, "Code").map(ErrorCode::from);
        response.message = element(&text, "Message")
            .filter(|_| response.code.is_some())
            .unwrap_or("the link's host responded in an unknown format")
            .to_owned();
    }
    response
}

fn has_expired(response: &ErrorResponse, expires_at: Timestamp) -> bool {
    match response.code.as_ref().map(ErrorCode::as_str) {
        Some(code) if EXPIRED_CODES.contains(&code) => true,
        // Our own server uses this code for altered links only, before and after that time.
        Some("LINK_INVALID") => false,
        Some("AccessDenied") if response.message.to_lowercase().contains("expired") => true,
        // Other stores have other codes, or none: an error after that time means that it expired.
        _ => {
            let rejected =
                [StatusCode::BAD_REQUEST, StatusCode::UNAUTHORIZED, StatusCode::FORBIDDEN];
            let sent_at = date(&response.headers, DATE);
            rejected.contains(&response.status)
                && sent_at.is_some_and(|at| at >= expires_at.value())
        }
    }
}

/// The text of the first XML element of this name. S3's codes and messages have no markup and no
/// entities.
fn element<'text>(text: &'text str, name: &str) -> Option<&'text str> {
    let (_, rest) = text.split_once(&format!("<{name}>"))?;
    let (content, _) = rest.split_once(&format!("</{name}>"))?;
    Some(content.trim())
}
