//! The API key, and where a client gets it from. Nothing prints it: its `Debug` is blank, it has no
//! `Display`, and its header is marked sensitive.

use std::fmt;

use futures_util::future::BoxFuture;
use reqwest::header::HeaderValue;
use tokio::sync::Mutex;

use crate::{BuildError, Error, TransportError};

/// The most characters of a key, far above those of the API's keys.
const LONGEST_KEY: usize = 256;

/// An API key, as it was shown when it was created.
///
/// ```
/// let key = payout_client::ApiKey::from("pcp_live_…");
/// assert_eq!(format!("{key:?}"), "ApiKey(…)");
/// ```
#[derive(Clone)]
pub struct ApiKey(String);

impl ApiKey {
    /// The value of the header `x-api-key`.
    pub(crate) fn header(&self) -> Result<HeaderValue, BuildError> {
        let unusable = |problem| BuildError::UnusableKey { problem };
        if self.0.is_empty() {
            return Err(unusable("is empty"));
        }
        if self.0.len() > LONGEST_KEY {
            return Err(unusable("is longer than any key"));
        }
        // Quotes and spaces come from the file or the shell that it was copied from.
        if !self.0.bytes().all(|byte| byte.is_ascii_graphic() && !b"\"'`".contains(&byte)) {
            return Err(unusable("has a character that no key has, such as a quote or a space"));
        }
        let mut value = HeaderValue::from_str(&self.0).expect("visible ASCII");
        value.set_sensitive(true);
        Ok(value)
    }
}

impl From<String> for ApiKey {
    fn from(key: String) -> Self {
        Self(key)
    }
}

impl From<&String> for ApiKey {
    fn from(key: &String) -> Self {
        Self(key.clone())
    }
}

impl From<&str> for ApiKey {
    fn from(key: &str) -> Self {
        Self(key.to_owned())
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ApiKey(…)")
    }
}

/// The future that a key provider returns.
pub(crate) type Provided =
    BoxFuture<'static, Result<ApiKey, Box<dyn std::error::Error + Send + Sync>>>;

/// The source of the key of each request.
pub(crate) enum Keys {
    Fixed(HeaderValue),
    Provided { ask: Box<dyn Fn() -> Provided + Send + Sync>, last: Mutex<Option<HeaderValue>> },
}

impl Keys {
    pub(crate) fn fixed(key: &ApiKey) -> Result<Self, BuildError> {
        key.header().map(Self::Fixed)
    }

    pub(crate) fn provided(ask: Box<dyn Fn() -> Provided + Send + Sync>) -> Self {
        Self::Provided { ask, last: Mutex::default() }
    }

    /// The key to send: the last one, or a new one where the server has rejected that. Calls that
    /// need a new one at the same time ask once.
    pub(crate) async fn get(&self, rejected: Option<&HeaderValue>) -> Result<HeaderValue, Error> {
        let (ask, last) = match self {
            Self::Fixed(key) => return Ok(key.clone()),
            Self::Provided { ask, last } => (ask, last),
        };
        let mut last = last.lock().await;
        if let Some(key) = last.as_ref().filter(|key| Some(*key) != rejected) {
            return Ok(key.clone());
        }
        let unsent = |cause| Error::Transport(TransportError::new(cause).not_sent());
        let key = ask().await.map_err(unsent)?.header().map_err(|error| unsent(error.into()))?;
        Ok(last.insert(key).clone())
    }
}

#[cfg(test)]
mod tests {
    use super::ApiKey;

    #[test]
    fn debug_shows_neither_key_nor_header() {
        let key = ApiKey::from("pcp_test_secret");
        assert_eq!(format!("{key:?}"), "ApiKey(…)");
        assert_eq!(format!("{:?}", key.header().unwrap()), "Sensitive");
    }
}
