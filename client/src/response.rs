//! Reads responses: all of them, of every operation, in one way.
//!
//! It refuses to lose status and request id of a response that it cannot read, and to read without bound.

use std::ops::Deref;

use futures_util::TryStreamExt;
use progenitor_client::{ByteStream, ResponseValue};
use reqwest::{StatusCode, header::HeaderMap};
use serde::de::DeserializeOwned;

use crate::error::{ApiError, Error, UnreadableResponse};

/// The most that is read of a body; the largest page has a fraction of it.
const BODY_LIMIT_BYTES: usize = 16 * 1024 * 1024;
const REQUEST_ID: &str = "x-request-id";

/// A successful response. It dereferences to its body, so `response.data` is the data.
#[derive(Clone, Debug)]
pub struct Response<T> {
    body: T,
    status: StatusCode,
    headers: HeaderMap,
}

impl<T> Response<T> {
    /// The body, by value.
    pub fn into_inner(self) -> T {
        self.body
    }

    /// The status.
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// The headers; those of limits and credits among them. (§8)
    pub fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// The id that the server's log has for this request. (R13)
    pub fn request_id(&self) -> Option<&str> {
        request_id(&self.headers)
    }
}

impl<T> Deref for Response<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.body
    }
}

/// Turns what a generated request gives into a response or the error that it means.
pub(crate) async fn read<T: DeserializeOwned>(
    unread: Result<ResponseValue<ByteStream>, progenitor_client::Error<()>>,
) -> Result<Response<T>, Error> {
    let unread = unread.or_else(arrived)?;
    let (status, headers) = (unread.status(), unread.headers().clone());
    let unreadable = |problem| {
        Error::Unreadable(Box::new(UnreadableResponse {
            status,
            request_id: request_id(&headers).map(str::to_owned),
            problem,
        }))
    };
    let Some(bytes) = read_body(unread).await? else {
        return Err(unreadable(format!(
            "its body is larger than {BODY_LIMIT_BYTES} bytes"
        )));
    };
    if !status.is_success() {
        let answer = ApiError::read(status, request_id(&headers), &bytes);
        return Err(Error::Api(Box::new(answer)));
    }
    let mut json = serde_json::Deserializer::from_slice(&bytes);
    match serde_path_to_error::deserialize(&mut json) {
        Ok(body) => Ok(Response {
            body,
            status,
            headers,
        }),
        Err(problem) => Err(unreadable(problem.to_string())),
    }
}

/// The id that the server's log has for the request that these headers answer. (R13)
pub(crate) fn request_id(headers: &HeaderMap) -> Option<&str> {
    headers.get(REQUEST_ID)?.to_str().ok()
}

/// The response inside progenitor's error, where there is one: it calls every status but 2XX an error.
fn arrived(error: progenitor_client::Error<()>) -> Result<ResponseValue<ByteStream>, Error> {
    use progenitor_client::Error as Generated;
    match error {
        Generated::UnexpectedResponse(response) => Ok(ResponseValue::stream(response)),
        Generated::CommunicationError(error) if error.is_builder() => {
            Err(Error::InvalidRequest(error.to_string()))
        }
        Generated::CommunicationError(error)
        | Generated::ResponseBodyError(error)
        | Generated::InvalidUpgrade(error) => Err(Error::Transport(error)),
        Generated::InvalidRequest(problem) | Generated::Custom(problem) => {
            Err(Error::InvalidRequest(problem))
        }
        // These need a documented response, and the generator gives progenitor none.
        other @ (Generated::ErrorResponse(_) | Generated::InvalidResponsePayload(..)) => {
            Err(Error::InvalidRequest(other.to_string()))
        }
    }
}

/// The whole body; `None` when it is larger than the limit.
async fn read_body(unread: ResponseValue<ByteStream>) -> Result<Option<Vec<u8>>, Error> {
    let mut stream = unread.into_inner_stream();
    let mut body = Vec::new();
    while let Some(chunk) = stream.try_next().await.map_err(Error::Transport)? {
        if body.len() + chunk.len() > BODY_LIMIT_BYTES {
            return Ok(None);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Some(body))
}
