//! What an answer other than 200 means.
//!
//! It refuses to ask this machine's clock whether a link has expired: the host that answered knows, by its code, or by
//! the `date` of its answer. It refuses to repeat a body of unknown shape, which may repeat the link. (S9)

use chrono::DateTime;
use futures_util::TryStreamExt;
use reqwest::{
    Response, StatusCode,
    header::{DATE, HeaderMap},
};

use crate::{ApiError, Error, Timestamp, response::request_id};

/// The most that is read of a refusal; S3's are below 2 KiB.
const REFUSAL_LIMIT_BYTES: usize = 16 * 1024;
/// What S3 calls the id that its log has for a request.
const STORE_REQUEST_ID: &str = "x-amz-request-id";
/// The codes that say, all by themselves, that a link has expired: ours, and S3's for the credentials behind a link.
const EXPIRED_CODES: [&str; 2] = ["LINK_EXPIRED", "ExpiredToken"];

/// The error that an answer means, for a link that was to live until `expires_at`.
pub(super) async fn read(response: Response, expires_at: Timestamp) -> Error {
    let (status, headers) = (response.status(), response.headers().clone());
    let mut body = Vec::new();
    let mut chunks = response.bytes_stream();
    // A body cut short says less, but the status has been said.
    while let Ok(Some(chunk)) = chunks.try_next().await {
        body.extend_from_slice(&chunk);
        if body.len() >= REFUSAL_LIMIT_BYTES {
            break;
        }
    }
    let answer = answer(status, &headers, &body);
    if has_expired(&answer, &headers, expires_at) {
        Error::LinkExpired(Box::new(answer))
    } else {
        Error::Api(Box::new(answer))
    }
}

/// The API's envelope, else S3's XML, else the status alone.
fn answer(status: StatusCode, headers: &HeaderMap, body: &[u8]) -> ApiError {
    let stored = || headers.get(STORE_REQUEST_ID)?.to_str().ok();
    let mut answer = ApiError::read(status, request_id(headers).or_else(stored), body);
    if answer.code.is_none() {
        let text = String::from_utf8_lossy(body);
        answer.code = element(&text, "Code").map(str::to_owned);
        answer.message = element(&text, "Message")
            .filter(|_| answer.code.is_some())
            .unwrap_or("the link's host answers in a form of its own")
            .to_owned();
    }
    answer
}

fn has_expired(answer: &ApiError, headers: &HeaderMap, expires_at: Timestamp) -> bool {
    match answer.code.as_deref() {
        Some(code) if EXPIRED_CODES.contains(&code) => true,
        // Our own server says what it means, also after that time.
        Some("LINK_INVALID") => false,
        Some("AccessDenied") if answer.message.to_lowercase().contains("expired") => true,
        // Other stores have other words, and some have none; but what they refuse after that time is over.
        _ => {
            let refused = [
                StatusCode::BAD_REQUEST,
                StatusCode::UNAUTHORIZED,
                StatusCode::FORBIDDEN,
            ];
            let date = headers.get(DATE).and_then(|date| date.to_str().ok());
            let answered_at = date.and_then(|date| DateTime::parse_from_rfc2822(date).ok());
            refused.contains(&answer.status)
                && answered_at.is_some_and(|at| at >= expires_at.value())
        }
    }
}

/// The text of the first XML element of this name. S3's codes and messages have no markup and no entities.
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

    use super::{answer, has_expired};

    fn expired(status: u16, date: &'static str, body: &str) -> bool {
        let status = StatusCode::from_u16(status).unwrap();
        let headers = HeaderMap::from_iter([(DATE, HeaderValue::from_static(date))]);
        let answer = answer(status, &headers, body.as_bytes());
        has_expired(&answer, &headers, "2026-06-01T13:00:00Z".parse().unwrap())
    }

    const BEFORE: &str = "Mon, 01 Jun 2026 12:59:59 GMT";
    const AT: &str = "Mon, 01 Jun 2026 13:00:00 GMT";

    #[test]
    fn codes_that_say_it_decide_whatever_the_date() {
        for body in [
            r#"{"error":{"code":"LINK_EXPIRED","message":"Over."}}"#,
            "<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>",
            "<Error><Code>ExpiredToken</Code><Message>The provided token has expired.</Message></Error>",
        ] {
            assert!(expired(403, BEFORE, body), "{body}");
        }
    }

    #[test]
    fn refusal_without_such_a_code_is_judged_by_the_hosts_own_date() {
        for body in ["", "<Error><Code>AuthenticationFailed</Code></Error>"] {
            assert!(!expired(403, BEFORE, body), "{body}");
            assert!(expired(403, AT, body), "{body}");
            assert!(!expired(500, AT, body), "{body}");
            assert!(!expired(403, "no date", body), "{body}");
        }
    }

    #[test]
    fn altered_link_stays_altered_after_its_time() {
        let body = r#"{"error":{"code":"LINK_INVALID","message":"Altered."}}"#;
        assert!(!expired(403, AT, body));
    }

    #[test]
    fn body_of_unknown_shape_is_not_repeated() {
        let page = b"<html>/ast_1.pdf?signature=abc is forbidden</html>";
        let answer = answer(StatusCode::FORBIDDEN, &HeaderMap::new(), page);
        assert_eq!(
            answer.to_string(),
            "403 Forbidden without a code: the link's host answers in a form of its own"
        );
    }
}
