//! From a base URL and a key to a client.
//!
//! It refuses to follow a redirect, and a key that no header can carry.

use std::time::Duration;

use reqwest::{ClientBuilder, Url, redirect};

use crate::{ApiKey, Client, api_headers::ApiHeaders};

/// How long a connection may take to come about.
pub const DEFAULT_CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a request may take, from its first byte to the last of its answer, and how long a download may stand
/// still. The server takes up to 30 seconds for a statement, and says so when it needs more: its answer must come first.
pub const DEFAULT_REQUEST_TIMEOUT: Duration = Duration::from_secs(45);

const USER_AGENT: &str = concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION"));

/// Why there is no client for a base URL and a key.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// The base URL is no URL. The URL is not repeated: it may hold a secret.
    #[error("the base URL cannot be parsed: {0}; it wants the form `https://api.example.com`")]
    UnparsableUrl(String),
    /// The base URL has something that a base URL must not have.
    #[error("the base URL has {part}; {mend}")]
    UnusableUrl {
        /// What it has.
        part: &'static str,
        /// How to mend it.
        mend: &'static str,
    },
    /// The key cannot be sent as a header.
    #[error("the API key {problem}; pass it exactly as it was shown, without line break or quotes")]
    UnusableKey {
        /// What is wrong with it.
        problem: &'static str,
    },
    /// TLS could not be set up; most often the system has no certificates.
    #[error(
        "cannot set up TLS: {0}; install the system's certificates (the package `ca-certificates`)"
    )]
    Tls(String),
    /// The HTTP client could not be built.
    #[error("cannot build the HTTP client: {0}")]
    Http(#[from] reqwest::Error),
}

/// A client for the API at `base_url`, as the organisation that owns `key`. Nothing is sent yet.
///
/// # Errors
/// When the URL or the key cannot be used; the message says how to mend it.
pub fn connect(base_url: &str, key: impl Into<ApiKey>) -> Result<Client, ConnectError> {
    connect_with(base_url, key, |http| http)
}

/// Like [`connect`], with a say about the HTTP client: timeouts, proxies, certificates, another TLS.
///
/// Redirects stay off and the key's header stays sensitive, whatever `adjust` does. What it sets holds for downloads
/// too: default headers among it, which go to the link's host as well.
///
/// # Errors
/// As [`connect`], and when the HTTP client cannot be built.
pub fn connect_with(
    base_url: &str,
    key: impl Into<ApiKey>,
    adjust: impl FnOnce(ClientBuilder) -> ClientBuilder,
) -> Result<Client, ConnectError> {
    let url = usable(base_url)?;
    let headers = ApiHeaders::with_key(&key.into())?;
    let http = ClientBuilder::new()
        .user_agent(USER_AGENT)
        .connect_timeout(DEFAULT_CONNECT_TIMEOUT)
        .timeout(DEFAULT_REQUEST_TIMEOUT)
        .read_timeout(DEFAULT_REQUEST_TIMEOUT);
    // A redirect would carry the key, or a link, to wherever it points.
    let http = adjust(with_tls(http, url.scheme() == "https")?)
        .redirect(redirect::Policy::none())
        .build()?;
    Ok(Client::new_with_client(
        url.as_str().trim_end_matches('/'),
        http,
        headers,
    ))
}

fn usable(base_url: &str) -> Result<Url, ConnectError> {
    let url =
        Url::parse(base_url).map_err(|error| ConnectError::UnparsableUrl(error.to_string()))?;
    let refused = |part, mend| Err(ConnectError::UnusableUrl { part, mend });
    if !matches!(url.scheme(), "http" | "https") {
        return refused(
            "a scheme other than http and https",
            "begin it with `https://`",
        );
    }
    if !url.username().is_empty() || url.password().is_some() {
        return refused(
            "a user or a password",
            "pass the API key as the second argument",
        );
    }
    if url.query().is_some() || url.fragment().is_some() {
        return refused("a query or a fragment", "end it before the `?` or the `#`");
    }
    if url.path().trim_end_matches('/').ends_with("/api/v1") {
        return refused(
            "the path `/api/v1`",
            "leave that path out: the client adds it",
        );
    }
    Ok(url)
}

#[cfg(not(feature = "rustls"))]
fn with_tls(http: ClientBuilder, _secure: bool) -> Result<ClientBuilder, ConnectError> {
    Ok(http)
}

/// A configuration of its own, so that no provider has to be installed for the whole process.
#[cfg(feature = "rustls")]
fn with_tls(http: ClientBuilder, secure: bool) -> Result<ClientBuilder, ConnectError> {
    use rustls_platform_verifier::BuilderVerifierExt as _;

    let failed = |error: rustls::Error| ConnectError::Tls(error.to_string());
    let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
    let versioned = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(failed)?;
    let verified = match versioned.clone().with_platform_verifier() {
        Ok(verified) => verified,
        Err(error) if secure => return Err(failed(error)),
        // Plain HTTP must work where the system has no certificates at all; links to `https://` then fail one by one.
        Err(_) => versioned.with_root_certificates(rustls::RootCertStore::empty()),
    };
    Ok(http.tls_backend_preconfigured(verified.with_no_client_auth()))
}

#[cfg(test)]
mod tests {
    use super::{ConnectError, connect};

    #[test]
    fn usable_urls_connect_without_sending() {
        for url in [
            "https://api.example.com",
            "http://127.0.0.1:1/",
            "https://example.com/payouts/",
        ] {
            assert!(connect(url, "pcp_test_key").is_ok(), "{url}");
        }
    }

    #[test]
    fn unusable_urls_are_refused_with_the_mend() {
        let cases = [
            ("ftp://example.com", "begin it with `https://`"),
            (
                "https://user:hunter2@example.com",
                "pass the API key as the second argument",
            ),
            ("https://example.com?key=1", "end it before the `?`"),
            ("https://example.com/api/v1", "leave that path out"),
            (
                "api.example.com",
                "it wants the form `https://api.example.com`",
            ),
        ];
        for (url, mend) in cases {
            let error = connect(url, "pcp_test_key").unwrap_err().to_string();
            assert!(error.contains(mend), "{url}: {error}");
            assert!(!error.contains("hunter2"), "{error}");
        }
    }

    #[test]
    fn unusable_keys_are_refused_and_not_repeated() {
        for key in ["", "pcp_test_key\n"] {
            let error = connect("https://example.com", key).unwrap_err();
            assert!(
                matches!(error, ConnectError::UnusableKey { .. }),
                "{error:?}"
            );
            assert!(!format!("{error} {error:?}").contains("pcp_test_key"));
        }
    }

    #[test]
    fn client_shows_no_key() {
        let client = connect("https://example.com", "pcp_test_secret").unwrap();
        assert!(!format!("{client:?}").contains("pcp_test_secret"));
    }
}
