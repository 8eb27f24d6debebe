//! What can go wrong with a call, by what a caller can do about it.
//!
//! An error body of another shape than the API's becomes the message, so that no response is lost
//! to a failed parse.

use std::{
    fmt,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use bytes::Bytes;
use chrono::{DateTime, Months, Utc};
use reqwest::{StatusCode, header::HeaderMap};
use serde::Deserialize;
use serde_json::Value;

use crate::{
    Details, ErrorCode, Meters, SaveError, TransportError,
    response::request_id,
    types::{Cursor, Violation},
};

/// How much of a body of another shape becomes the message.
const EXCERPT_CHARACTERS: usize = 200;
/// The header that a 402 has. (§8)
const RETRY_AFTER: &str = "retry-after";

/// Why a call gave no result, by what a caller can do about it.
///
/// Errors of the server have its [`response`](Self::response), with status, code, message, details,
/// headers and request id.
///
/// ```
/// use payout_client::{Client, Error, ErrorCode};
///
/// async fn detach(client: &Client, line: &str) -> Result<(), Error> {
///     match client.detach_commission_line(line).send().await {
///         Ok(_) => println!("{line} is in the pending pool"),
///         Err(Error::State { code: ErrorCode::LineNotInPayout, .. }) => println!("it was there"),
///         Err(Error::NotFound { .. }) => println!("there is no line {line}"),
///         Err(Error::CreditsExhausted { resets_in, .. }) => println!("wait for {resets_in:?}"),
///         Err(error) => return Err(error),
///     }
///     Ok(())
/// }
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Nothing was sent: values are missing, or break rules of the document.
    #[error("the request was not sent: {}", in_one_line(issues))]
    InvalidRequest {
        /// Every violation, named as the server would name it.
        issues: Vec<Violation>,
    },
    /// No complete response arrived; whether the server acted on the request is unknown.
    #[error("no complete response arrived: {0}")]
    Transport(TransportError),
    /// 401: the key is missing, wrong, expired or revoked. Use another one. (§5)
    #[error("{response}")]
    Unauthorized {
        /// The server's response.
        response: Box<ErrorResponse>,
    },
    /// 403: the key does not have the scope that the operation needs. (§5)
    #[error("{response}")]
    MissingScope {
        /// The scope; empty if the server does not name it.
        required: String,
        /// The server's response.
        response: Box<ErrorResponse>,
    },
    /// 402: the credits of this month are used up. (§8)
    #[error("{response}")]
    CreditsExhausted {
        /// The time until the next UTC month.
        resets_in: Duration,
        /// The server's response.
        response: Box<ErrorResponse>,
    },
    /// 429: the requests of this minute are used up, also after the client has waited as its
    /// [`RetryPolicy`](crate::RetryPolicy) allows. (§8)
    #[error("{response}")]
    RateLimited {
        /// The time until the next UTC minute.
        wait: Duration,
        /// The server's response.
        response: Box<ErrorResponse>,
    },
    /// 404: the organisation has no such resource.
    #[error("{response}")]
    NotFound {
        /// The server's response.
        response: Box<ErrorResponse>,
    },
    /// 422: values of the request break rules, or refer to what does not exist. (R4)
    #[error("{response}")]
    Invalid {
        /// Every violation.
        issues: Vec<Violation>,
        /// The server's response.
        response: Box<ErrorResponse>,
    },
    /// 409 or 422: the state of things does not allow it, such as a line that is in no payout.
    /// (X10)
    #[error("{response}")]
    State {
        /// Why not.
        code: ErrorCode,
        /// The server's response.
        response: Box<ErrorResponse>,
    },
    /// Any other response that is no success: a server with a problem, a proxy, a wrong base URL.
    #[error("{response}")]
    Unexpected {
        /// The response.
        response: Box<ErrorResponse>,
    },
    /// The server returned success with a body that this client cannot decode.
    #[error(transparent)]
    Decode(Box<DecodeError>),
    /// An item of a list that this client cannot decode. [`Items`](crate::Items) go on after it.
    #[error(transparent)]
    UnreadableItem(Box<DecodeError>),
    /// The next page of a list was requested before, so the list would never end.
    #[error(
        "the list does not end: the cursor of its next page, {:?}, was requested before; report it \
         to the operator of the API",
        .cursor.to_string()
    )]
    RepeatedCursor {
        /// The cursor of the next page.
        cursor: Cursor,
    },
    /// A list has more pages than `max_pages` allows.
    #[error(
        "the list has more than {max_pages} pages, which is `max_pages`; go on from the cursor {:?}",
        .cursor.to_string()
    )]
    TooManyPages {
        /// The number of pages that were read.
        max_pages: usize,
        /// The cursor of the next page.
        cursor: Cursor,
    },
    /// A link has expired; with the response of its host. (§2.4, S9)
    #[error("the link has expired; generate the statement again for a new one ({response})")]
    LinkExpired {
        /// The response of the link's host.
        response: Box<ErrorResponse>,
    },
    /// A PDF cannot be saved as a file.
    #[error(transparent)]
    Save(Box<SaveError>),
}

