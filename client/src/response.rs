//! Reads the responses of every operation, up to a limit. The error of a response that it cannot
//! read still has its status and request id.

use std::ops::Deref;

use futures_util::TryStreamExt;
use progenitor_client::{ByteStream, ResponseValue};
use reqwest::{StatusCode, header::HeaderMap};
use serde::de::DeserializeOwned;

use crate::error::{ApiError, DecodeError, Error};

/// The largest body that is read, far above the largest page.
const BODY_LIMIT_BYTES: usize = 16 * 1024 * 1024;
const REQUEST_ID: &str = "x-request-id";
const REPLAYED: &str = "idempotent-replayed";

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

    /// The headers, including those of limits and credits. (§8)
    pub fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// The id that the server's log has for this request. (R13)
    pub fn request_id(&self) -> Option<&str> {
        request_id(&self.headers)
    }

    /// Whether this is the response that an earlier request with the same idempotency key got. (X9)
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

/// Turns the result of a generated request into a response or an error.
pub(crate) async fn read<T: DeserializeOwned>(
    unread: Result<ResponseValue<ByteStream>, progenitor_client::Error<()>>,
) -> Result<Response<T>, Error> {
    let unread = unread.or_else(response_in)?;
    let (status, headers) = (unread.status(), unread.headers().clone());
    let decode_error = |problem| {
        Error::Decode(Box::new(DecodeError {
            status,
            request_id: request_id(&headers).map(str::to_owned),
            problem,
        }))
    };
    let Some(bytes) = read_body(unread).await? else {
        return Err(decode_error(format!("its body is larger than {BODY_LIMIT_BYTES} bytes")));
    };
    if !status.is_success() {
        let error = ApiError::read(status, request_id(&headers), &bytes);
        return Err(Error::Api(Box::new(error)));
    }
    let mut json = serde_json::Deserializer::from_slice(&bytes);
    match serde_path_to_error::deserialize(&mut json) {
        Ok(body) => Ok(Response { body, status, headers }),
        Err(problem) => Err(decode_error(problem.to_string())),
    }
}

/// The id that the server's log has for the request. (R13)
pub(crate) fn request_id(headers: &HeaderMap) -> Option<&str> {
    headers.get(REQUEST_ID)?.to_str().ok()
}

/// The response in progenitor's error, if there is one: progenitor treats every status but 2XX as
/// an error.
fn response_in(error: progenitor_client::Error<()>) -> Result<ResponseValue<ByteStream>, Error> {
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
        // Only documented error responses cause these, and the generator removes them all.
        other @ (Generated::ErrorResponse(_) | Generated::InvalidResponsePayload(..)) => {
            Err(Error::InvalidRequest(other.to_string()))
        }
    }
}

/// The whole body; `None` if it is larger than the limit.
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
