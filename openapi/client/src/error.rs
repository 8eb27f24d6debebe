//! The errors of a plain client. The document's own type of an error is read from its body.

use std::fmt;

use bytes::Bytes;
use reqwest::{StatusCode, header::HeaderMap};
use serde::de::DeserializeOwned;

use crate::{
    Location, Unsent, Violation, ViolationCode, Visible,
    visible::{excerpt, with_causes},
};

/// The most issues that the text of an error lists.
const LISTED_ISSUES: usize = 10;
/// The most characters that an error shows of a body.
const EXCERPT_CHARACTERS: usize = 200;

/// Why a call gave no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A setting of the connection cannot be used.
    #[error("{0}")]
    Setting(String),
    /// Nothing was sent: values are missing, or break rules of the document.
    #[error(
        "the request was not sent: {}",
        listed(issues.iter().map(|issue| (&*issue.path, &*issue.message)))
    )]
    InvalidRequest {
        /// Every violation, named as a generated server would name it.
        issues: Vec<Violation>,
    },
    /// No complete response arrived.
    #[error("no complete response arrived: {}", Visible(&with_causes(&**.0)))]
    Transport(Box<dyn std::error::Error + Send + Sync>),
    /// The response is no success.
    #[error(transparent)]
    Response(Box<ErrorResponse>),
    /// The response is a success that this client cannot decode.
    #[error(transparent)]
    Decode(Box<DecodeError>),
}

impl Error {
    /// The error of a request with one violation, which no rule of the document names.
    pub fn invalid_request(location: Location, path: &str, problem: impl fmt::Display) -> Self {
        let issue = Violation::new(location, path, ViolationCode::BadFormat, problem);
        Self::InvalidRequest { issues: vec![issue] }
    }

    /// The response that is no success, if there is one.
    #[must_use]
    pub fn response(&self) -> Option<&ErrorResponse> {
        match self {
            Self::Response(response) => Some(response),
            _ => None,
        }
    }
}

impl From<Unsent> for Error {
    fn from(Unsent(issues): Unsent) -> Self {
        Self::InvalidRequest { issues }
    }
}

impl From<reqwest::Error> for Error {
    fn from(error: reqwest::Error) -> Self {
        Self::Transport(error.into())
    }
}

/// A response that is no success.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("{status}: {}", Visible(&excerpt(body, EXCERPT_CHARACTERS)))]
#[non_exhaustive]
pub struct ErrorResponse {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body as it was sent, up to the limit of the connection.
    pub body: Bytes,
}

impl ErrorResponse {
    pub(crate) fn new(status: StatusCode, headers: HeaderMap, body: Bytes) -> Self {
        Self { status, headers, body }
    }

    /// Reads the body as the error type of the document.
    ///
    /// # Errors
    /// The body is no JSON of this type: a proxy may have responded.
    pub fn json<T: DeserializeOwned>(&self) -> serde_json::Result<T> {
        serde_json::from_slice(&self.body)
    }
}

/// A successful response that this client cannot decode.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot decode the response {status}: {}", Visible(problem))]
#[non_exhaustive]
pub struct DecodeError {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The problem, and its place in the body.
    pub problem: String,
    /// The body as it was sent; empty for one that is too large.
    pub body: Bytes,
}

impl DecodeError {
    pub(crate) fn of(
        status: StatusCode,
        headers: HeaderMap,
        problem: String,
        body: Bytes,
    ) -> Error {
        Error::Decode(Box::new(Self { status, headers, problem, body }))
    }
}

/// One line, because a program whose `main` returns the error prints it so.
impl fmt::Debug for ErrorResponse {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{self}")
    }
}

/// Shows no body, which can be large or have a secret.
impl fmt::Debug for DecodeError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{self}")
    }
}

/// Lists the first issues, each a path and a message, for people.
pub fn listed<'a>(issues: impl ExactSizeIterator<Item = (&'a str, &'a str)>) -> String {
    let more = issues.len().saturating_sub(LISTED_ISSUES);
    let issues = issues.take(LISTED_ISSUES);
    let texts = issues.map(|(path, message)| format!("{}: {}", Visible(path), Visible(message)));
    let mut texts: Vec<String> = texts.collect();
    if more > 0 {
        texts.push(format!("and {more} more"));
    }
    texts.join("; ")
}
