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

#[cfg(test)]
mod tests {
    use reqwest::{
        StatusCode,
        header::{DATE, HeaderMap, HeaderValue},
    };

    use super::{has_expired, parse};

    fn expired(status: u16, date: &'static str, body: &str) -> bool {
        let status = StatusCode::from_u16(status).unwrap();
        let headers = HeaderMap::from_iter([(DATE, HeaderValue::from_static(date))]);
        let response = parse(status, headers, body.as_bytes());
        has_expired(&response, "2026-06-01T13:00:00Z".parse().unwrap())
    }

    const BEFORE: &str = "Mon, 01 Jun 2026 12:59:59 GMT";
    const AT: &str = "Mon, 01 Jun 2026 13:00:00 GMT";

    #[test]
    fn codes_of_expiry_count_whatever_the_date() {
        for body in [
            r#"{"error":{"code":"LINK_EXPIRED","message":"Over."}}"#,
            "<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>",
            "<Error><Code>ExpiredToken</Code><Message>The token has expired.</Message></Error>",
        ] {
            assert!(expired(403, BEFORE, body), "{body}");
        }
    }

    #[test]
    fn error_without_such_a_code_is_judged_by_the_hosts_own_date() {
        for body in ["", "<Error><Code>AuthenticationFailed</Code></Error>"] {
            assert!(!expired(403, BEFORE, body), "{body}");
            assert!(expired(403, AT, body), "{body}");
            assert!(!expired(500, AT, body), "{body}");
            assert!(!expired(403, "no date", body), "{body}");
        }
    }

    #[test]
    fn altered_link_stays_altered_after_its_expiry() {
        let body = r#"{"error":{"code":"LINK_INVALID","message":"Altered."}}"#;
        assert!(!expired(403, AT, body));
    }

    #[test]
    fn body_of_unknown_shape_is_not_repeated() {
        let page = b"<html>/ast_1.pdf?signature=abc is forbidden</html>";
        let error = parse(StatusCode::FORBIDDEN, HeaderMap::new(), page);
        assert_eq!(
            error.to_string(),
            "403 Forbidden without a code: the link's host responded in an unknown format"
        );
    }
}
