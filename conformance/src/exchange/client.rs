//! The way to the deployment: HTTP/1.1 over TCP or TLS.
//!
//! It refuses redirects, cookies, compression and retries: what came is what is judged.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::{Uri, header::HeaderValue};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::{
    client::legacy::{Client as Pool, connect::HttpConnector},
    rt::TokioExecutor,
};
use rustls::{ClientConfig, pki_types::CertificateDer};
use rustls_platform_verifier::Verifier;

use super::{
    request::{Key, Request},
    response::Response,
};

/// The largest response that is read.
const BODY_LIMIT: usize = 64 * 1_024 * 1_024;

/// A client of one deployment.
#[derive(Clone, Debug)]
pub struct Client {
    base_url: String,
    pool: Pool<HttpsConnector<HttpConnector>, Full<Bytes>>,
    patience: Duration,
}

/// Why there is no response.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// TLS cannot be used here.
    #[error("TLS cannot be used: {0}")]
    Tls(rustls::Error),
    /// The request cannot be written as a request; a defect of the case.
    #[error("the request cannot be written: {0}")]
    Request(#[from] hyper::http::Error),
    /// A header's value that cannot travel; a defect of the case.
    #[error("the request's header cannot be written: {0}")]
    Header(#[from] hyper::header::InvalidHeaderValue),
    /// No connection, or it broke.
    #[error("{0} does not answer: {1}. Is the deployment running, and its address right?")]
    Connect(String, String),
    /// Somebody responses whom nobody vouches for.
    #[error(
        "{0} shows a certificate that is not trusted: {1}. Is the address right? Where an authority of your own vouches for \
         it, name the file of its certificates as ca_file in [tls] of the target file"
    )]
    Untrusted(String, String),
    /// The response broke off, or is too large.
    #[error("the response broke off: {0}")]
    Body(String),
    /// No response in time.
    #[error("no response came within {0:?}")]
    Late(Duration),
}

impl Client {
    /// A client of the deployment at this base URL, which waits so long for an response, and trusts these authorities besides
    /// the system's.
    ///
    /// # Errors
    /// The system's certificates cannot be used.
    pub fn new(
        base_url: &str,
        patience: Duration,
        trusted: Vec<CertificateDer<'static>>,
    ) -> Result<Self, ClientError> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let verifier = Verifier::new_with_extra_roots(trusted, Arc::clone(&provider));
        let verifier = Arc::new(verifier.map_err(ClientError::Tls)?);
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(ClientError::Tls)?
            // Dangerous in general; this one is the platform's.
            .dangerous()
            .with_custom_certificate_verifier(verifier)
            .with_no_client_auth();
        let mut http = HttpConnector::new();
        http.enforce_http(false);
        http.set_nodelay(true);
        let connector = HttpsConnectorBuilder::new()
            .with_tls_config(config)
            .https_or_http()
            .enable_http1()
            .wrap_connector(http);
        Ok(Self {
            base_url: base_url.trim_end_matches('/').to_owned(),
            pool: Pool::builder(TokioExecutor::new()).build(connector),
            patience,
        })
    }

    /// Where the deployment is, without a slash at its end.
    #[must_use]
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// Makes a request relative to the base URL.
    ///
    /// # Errors
    /// No response came, or the request cannot be sent.
    pub async fn send(&self, request: &Request) -> Result<Response, ClientError> {
        self.send_to(&format!("{}{}", self.base_url, request.target), request)
            .await
    }

    /// Makes a request to an address of its own, such as a link; the request's own target does not count.
    ///
    /// # Errors
    /// As [`Client::send`].
    pub async fn send_to(&self, address: &str, request: &Request) -> Result<Response, ClientError> {
        let request = http_request(address, request)?;
        let begun = Instant::now();
        let answered = tokio::time::timeout(self.patience, self.exchange(request, begun)).await;
        answered.map_err(|_| ClientError::Late(self.patience))?
    }

    async fn exchange(
        &self,
        request: hyper::Request<Full<Bytes>>,
        begun: Instant,
    ) -> Result<Response, ClientError> {
        let response = self.pool.request(request).await;
        let response = response.map_err(|error| self.unanswered(told(&error)))?;
        let (head, body) = response.into_parts();
        let body = Limited::new(body, BODY_LIMIT).collect().await;
        let body = body.map_err(|error| ClientError::Body(error.to_string()))?;
        let body = body.to_bytes();
        Ok(Response {
            exchange: 0,
            status: head.status,
            headers: head.headers,
            json: serde_json::from_slice(&body).ok(),
            body,
            elapsed: begun.elapsed(),
        })
    }

    /// rustls says it in these words alone, within an error of the connection.
    fn unanswered(&self, why: String) -> ClientError {
        if why.contains("invalid peer certificate") {
            ClientError::Untrusted(self.base_url.clone(), why)
        } else {
            ClientError::Connect(self.base_url.clone(), why)
        }
    }
}

fn http_request(
    address: &str,
    request: &Request,
) -> Result<hyper::Request<Full<Bytes>>, ClientError> {
    let uri: Uri = address.parse().map_err(hyper::http::Error::from)?;
    let mut built = hyper::Request::builder()
        .method(request.method.clone())
        .uri(uri);
    if request.headers.iter().all(|(name, _)| name != "accept") {
        built = built.header("accept", "*/*");
    }
    let keys: Vec<&str> = match &request.key {
        Key::None => Vec::new(),
        Key::Secret(secret) | Key::Altered(secret) => vec![secret.expose()],
        Key::Repeated(secrets) => secrets.iter().map(crate::secret::Secret::expose).collect(),
    };
    for key in keys {
        let mut value = HeaderValue::from_bytes(key.as_bytes())?;
        value.set_sensitive(true);
        built = built.header("x-api-key", value);
    }
    for (name, value) in &request.headers {
        built = built.header(name, HeaderValue::from_bytes(value.as_bytes())?);
    }
    let body = request.body.clone().unwrap_or_default();
    Ok(built.body(Full::new(body))?)
}

/// An error with its causes.
fn told(error: &dyn std::error::Error) -> String {
    let mut told = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        told = format!("{told}: {error}");
        cause = error.source();
    }
    told
}