/// A response that is no success. (§7)
///
/// ```
/// use payout_client::Error;
///
/// fn report(error: &Error) {
///     if let Some(response) = error.response() {
///         println!("{} {:?} {}", response.status, response.code, response.message);
///     }
/// }
/// ```
#[derive(Clone, PartialEq, thiserror::Error)]
#[error(
    "{status} {}: {message}{}",
    .code.as_ref().map_or("without a code", ErrorCode::as_str),
    suffix(request_id(headers))
)]
#[non_exhaustive]
pub struct ErrorResponse {
    /// The status.
    pub status: StatusCode,
    /// The stable code, for programs; `None` if a proxy responded in another format.
    pub code: Option<ErrorCode>,
    /// The text, for people.
    pub message: String,
    /// The details as they were sent; [`Error::details`] has their types.
    pub details: Option<Value>,
    /// The headers.
    pub headers: HeaderMap,
}

/// A successful response, or an item of it, that this client cannot decode.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot decode the response {status}: {problem}{}", suffix(request_id(headers)))]
#[non_exhaustive]
pub struct DecodeError {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// What is wrong, and where in the body.
    pub problem: String,
    /// The body or the item as it was sent; empty for a body that is too large, and for a download.
    pub body: Bytes,
}

impl Error {
    /// The response that is no success, if there is one.
    #[must_use]
    pub fn response(&self) -> Option<&ErrorResponse> {
        match self {
            Self::Unauthorized { response }
            | Self::MissingScope { response, .. }
            | Self::CreditsExhausted { response, .. }
            | Self::RateLimited { response, .. }
            | Self::NotFound { response }
            | Self::Invalid { response, .. }
            | Self::State { response, .. }
            | Self::Unexpected { response }
            | Self::LinkExpired { response } => Some(response),
            _ => None,
        }
    }

    /// The stable code of the server's error response.
    #[must_use]
    pub fn code(&self) -> Option<&ErrorCode> {
        self.response()?.code.as_ref()
    }

    /// The typed details of the server's error response. (X10)
    ///
    /// ```
    /// use payout_client::{Details, Error};
    ///
    /// fn explain(error: &Error) -> String {
    ///     match error.details() {
    ///         Some(Details::StageTransition(details)) => {
    ///             format!("{} can become {:?}", details.stage, details.allowed)
    ///         }
    ///         Some(Details::MissingBilling(details)) => details.missing.join(", "),
    ///         _ => error.to_string(),
    ///     }
    /// }
    /// ```
    #[must_use]
    pub fn details(&self) -> Option<Details> {
        self.response()?.details()
    }

    /// The status of the response, if one arrived.
    #[must_use]
    pub fn status(&self) -> Option<StatusCode> {
        match self {
            Self::Decode(error) | Self::UnreadableItem(error) => Some(error.status),
            error => error.response().map(|response| response.status),
        }
    }

    /// The headers of the response, if one arrived.
    #[must_use]
    pub fn headers(&self) -> Option<&HeaderMap> {
        match self {
            Self::Decode(error) | Self::UnreadableItem(error) => Some(&error.headers),
            error => error.response().map(|response| &response.headers),
        }
    }

    /// The id that the server's log has for this request, if a response arrived. (R13)
    #[must_use]
    pub fn request_id(&self) -> Option<&str> {
        request_id(self.headers()?)
    }

