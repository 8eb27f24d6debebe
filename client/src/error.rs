//! What can go wrong with a request, by what a caller can do about it.
//!
//! An error body of another shape than the API's becomes the message, so that no response is lost
//! to a failed parse.

use reqwest::StatusCode;
use serde::Deserialize;
use serde_json::Value;

use crate::SaveError;

/// How much of a body of another shape becomes the message.
const EXCERPT_CHARACTERS: usize = 200;

/// Why a request gave no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Nothing was sent: a value is missing or invalid.
    #[error("the request was not sent: {0}")]
    InvalidRequest(String),
    /// No complete response arrived; whether the server acted on the request is unknown.
    #[error("no complete response arrived: {0}")]
    Transport(#[source] reqwest::Error),
    /// The server returned an error. (§7)
    #[error(transparent)]
    Api(Box<ApiError>),
    /// The server returned success with a body that this client cannot decode.
    #[error(transparent)]
    Decode(Box<DecodeError>),
    /// A link has expired; with the response of its host. (§2.4, S9)
    #[error("the link has expired; generate the statement again for a new one ({0})")]
    LinkExpired(Box<ApiError>),
    /// A PDF cannot be saved as a file.
    #[error(transparent)]
    Save(Box<SaveError>),
}

/// An error response of the server. (§7)
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error(
    "{status} {}: {message}{}",
    .code.as_deref().unwrap_or("without a code"),
    suffix(.request_id.as_deref())
)]
#[non_exhaustive]
pub struct ApiError {
    /// The status.
    pub status: StatusCode,
    /// The stable code, for programs; `None` if a proxy responded in another format.
    pub code: Option<String>,
    /// The text, for people.
    pub message: String,
    /// Structured details, by code: such as `issues` of `VALIDATION_FAILED`, `requiredScope` on a
    /// 403, `retryAfterSeconds` on a 402 or 429.
    pub details: Option<Value>,
    /// The id that the server's log has for this request. (R13)
    pub request_id: Option<String>,
}

/// A successful response whose body this client cannot decode.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot decode the response {status}: {problem}{}", suffix(.request_id.as_deref()))]
#[non_exhaustive]
pub struct DecodeError {
    /// The status.
    pub status: StatusCode,
    /// The id that the server's log has for this request. (R13)
    pub request_id: Option<String>,
    /// What is wrong, and where in the body.
    pub problem: String,
}

impl Error {
    /// The server's error response, if there is one.
    #[must_use]
    pub fn api(&self) -> Option<&ApiError> {
        match self {
            Self::Api(error) | Self::LinkExpired(error) => Some(error),
            _ => None,
        }
    }

    /// The stable code of the server's error response, such as `LINE_NOT_IN_PAYOUT`.
    #[must_use]
    pub fn code(&self) -> Option<&str> {
        self.api()?.code.as_deref()
    }

    /// The status of the response, if one arrived.
    #[must_use]
    pub fn status(&self) -> Option<StatusCode> {
        match self {
            Self::Api(error) | Self::LinkExpired(error) => Some(error.status),
            Self::Decode(error) => Some(error.status),
            Self::Transport(_) | Self::InvalidRequest(_) | Self::Save(_) => None,
        }
    }

    /// The id that the server's log has for this request, if a response arrived. (R13)
    #[must_use]
    pub fn request_id(&self) -> Option<&str> {
        match self {
            Self::Api(error) | Self::LinkExpired(error) => error.request_id.as_deref(),
            Self::Decode(error) => error.request_id.as_deref(),
            Self::Transport(_) | Self::InvalidRequest(_) | Self::Save(_) => None,
        }
    }
}

impl ApiError {
    /// Reads an error body; the text of one of another shape becomes the message.
    pub(crate) fn read(status: StatusCode, request_id: Option<&str>, body: &[u8]) -> Self {
        let (code, message, details) = match serde_json::from_slice::<Envelope>(body) {
            Ok(Envelope { error }) => (Some(error.code), error.message, error.details),
            Err(_) => (None, excerpt(body), None),
        };
        Self { status, code, message, details, request_id: request_id.map(str::to_owned) }
    }
}

#[derive(Deserialize)]
struct Envelope {
    error: ErrorBody,
}

#[derive(Deserialize)]
struct ErrorBody {
    code: String,
    message: String,
    details: Option<Value>,
}

/// The error of a request that followed a link, without the link, which is a secret. (S9)
pub(crate) fn without_link(error: reqwest::Error) -> Error {
    Error::Transport(error.without_url())
}

fn excerpt(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    let text = text.trim();
    match text.char_indices().nth(EXCERPT_CHARACTERS) {
        _ if text.is_empty() => "the response has no body".to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn suffix(request_id: Option<&str>) -> String {
    request_id.map(|id| format!(" (request {id})")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use reqwest::StatusCode;

    use super::ApiError;

    #[test]
    fn envelope_gives_code_message_and_details() {
        let body = br#"{"error":{"code":"RATE_LIMITED","message":"Wait.",
            "details":{"retryAfterSeconds":30}}}"#;
        let error = ApiError::read(StatusCode::TOO_MANY_REQUESTS, Some("r1"), body);
        assert_eq!(error.details.as_ref().unwrap()["retryAfterSeconds"], 30);
        assert_eq!(error.to_string(), "429 Too Many Requests RATE_LIMITED: Wait. (request r1)");
    }

    #[test]
    fn body_of_another_shape_becomes_the_message_in_part() {
        let body = "é".repeat(1000);
        let error = ApiError::read(StatusCode::BAD_GATEWAY, None, body.as_bytes());
        assert_eq!(error.code, None);
        assert_eq!(error.message.chars().count(), 201);
    }

    #[test]
    fn empty_body_has_a_message_of_its_own() {
        let error = ApiError::read(StatusCode::SERVICE_UNAVAILABLE, None, b"");
        assert_eq!(
            error.to_string(),
            "503 Service Unavailable without a code: the response has no body"
        );
    }
}
