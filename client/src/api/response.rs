//! Responses with what this API's headers say.

use std::{fmt, ops::Deref};

use reqwest::{StatusCode, header::HeaderMap};

use crate::Meters;

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
#[derive(Clone)]
pub struct Response<T>(pub(crate) openapi_client::Response<T>);

impl<T> Response<T> {
    /// The body, by value.
    pub fn into_inner(self) -> T {
        self.0.into_inner()
    }

    /// The status.
    pub fn status(&self) -> StatusCode {
        self.0.status()
    }

    /// The headers.
    pub fn headers(&self) -> &HeaderMap {
        self.0.headers()
    }

    /// The requests and credits that are left.
    pub fn meters(&self) -> Meters {
        Meters::read(self.headers())
    }

    /// The id that the server's log has for this request.
    pub fn request_id(&self) -> Option<&str> {
        request_id(self.headers())
    }

    /// Returns true if an earlier request with the same idempotency key got this response.
    pub fn is_replayed(&self) -> bool {
        self.headers().get(REPLAYED).is_some_and(|value| value == "true")
    }
}

impl<T> Deref for Response<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: fmt::Debug> fmt::Debug for Response<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// The id that the server's log has for the request.
pub(crate) fn request_id(headers: &HeaderMap) -> Option<&str> {
    REQUEST_IDS.iter().find_map(|name| headers.get(*name))?.to_str().ok()
}
