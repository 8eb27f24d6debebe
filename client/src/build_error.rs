//! Why there is no client, and which base URLs it can use.

use reqwest::{Url, header::HeaderName};

/// Why there is no client.
///
/// ```
/// use payout_client::{BuildError, Client};
///
/// let builder = Client::builder().base_url("https://api.partner-payout.example/api/v1");
/// let error = builder.key("pcp_live_…").build().unwrap_err();
/// assert!(matches!(error, BuildError::UnusableUrl { part: "the path `/api/v1`", .. }));
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// A setting is missing.
    #[error("the {what} is missing; {help}")]
    Missing {
        /// The setting.
        what: &'static str,
        /// The remedy, as the message shows it.
        help: &'static str,
    },
    /// The base URL is not a URL. The message does not repeat it, because it may hold a secret.
    #[error("the base URL cannot be parsed: {0}; write it like `https://api.example.com`")]
    UnparsableUrl(String),
    /// The base URL has a part that it must not have.
    #[error("the base URL has {part}; {help}")]
    UnusableUrl {
        /// The part.
        part: &'static str,
        /// The remedy, as the message shows it.
        help: &'static str,
    },
    /// The key cannot be sent as a header.
    #[error("the API key {problem}; pass it exactly as it was shown, without line break or quotes")]
    UnusableKey {
        /// The problem of the key.
        problem: &'static str,
    },
    /// A header that the client sets itself.
    #[error("the header `{name}` is set by the client; {help}")]
    ReservedHeader {
        /// The header.
        name: HeaderName,
        /// The way to choose its value.
        help: &'static str,
    },
    /// The version of the API cannot be sent as a header.
    #[error(
        "the version `{0}` has a character that no header can carry; write it like `2026-05-20`"
    )]
    UnusableVersion(String),
    /// The user agent cannot be sent as a header.
    #[error("the user agent `{0}` has a character that no header can carry")]
    UnusableUserAgent(String),
    /// The URL of the proxy cannot be used. The message does not repeat it, because it may hold a
    /// password.
    #[error("the proxy has no URL of HTTP; write it like `http://proxy.example.com:3128`")]
    UnusableProxy,
    /// TLS cannot be set up: the system has no certificates, or the processor is not supported.
    #[error("cannot set up TLS: {0}")]
    Tls(String),
}

pub(crate) fn usable(base_url: &str) -> Result<Url, BuildError> {
    let url = Url::parse(base_url).map_err(|error| BuildError::UnparsableUrl(error.to_string()))?;
    let unusable = |part, help| Err(BuildError::UnusableUrl { part, help });
    if !matches!(url.scheme(), "http" | "https") {
        return unusable("a scheme other than http and https", "begin it with `https://`");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return unusable("a user or a password", "pass the API key to `key`");
    }
    if url.query().is_some() || url.fragment().is_some() {
        return unusable("a query or a fragment", "end it before the `?` or the `#`");
    }
    if url.path().trim_end_matches('/').ends_with("/api/v1") {
        return unusable("the path `/api/v1`", "leave that path out, because the client adds it");
    }
    Ok(url)
}
