//! Responses, read up to a limit. The error of a response that cannot be read still has its status
//! and headers.

use std::ops::Deref;

use bytes::Bytes;
use reqwest::{
    StatusCode,
    header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderValue},
};
use serde::de::DeserializeOwned;
use serde_json::error::Category;

use crate::{DecodeError, Error, ErrorResponse, visible::excerpt};

/// The most characters that an error shows of a body that is no JSON.
const EXCERPT_CHARACTERS: usize = 60;

/// A successful response. It dereferences to its body, so `response.title` is the title.
#[derive(Clone, Debug)]
pub struct Response<T> {
    body: T,
    status: StatusCode,
    headers: HeaderMap,
}

impl<T> Response<T> {
    /// The same response with what `body` makes of its body.
    pub fn map<U>(self, body: impl FnOnce(T) -> U) -> Response<U> {
        Response { body: body(self.body), status: self.status, headers: self.headers }
    }

    /// The body, by value.
    pub fn into_inner(self) -> T {
        self.body
    }

    /// The status.
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// The headers.
    pub fn headers(&self) -> &HeaderMap {
        &self.headers
    }
}

impl<T> Deref for Response<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.body
    }
}

/// A successful response whose body is not decoded yet.
pub struct Success {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
}

impl Success {
    /// Reads the whole body, up to the limit.
    ///
    /// # Errors
    /// [`Error::Response`] for a response that is no success, [`Error::Decode`] for a success that
    /// is larger than the limit, [`Error::Transport`] for one that does not arrive.
    pub async fn read(
        mut response: reqwest::Response,
        redirects: &[u16],
        limit_bytes: usize,
    ) -> Result<Self, Error> {
        let (status, headers) = (response.status(), std::mem::take(response.headers_mut()));
        // Most bodies are one chunk, which needs no copy.
        let mut body = response.chunk().await?.unwrap_or_default();
        let mut further: Vec<Bytes> = Vec::new();
        let mut length = body.len();
        let is_success = status.is_success() || redirects.contains(&status.as_u16());
        while length <= limit_bytes {
            let Some(chunk) = response.chunk().await? else { break };
            length += chunk.len();
            further.push(chunk);
        }
        if length > limit_bytes && is_success {
            let problem = format!("its body is larger than {limit_bytes} bytes");
            return Err(DecodeError::of(status, headers, problem, Bytes::new()));
        }
        if !further.is_empty() {
            further.insert(0, body);
            body = further.concat().into();
        }
        match is_success {
            true => Ok(Self { status, headers, body }),
            false => Err(Error::Response(Box::new(ErrorResponse::new(status, headers, body)))),
        }
    }

    /// Reads a success without a body, or ignores it.
    ///
    /// # Errors
    /// None.
    pub fn empty(self) -> Result<Response<()>, Error> {
        let Self { status, headers, .. } = self;
        Ok(Response { body: (), status, headers })
    }

    /// Reads a file.
    ///
    /// # Errors
    /// None.
    pub fn bytes(self) -> Result<Response<Bytes>, Error> {
        let Self { status, headers, body } = self;
        Ok(Response { body, status, headers })
    }

    /// Reads a text.
    ///
    /// # Errors
    /// [`Error::Decode`]: it is not UTF-8.
    pub fn text(self) -> Result<Response<String>, Error> {
        let Self { status, headers, body } = self;
        match String::from_utf8(body.to_vec()) {
            Ok(body) => Ok(Response { body, status, headers }),
            Err(error) => {
                let problem = format!("it is no text in UTF-8: {error}");
                Err(DecodeError::of(status, headers, problem, body))
            }
        }
    }

    /// The error of a success whose status the document does not have.
    pub fn undocumented(self) -> Error {
        let Self { status, headers, body } = self;
        let problem = format!("the operation has no response {}", status.as_u16());
        DecodeError::of(status, headers, problem, body)
    }

    /// Reads a value. A 204 is read as null.
    ///
    /// # Errors
    /// [`Error::Decode`] with the place of the first value of another type, or
    /// [`Error::Transport`]: the body ends in the middle.
    pub fn json<T: DeserializeOwned>(self) -> Result<Response<T>, Error> {
        let Self { status, headers, body } = self;
        let json = match status {
            StatusCode::NO_CONTENT => b"null",
            _ => &*body,
        };
        let error = match serde_json::from_slice(json) {
            Ok(body) => return Ok(Response { body, status, headers }),
            Err(error) => error,
        };
        // A body without a length ends where the connection does, whether or not it is complete.
        if error.is_eof() && !headers.contains_key(CONTENT_LENGTH) {
            return Err(Error::Transport("the body ends in the middle".into()));
        }
        let problem = match error.classify() {
            Category::Syntax => no_json(&headers, &body).unwrap_or_else(|| error.to_string()),
            _ => {
                // The place is worth a second reading, and a second reading is not worth a success.
                let mut json = serde_json::Deserializer::from_slice(&body);
                let placed = serde_path_to_error::deserialize::<_, T>(&mut json).err();
                placed.map_or_else(|| error.to_string(), |error| error.to_string())
            }
        };
        Err(DecodeError::of(status, headers, problem, body))
    }
}

/// Describes a body that does not even begin like an object or a list of JSON. Its beginning is
/// worth showing, and has no secret link; that of other bodies may have one.
fn no_json(headers: &HeaderMap, body: &[u8]) -> Option<String> {
    let first = body.iter().find(|byte| !byte.is_ascii_whitespace())?;
    let header = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    let content_type = header(CONTENT_TYPE).unwrap_or("none");
    let encoding = header(CONTENT_ENCODING).map(|name| format!(", encoded as {name}"));
    let encoding = encoding.unwrap_or_default();
    let begin = excerpt(body, EXCERPT_CHARACTERS);
    let problem =
        format!("it is no JSON; its content type is {content_type}{encoding}, it begins {begin:?}");
    (!b"{[".contains(first)).then_some(problem)
}
