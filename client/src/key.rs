//! The API key. Nothing prints it: its `Debug` is blank, it has no `Display`, and its header is
//! marked sensitive.

use std::fmt;

use reqwest::header::HeaderValue;

use crate::BuildError;

/// An API key, as it was shown when it was created. (§5)
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
        let mut value = HeaderValue::from_str(&self.0)
            .map_err(|_| unusable("has a character that no header can carry"))?;
        value.set_sensitive(true);
        Ok(value)
    }
}

impl From<String> for ApiKey {
    fn from(key: String) -> Self {
        Self(key)
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
