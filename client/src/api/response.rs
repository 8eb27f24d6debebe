//! Responses of every operation, read up to a limit. The error of a response that cannot be read
//! still has its status and headers.

use std::ops::Deref;

use bytes::Bytes;
use reqwest::{
    StatusCode,
    header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderValue},
};
use serde::de::DeserializeOwned;
use serde_json::error::Category;

use crate::{DecodeError, Error, ErrorResponse, Meters, TransportError, error_response::excerpt};

/// The largest body that is read, far above the largest page.
const BODY_LIMIT_BYTES: usize = 16 * 1024 * 1024;
/// The most characters that an error shows of a body that is no JSON.
const EXCERPT_CHARACTERS: usize = 60;
/// The API's header for the id of a request, and S3's.
const REQUEST_IDS: [&str; 2] = ["x-request-id", "x-amz-request-id"];
const REPLAYED: &str = "idempotent-replayed";

/// A successful response. It dereferences to its body, so `response.data` is the data.
///
/// ```
/// # async fn run(client: payout_client::Client) -> Result<(), payout_client::Error> {
/// let response = client.get_payout("pay_01JV3N8Q5RHWXK2M4P6S7T9V0A").send().await?;
/// println!("{} is {}", response.data.id, response.data.stage);
/// println!("request {:?}", response.request_id());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Response<T> {
    body: T,
    status: StatusCode,
    headers: HeaderMap,
}

impl<T> Response<T> {
    #[allow(dead_code, reason = "the document decides which bodies there are")]
    pub(crate) fn map<U>(self, body: impl FnOnce(T) -> U) -> Response<U> {
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

    /// The requests and credits that are left.
    pub fn meters(&self) -> Meters {
        Meters::read(&self.headers)
    }

    /// The id that the server's log has for this request.
    pub fn request_id(&self) -> Option<&str> {
        request_id(&self.headers)
    }

    /// Returns true if an earlier request with the same idempotency key got this response.
    pub fn is_replayed(&self) -> bool {
        self.headers.get(REPLAYED).is_some_and(|value| value == "true")
    }
}

impl<T> Deref for Response<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.body
    }
}

/// A successful response whose body is not decoded yet.
pub(crate) struct Success {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Success {
    /// Reads the whole body; a response that is no success becomes the error that it means.
    pub(crate) async fn read(
        mut response: reqwest::Response,
        redirects: &[u16],
    ) -> Result<Self, Error> {
        let (status, headers) = (response.status(), std::mem::take(response.headers_mut()));
        // Most bodies are one chunk, which needs no copy.
        let mut body = response.chunk().await.map_err(lost)?.unwrap_or_default();
        let mut further: Vec<Bytes> = Vec::new();
        let mut length = body.len();
        let is_success = status.is_success() || redirects.contains(&status.as_u16());
        while let Some(chunk) = response.chunk().await.map_err(lost)? {
            length += chunk.len();
            further.push(chunk);
            if length > BODY_LIMIT_BYTES && is_success {
                let problem = format!("its body is larger than {BODY_LIMIT_BYTES} bytes");
                let error = DecodeError::new(status, headers, problem);
                return Err(Error::Decode(Box::new(error)));
            } else if length > BODY_LIMIT_BYTES {
                break;
            }
        }
        if !further.is_empty() {
            further.insert(0, body);
            body = further.concat().into();
        }
        match is_success {
            true => Ok(Self { status, headers, body }),
            false => Err(ErrorResponse::read(status, headers, &body).into()),
        }
    }

    /// Reads a success without a body, or ignores it.
    #[allow(dead_code, reason = "the document decides which bodies there are")]
    pub(crate) fn empty(self) -> Result<Response<()>, Error> {
        let Self { status, headers, .. } = self;
        Ok(Response { body: (), status, headers })
    }

    #[allow(dead_code, reason = "the document decides which bodies there are")]
    pub(crate) fn bytes(self) -> Result<Response<Bytes>, Error> {
        let Self { status, headers, body } = self;
        Ok(Response { body, status, headers })
    }

    #[allow(dead_code, reason = "the document decides which bodies there are")]
    pub(crate) fn text(self) -> Result<Response<String>, Error> {
        let Self { status, headers, body } = self;
        match String::from_utf8(body.to_vec()) {
            Ok(body) => Ok(Response { body, status, headers }),
            Err(error) => {
                let problem = format!("it is no text in UTF-8: {error}");
                Err(Error::Decode(Box::new(DecodeError { status, headers, problem, body })))
            }
        }
    }

    /// The error of a success whose status the document does not have.
    #[allow(dead_code, reason = "the document decides which bodies there are")]
    pub(crate) fn undocumented(self) -> Error {
        let Self { status, headers, body } = self;
        let problem = format!("the operation has no response {}", status.as_u16());
        Error::Decode(Box::new(DecodeError { status, headers, problem, body }))
    }

    pub(crate) fn json<T: DeserializeOwned>(self) -> Result<Response<T>, Error> {
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
            return Err(Error::Transport(TransportError::new("the body ends in the middle")));
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
        Err(Error::Decode(Box::new(DecodeError { status, headers, problem, body })))
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

pub(crate) fn lost(error: reqwest::Error) -> Error {
    Error::Transport(error.into())
}

/// The id that the server's log has for the request.
pub(crate) fn request_id(headers: &HeaderMap) -> Option<&str> {
    REQUEST_IDS.iter().find_map(|name| headers.get(*name))?.to_str().ok()
}
