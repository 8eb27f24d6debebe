//! The connection of a plain client: it sends each request once, over HTTP/1.1.

use std::{fmt::Display, time::Duration};

use reqwest::{
    Request, Url,
    header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue},
    redirect::Policy,
};

use crate::{Error, Response, Success, Unsent};

/// The time that a request may take, from its first byte to the last of its response.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);
/// The most bytes that are read of a body.
pub const DEFAULT_BODY_LIMIT_BYTES: usize = 16 * 1024 * 1024;

/// The address of a server, the headers of every request, and limits. Clones share connections.
///
/// ```no_run
/// use std::time::Duration;
///
/// use openapi_client::Connection;
///
/// # fn run() -> Result<(), openapi_client::Error> {
/// let connection = Connection::new("http://127.0.0.1:8080")?
///     .header("x-api-key", "secret")?
///     .timeout(Duration::from_secs(5));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Connection {
    base_url: String,
    http: reqwest::Client,
    headers: HeaderMap,
    timeout: Duration,
    body_limit_bytes: usize,
}

impl Connection {
    /// A connection to the server at this URL, which may have a path. It follows no redirect, which
    /// would carry the headers elsewhere.
    ///
    /// # Errors
    /// [`Error::Setting`]: this is no URL of HTTP, or there is no TLS for `https://`, which is a
    /// feature of reqwest.
    ///
    /// # Panics
    /// The program enables reqwest's feature `rustls-no-provider`, and has installed no provider of
    /// rustls.
    pub fn new(base_url: &str) -> Result<Self, Error> {
        let built = reqwest::Client::builder().redirect(Policy::none()).build();
        Self::with_client(base_url, built.map_err(|error| setting("the HTTP client", error))?)
    }

    /// A connection by this client, with its proxies, its TLS and its redirects.
    ///
    /// # Errors
    /// [`Error::Setting`]: this is no URL of HTTP.
    pub fn with_client(base_url: &str, http: reqwest::Client) -> Result<Self, Error> {
        let url = Url::parse(base_url).map_err(|error| setting("the base URL", error))?;
        if !matches!(url.scheme(), "http" | "https") || url.query().or(url.fragment()).is_some() {
            return Err(setting("the base URL", "write it like `https://api.example.com`"));
        }
        Ok(Self {
            base_url: url.as_str().trim_end_matches('/').to_owned(),
            http,
            headers: HeaderMap::new(),
            timeout: DEFAULT_TIMEOUT,
            body_limit_bytes: DEFAULT_BODY_LIMIT_BYTES,
        })
    }

    /// Sends a header with every request that does not set it itself, such as an API key. `Debug`
    /// does not show its value.
    ///
    /// # Errors
    /// [`Error::Setting`]: the name or the value has a character that no header can carry.
    pub fn header(mut self, name: &str, value: &str) -> Result<Self, Error> {
        let unusable = |error: &dyn Display| setting(&format!("the header `{name}`"), error);
        let name = HeaderName::try_from(name).map_err(|error| unusable(&error))?;
        let mut value = HeaderValue::try_from(value).map_err(|error| unusable(&error))?;
        value.set_sensitive(true);
        self.headers.insert(name, value);
        Ok(self)
    }

    /// Sends `authorization: Bearer TOKEN` with every request.
    ///
    /// # Errors
    /// [`Error::Setting`]: the token has a character that no header can carry.
    pub fn bearer(self, token: &str) -> Result<Self, Error> {
        self.header(AUTHORIZATION.as_str(), &format!("Bearer {token}"))
    }

    /// Limits the time of a request; [`DEFAULT_TIMEOUT`] unless set.
    #[must_use]
    pub fn timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// Limits the body of a response; [`DEFAULT_BODY_LIMIT_BYTES`] unless set.
    #[must_use]
    pub fn body_limit(self, bytes: usize) -> Self {
        Self { body_limit_bytes: bytes, ..self }
    }

    /// The base URL, without a slash at its end.
    #[must_use]
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// Sends a request and reads a success, which may have one of the statuses `redirects` beside
    /// 2XX. The generated code calls it.
    ///
    /// # Errors
    /// All of [`Error`] but `Setting`.
    pub async fn call<T>(
        &self,
        redirects: &[u16],
        request: Result<Request, Unsent>,
        read: impl FnOnce(Success) -> Result<Response<T>, Error>,
    ) -> Result<Response<T>, Error> {
        let mut request = request?;
        for (name, value) in &self.headers {
            request.headers_mut().entry(name).or_insert_with(|| value.clone());
        }
        *request.timeout_mut() = Some(self.timeout);
        let response = self.http.execute(request).await?;
        read(Success::read(response, redirects, self.body_limit_bytes).await?)
    }
}

fn setting(what: &str, problem: impl Display) -> Error {
    Error::Setting(format!("{what} cannot be used: {problem}"))
}
