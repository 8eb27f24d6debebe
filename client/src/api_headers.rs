//! The headers of every request to the API, including the key. (§5)
//!
//! They are kept apart from the HTTP client, and only the generated operations add them: neither
//! the host of a download link nor the target of a redirect receives the key.

use progenitor_client::{ClientHooks, ClientInfo, OperationInfo};
use reqwest::{
    Request,
    header::{ACCEPT, HeaderMap, HeaderValue},
};

use crate::{ApiKey, Client, ConnectError};

const KEY_HEADER: &str = "x-api-key";

/// The headers of requests to the API. Its `Debug` shows no key: that header is sensitive.
#[derive(Clone, Debug)]
pub(crate) struct ApiHeaders(HeaderMap);

impl ApiHeaders {
    /// The headers of requests as the organisation that owns `key`.
    pub(crate) fn with_key(key: &ApiKey) -> Result<Self, ConnectError> {
        if key.is_empty() {
            return Err(ConnectError::UnusableKey { problem: "is empty" });
        }
        let unusable =
            |_| ConnectError::UnusableKey { problem: "has a character that no header can carry" };
        let mut headers = HeaderMap::new();
        headers.insert(KEY_HEADER, key.header().map_err(unusable)?);
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        Ok(Self(headers))
    }
}

/// Every generated operation runs this before it sends.
impl ClientHooks<ApiHeaders> for Client {
    async fn pre<E>(
        &self,
        request: &mut Request,
        _operation: &OperationInfo,
    ) -> Result<(), progenitor_client::Error<E>> {
        request.headers_mut().extend(self.inner().0.clone());
        Ok(())
    }
}
