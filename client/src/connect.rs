//! Makes a client from a base URL and a key. The client never follows a redirect.

use std::time::Duration;

use reqwest::{ClientBuilder, Url, redirect};

use crate::{ApiKey, Client, api_headers::ApiHeaders};

/// How long opening a connection may take.
pub const DEFAULT_CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a request may take, from its first byte to the last of its response, and how long a
/// download may pause. It is longer than the 30 seconds after which the server itself gives up on a
/// statement, so that the server's error arrives first.
pub const DEFAULT_REQUEST_TIMEOUT: Duration = Duration::from_secs(45);

const USER_AGENT: &str = concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION"));

/// Why there is no client for a base URL and a key.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// The base URL is not a URL. The message does not repeat it, because it may hold a secret.
    #[error("the base URL cannot be parsed: {0}; write it like `https://api.example.com`")]
    UnparsableUrl(String),
    /// The base URL has a part that it must not have.
    #[error("the base URL has {part}; {help}")]
    UnusableUrl {
        /// The part.
        part: &'static str,
        /// How to fix it.
        help: &'static str,
    },
    /// The key cannot be sent as a header.
    #[error("the API key {problem}; pass it exactly as it was shown, without line break or quotes")]
    UnusableKey {
        /// What is wrong with it.
        problem: &'static str,
    },
    /// TLS cannot be set up, usually because the system has no certificates.
    #[error(
        "cannot set up TLS: {0}; install the system's certificates (the package `ca-certificates`)"
    )]
    Tls(String),
    /// The HTTP client cannot be built.
    #[error("cannot build the HTTP client: {0}")]
    Http(#[from] reqwest::Error),
}

/// A client for the API at `base_url`, as the organisation that owns `key`. Sends nothing yet.
///
/// # Errors
/// The URL or the key cannot be used; the message says how to fix it.
pub fn connect(base_url: &str, key: impl Into<ApiKey>) -> Result<Client, ConnectError> {
    connect_with(base_url, key, |http| http)
}

/// Like [`connect`]; `adjust` changes the HTTP client: timeouts, proxies, certificates, another
/// TLS.
///
/// Redirects stay off and the key's header stays sensitive, whatever `adjust` does. Its settings
/// apply to downloads too: the host of a link also receives default headers that it sets.
///
/// # Errors
/// As for [`connect`]; or the HTTP client cannot be built.
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
    Ok(Client::new_with_client(url.as_str().trim_end_matches('/'), http, headers))
}

fn usable(base_url: &str) -> Result<Url, ConnectError> {
    let url =
        Url::parse(base_url).map_err(|error| ConnectError::UnparsableUrl(error.to_string()))?;
    let unusable = |part, help| Err(ConnectError::UnusableUrl { part, help });
    if !matches!(url.scheme(), "http" | "https") {
        return unusable("a scheme other than http and https", "begin it with `https://`");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return unusable("a user or a password", "pass the API key as the second argument");
    }
    if url.query().is_some() || url.fragment().is_some() {
        return unusable("a query or a fragment", "end it before the `?` or the `#`");
    }
    if url.path().trim_end_matches('/').ends_with("/api/v1") {
        return unusable("the path `/api/v1`", "leave that path out, because the client adds it");
    }
    Ok(url)
}

#[cfg(not(feature = "rustls"))]
fn with_tls(http: ClientBuilder, _secure: bool) -> Result<ClientBuilder, ConnectError> {
    Ok(http)
}

/// The client has its own TLS configuration, so that the process needs no default provider.
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
        // Plain HTTP must work on a system without certificates; requests to `https://` then fail.
        Err(_) => versioned.with_root_certificates(rustls::RootCertStore::empty()),
    };
    Ok(http.tls_backend_preconfigured(verified.with_no_client_auth()))
}

#[cfg(test)]
mod tests {
    use super::{ConnectError, connect};

    #[test]
    fn usable_urls_connect_without_sending() {
        for url in
            ["https://api.example.com", "http://127.0.0.1:1/", "https://example.com/payouts/"]
        {
            assert!(connect(url, "pcp_test_key").is_ok(), "{url}");
        }
    }

    #[test]
    fn unusable_urls_are_errors_that_say_how_to_fix_them() {
        let cases = [
            ("ftp://example.com", "begin it with `https://`"),
            ("https://user:hunter2@example.com", "pass the API key as the second argument"),
            ("https://example.com?key=1", "end it before the `?`"),
            ("https://example.com/api/v1", "leave that path out"),
            ("api.example.com", "write it like `https://api.example.com`"),
        ];
        for (url, help) in cases {
            let error = connect(url, "pcp_test_key").unwrap_err().to_string();
            assert!(error.contains(help), "{url}: {error}");
            assert!(!error.contains("hunter2"), "{error}");
        }
    }

    #[test]
    fn unusable_keys_are_errors_that_do_not_repeat_them() {
        for key in ["", "pcp_test_key\n"] {
            let error = connect("https://example.com", key).unwrap_err();
            assert!(matches!(error, ConnectError::UnusableKey { .. }), "{error:?}");
            assert!(!format!("{error} {error:?}").contains("pcp_test_key"));
        }
    }

    #[test]
    fn client_shows_no_key() {
        let client = connect("https://example.com", "pcp_test_secret").unwrap();
        assert!(!format!("{client:?}").contains("pcp_test_secret"));
    }
}
