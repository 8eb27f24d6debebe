//! Responses that are no success, and the errors that they mean.
//!
//! An error body of another shape than the API's becomes the message, so that no response is lost
//! to a failed parse.

use std::{
    fmt,
    time::{Duration, SystemTime},
};

use chrono::{DateTime, Days, Months, NaiveTime, Utc};
use openapi_client::{Visible, excerpt};
use reqwest::{
    StatusCode,
    header::{DATE, HeaderMap, HeaderName, RETRY_AFTER},
};
use serde::Deserialize;
use serde_json::Value;

use crate::{Details, Error, ErrorCode, response::request_id};

/// The length of the excerpt that stands for a body of another shape.
const EXCERPT_CHARACTERS: usize = 200;

/// A response that is no success.
///
/// The test of a caller makes one, and the error that it means:
///
/// ```
/// use payout_client::{Error, ErrorCode, ErrorResponse, StatusCode};
///
/// fn explain(error: &Error) -> String {
///     match error.response() {
///         Some(response) => format!("{}: {}", response.status, response.message),
///         None => error.to_string(),
///     }
/// }
///
/// let missing = ErrorResponse::new(StatusCode::NOT_FOUND, ErrorCode::NotFound, "No such payout.");
/// let error = Error::from(missing);
/// assert!(matches!(error, Error::NotFound { .. }));
/// assert_eq!(explain(&error), "404 Not Found: No such payout.");
/// ```
#[derive(Clone, PartialEq, thiserror::Error)]
#[error(
    "{status} {}: {}{}",
    Visible(.code.as_ref().map_or("without a code", ErrorCode::as_str)),
    Visible(message),
    suffix(headers)
)]
#[non_exhaustive]
pub struct ErrorResponse {
    /// The status.
    pub status: StatusCode,
    /// The stable code, for programs; `None` if a proxy responded in another format.
    pub code: Option<ErrorCode>,
    /// The text, for people. `Display` escapes its control characters.
    pub message: String,
    /// The details as they were sent; [`Error::details`] has their types.
    pub details: Option<Value>,
    /// The headers.
    pub headers: HeaderMap,
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

impl ErrorResponse {
    /// A response without headers and details.
    pub fn new(status: StatusCode, code: impl Into<ErrorCode>, message: impl Into<String>) -> Self {
        let (code, message) = (Some(code.into()), message.into());
        Self { status, code, message, details: None, headers: HeaderMap::new() }
    }

    /// Reads an error body; the text of one of another shape becomes the message.
    pub(crate) fn read(status: StatusCode, headers: HeaderMap, body: &[u8]) -> Self {
        let (code, message, details) = match serde_json::from_slice::<Envelope>(body) {
            Ok(Envelope { error }) => (Some(error.code.into()), error.message, error.details),
            Err(_) => (None, excerpt(body, EXCERPT_CHARACTERS), None),
        };
        Self { status, code, message, details, headers }
    }

    /// The typed details.
    pub(crate) fn details(&self) -> Option<Details> {
        Details::read(self.code.as_ref()?, self.details.as_ref()?)
    }

    /// The time to wait that the server, or a gateway before it, names.
    pub(crate) fn wait(&self) -> Option<Duration> {
        match self.details() {
            Some(Details::Retry(details)) => {
                u64::try_from(details.retry_after_seconds).ok().map(Duration::from_secs)
            }
            _ => retry_after(&self.headers),
        }
    }
}

/// The error that a response means.
impl From<ErrorResponse> for Error {
    fn from(response: ErrorResponse) -> Self {
        let (details, response) = (response.details(), Box::new(response));
        let code = response.code.clone();
        match (response.status.as_u16(), code, details) {
            // A gateway limits the rate too, with a page of its own.
            (429, ..) => Self::RateLimited {
                wait: response
                    .wait()
                    .unwrap_or_else(|| until_next_minute(sent_at(&response.headers))),
                response,
            },
            (_, None, _) => Self::Unexpected { response },
            (400, Some(ErrorCode::InvalidCursor), _) => Self::InvalidCursor { response },
            (400, Some(ErrorCode::UnsupportedApiVersion), _) => {
                Self::UnsupportedVersion { response }
            }
            (401, ..) => Self::Unauthorized { response },
            (402, ..) => Self::CreditsExhausted {
                resets_in: response
                    .wait()
                    .unwrap_or_else(|| until_next_month(sent_at(&response.headers))),
                response,
            },
            (403, _, Some(Details::RequiredScope(details))) => {
                Self::MissingScope { required: details.required_scope, response }
            }
            (403, Some(ErrorCode::InsufficientScope), _) => {
                Self::MissingScope { required: String::new(), response }
            }
            (404, ..) => Self::NotFound { response },
            (422, _, Some(Details::Violation(details))) => {
                Self::Invalid { issues: details.issues, response }
            }
            (409 | 422, Some(code), _) => Self::State { code, response },
            _ => Self::Unexpected { response },
        }
    }
}

/// One line, because a program whose `main` returns the error prints it so.
impl fmt::Debug for ErrorResponse {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{self}")?;
        match &self.details {
            Some(details) => write!(formatter, " {}", Visible(&details.to_string())),
            None => Ok(()),
        }
    }
}

/// The time to wait that a header names in seconds or as a date. A date is compared with that of
/// the response, so that the clock of this machine does not matter.
pub(crate) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let seconds = headers.get(RETRY_AFTER)?.to_str().ok()?.parse().map(Duration::from_secs);
    seconds.ok().or_else(|| {
        let until = date(headers, RETRY_AFTER)?;
        Some((until - sent_at(headers)).to_std().unwrap_or_default())
    })
}

/// The time at which a response was sent: by the clock of its server, or by that of this machine if
/// it has no `date`.
pub(crate) fn sent_at(headers: &HeaderMap) -> DateTime<Utc> {
    date(headers, DATE).unwrap_or_else(|| SystemTime::now().into())
}

/// The instant in a header.
pub(crate) fn date(headers: &HeaderMap, name: HeaderName) -> Option<DateTime<Utc>> {
    let text = headers.get(name)?.to_str().ok()?;
    Some(DateTime::parse_from_rfc2822(text).ok()?.to_utc())
}

fn until_next_minute(now: DateTime<Utc>) -> Duration {
    Duration::from_secs(60 - now.timestamp().rem_euclid(60).unsigned_abs())
}

fn until_next_month(now: DateTime<Utc>) -> Duration {
    use chrono::Datelike as _;

    let first = now.date_naive() - Days::new(u64::from(now.day0()));
    let next = (first + Months::new(1)).and_time(NaiveTime::MIN).and_utc();
    (next - now).to_std().unwrap_or_default()
}

/// The request's id, for the end of a message.
pub(crate) fn suffix(headers: &HeaderMap) -> String {
    request_id(headers).map(|id| format!(" (request {id})")).unwrap_or_default()
}