    /// The meters that the response showed; empty if none arrived. (§8)
    #[must_use]
    pub fn meters(&self) -> Meters {
        self.headers().map(Meters::read).unwrap_or_default()
    }

    /// Whether the server may have received the request. If not, a repeated call does no harm.
    #[must_use]
    pub fn was_sent(&self) -> bool {
        match self {
            Self::InvalidRequest { .. } => false,
            Self::Transport(error) => error.was_sent(),
            _ => true,
        }
    }

    /// Whether time ran out before a complete response arrived.
    #[must_use]
    pub fn is_timeout(&self) -> bool {
        matches!(self, Self::Transport(error) if error.is_timeout())
    }
}

/// One line, because a program whose `main` returns the error prints it so.
impl fmt::Debug for ErrorResponse {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{self}")?;
        match &self.details {
            Some(details) => write!(formatter, " {details}"),
            None => Ok(()),
        }
    }
}

/// One line without the body, which can be large, or have a link that is secret.
impl fmt::Debug for DecodeError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{self}")
    }
}

impl ErrorResponse {
    /// Reads an error body; the text of one of another shape becomes the message.
    pub(crate) fn read(status: StatusCode, headers: HeaderMap, body: &[u8]) -> Self {
        let (code, message, details) = match serde_json::from_slice::<Envelope>(body) {
            Ok(Envelope { error }) => (Some(error.code.into()), error.message, error.details),
            Err(_) => (None, excerpt(body), None),
        };
        Self { status, code, message, details, headers }
    }

    /// The error by its meaning.
    pub(crate) fn into_error(self) -> Error {
        let (details, response) = (self.details(), Box::new(self));
        let Some(code) = &response.code else {
            return Error::Unexpected { response };
        };
        match (response.status.as_u16(), details) {
            (401, _) => Error::Unauthorized { response },
            (402, _) => Error::CreditsExhausted {
                resets_in: response.wait().unwrap_or_else(until_next_month),
                response,
            },
            (403, Some(Details::RequiredScope(details))) => {
                Error::MissingScope { required: details.required_scope, response }
            }
            (403, _) if *code == ErrorCode::InsufficientScope => {
                Error::MissingScope { required: String::new(), response }
            }
            (404, _) if *code == ErrorCode::NotFound => Error::NotFound { response },
            (422, Some(Details::Violation(details))) => {
                Error::Invalid { issues: details.issues, response }
            }
            (409 | 422, _) => Error::State { code: code.clone(), response },
            (429, _) => Error::RateLimited {
                wait: response.wait().unwrap_or_else(until_next_minute),
                response,
            },
            _ => Error::Unexpected { response },
        }
    }

    /// The typed details. (X10)
    pub(crate) fn details(&self) -> Option<Details> {
        Details::read(self.code.as_ref()?, self.details.as_ref()?)
    }

    /// How long the server says to wait.
    fn wait(&self) -> Option<Duration> {
        let header = || self.headers.get(RETRY_AFTER)?.to_str().ok()?.parse().ok();
        let seconds = match self.details() {
            Some(Details::Retry(details)) => u64::try_from(details.retry_after_seconds).ok(),
            _ => header(),
        };
        seconds.map(Duration::from_secs)
    }
}

fn until_next_minute() -> Duration {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Duration::from_secs(60 - now.as_secs() % 60)
}

fn until_next_month() -> Duration {
    let now = DateTime::<Utc>::from(SystemTime::now());
    let month = now.date_naive().format("%Y-%m-01").to_string();
    let next = month.parse().ok().and_then(|first: chrono::NaiveDate| {
        first.checked_add_months(Months::new(1))?.and_hms_opt(0, 0, 0)
    });
    next.and_then(|next| (next.and_utc() - now).to_std().ok()).unwrap_or_default()
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
    Error::Transport(error.without_url().into())
}

/// Each violation with the place of its value, for people.
fn in_one_line(issues: &[Violation]) -> String {
    let text = |issue: &Violation| format!("{}: {}", issue.path, issue.message);
    issues.iter().map(text).collect::<Vec<_>>().join("; ")
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
