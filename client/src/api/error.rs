//! The errors of a call, one variant for each thing that a caller can do about it.

use std::{fmt, time::Duration};

use bytes::Bytes;
use openapi_client::{Location, Unsent, Visible};
use reqwest::{StatusCode, header::HeaderMap};

use crate::{
    Details, ErrorCode, ErrorResponse, Meters, SaveError, TransportError,
    error_response::suffix,
    response::request_id,
    types::{Cursor, Violation},
};

/// The statuses of servers and gateways in trouble.
const PASSING: [StatusCode; 5] = [
    StatusCode::REQUEST_TIMEOUT,
    StatusCode::TOO_EARLY,
    StatusCode::BAD_GATEWAY,
    StatusCode::SERVICE_UNAVAILABLE,
    StatusCode::GATEWAY_TIMEOUT,
];

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
    #[error("the request was not sent: {}", listed(issues))]
    InvalidRequest {
        /// Every violation, named as the server would name it.
        issues: Vec<Violation>,
    },
    /// No complete response arrived. [`was_sent`](Self::was_sent) returns whether the server may
    /// have acted on the request.
    #[error("no complete response arrived: {0}")]
    Transport(TransportError),
    /// 400: the list has no such cursor, such as one of another list. Begin the list again.
    #[error("{response}")]
    InvalidCursor {
        /// The server's response.
        response: Box<ErrorResponse>,
    },
    /// 400: the server does not have this version of the API, or not any more. Update the client.
    #[error("{response}")]
    UnsupportedVersion {
        /// The server's response.
        response: Box<ErrorResponse>,
    },
    /// 401: the key is missing, wrong, expired or revoked. Use another one.
    #[error("{response}")]
    Unauthorized {
        /// The server's response.
        response: Box<ErrorResponse>,
    },
    /// 403: the key does not have the scope that the operation needs.
    #[error("{response}")]
    MissingScope {
        /// The scope; empty if the server does not name it.
        required: String,
        /// The server's response.
        response: Box<ErrorResponse>,
    },
    /// 402: the credits of this month are used up.
    #[error("{response}")]
    CreditsExhausted {
        /// The time until the next UTC month.
        resets_in: Duration,
        /// The server's response.
        response: Box<ErrorResponse>,
    },
    /// 429: the requests of this minute are used up, also after the client has waited as its
    /// [`RetryPolicy`](crate::RetryPolicy) allows; or a gateway limits the rate.
    #[error("{response}")]
    RateLimited {
        /// The server's `retry-after`; without it the time until the next UTC minute.
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
    /// 422: values of the request break rules, refer to what does not exist, or do not fit a form.
    #[error("{response}; {}", listed(issues))]
    Invalid {
        /// Every violation.
        issues: Vec<Violation>,
        /// The server's response.
        response: Box<ErrorResponse>,
    },
    /// 409 or 422: the state of things does not allow it, such as a line that is in no payout.
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
    #[error("the list repeats the cursor {:?}, so it never ends; report it", .cursor.to_string())]
    RepeatedCursor {
        /// The cursor of the next page.
        cursor: Cursor,
    },
    /// A list has more pages than `max_pages`.
    #[error("more than {max_pages} pages; the list goes on from {:?}", .cursor.to_string())]
    TooManyPages {
        /// The number of pages that were read.
        max_pages: usize,
        /// The cursor of the next page.
        cursor: Cursor,
    },
    /// A link has expired; with the response of its host.
    #[error("the link has expired; generate the statement again for a new one ({response})")]
    LinkExpired {
        /// The response of the link's host.
        response: Box<ErrorResponse>,
    },
    /// A PDF cannot be saved as a file.
    #[error(transparent)]
    Save(Box<SaveError>),
}

/// A successful response, or an item of it, that this client cannot decode.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot decode the response {status}: {}{}", Visible(problem), suffix(headers))]
#[non_exhaustive]
pub struct DecodeError {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The problem, and its place in the body.
    pub problem: String,
    /// The body or the item as it was sent; empty for a body that is too large, and for a download.
    pub body: Bytes,
}

impl DecodeError {
    /// An error without a body; the tests of a caller make one.
    pub fn new(status: StatusCode, headers: HeaderMap, problem: impl Into<String>) -> Self {
        Self { status, headers, problem: problem.into(), body: Bytes::new() }
    }
}

impl Error {
    /// The error of a request with one violation, which no rule of the document names.
    pub(crate) fn invalid_request(
        location: Location,
        path: &str,
        problem: impl fmt::Display,
    ) -> Self {
        openapi_client::Error::invalid_request(location, path, problem).into()
    }

    /// The response that is no success, if there is one.
    #[must_use]
    pub fn response(&self) -> Option<&ErrorResponse> {
        match self {
            Self::InvalidCursor { response }
            | Self::UnsupportedVersion { response }
            | Self::Unauthorized { response }
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

    /// The typed details of the server's error response.
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

    /// The id that the server's log has for this request, if a response arrived.
    #[must_use]
    pub fn request_id(&self) -> Option<&str> {
        request_id(self.headers()?)
    }

    /// The meters that the response showed; empty if none arrived.
    #[must_use]
    pub fn meters(&self) -> Meters {
        self.headers().map(Meters::read).unwrap_or_default()
    }

    /// Returns true if the cause may pass, so that the same call can succeed later: a lost
    /// connection, a server or a gateway in trouble, a used up minute, a first request that still
    /// runs.
    ///
    /// A repeated call does no harm where the server has the effect of one
    /// ([`Operation::idempotency`](crate::Operation::idempotency)); a POST needs the same
    /// idempotency key for that.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Transport(_) | Self::RateLimited { .. } => true,
            Self::State { code, .. } => *code == ErrorCode::IdempotencyInProgress,
            Self::Unexpected { response } => PASSING.contains(&response.status),
            _ => false,
        }
    }

    /// Returns true if the server may have received the request. If not, a repeated call does no
    /// harm.
    #[must_use]
    pub fn was_sent(&self) -> bool {
        match self {
            Self::InvalidRequest { .. } => false,
            Self::Transport(error) => error.was_sent(),
            _ => true,
        }
    }

    /// Returns true if time ran out before a complete response arrived.
    #[must_use]
    pub fn is_timeout(&self) -> bool {
        matches!(self, Self::Transport(error) if error.is_timeout())
    }
}

fn listed(issues: &[Violation]) -> String {
    openapi_client::listed(issues.iter().map(|issue| (&*issue.path, &*issue.message)))
}

impl From<Unsent> for Error {
    fn from(unsent: Unsent) -> Self {
        openapi_client::Error::from(unsent).into()
    }
}

/// The error of a call by its meaning.
impl From<openapi_client::Error> for Error {
    fn from(error: openapi_client::Error) -> Self {
        match error {
            openapi_client::Error::InvalidRequest { issues } => {
                Self::InvalidRequest { issues: issues.into_iter().map(Violation::from).collect() }
            }
            openapi_client::Error::Response(response) => {
                ErrorResponse::read(response.status, response.headers, &response.body).into()
            }
            openapi_client::Error::Decode(error) => {
                let openapi_client::DecodeError { status, headers, problem, body, .. } = *error;
                Self::Decode(Box::new(DecodeError { status, headers, problem, body }))
            }
            openapi_client::Error::Transport(cause) => {
                Self::Transport(match cause.downcast::<reqwest::Error>() {
                    Ok(error) => TransportError::from(*error),
                    Err(cause) => TransportError::new(cause),
                })
            }
            other => Self::Transport(TransportError::new(other).not_sent()),
        }
    }
}

/// Shows no body, which can be large or have a secret link.
impl fmt::Debug for DecodeError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{self}")
    }
}
