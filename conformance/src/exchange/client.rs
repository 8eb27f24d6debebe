//! The way to the deployment: HTTP/1.1 over TCP or TLS.
//!
//! It refuses redirects, cookies, compression and retries: what came is what is judged.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::{Request, Uri, header::HeaderValue};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::{
    client::legacy::{Client as Pool, connect::HttpConnector},
    rt::TokioExecutor,
};
use rustls::{ClientConfig, pki_types::CertificateDer};
use rustls_platform_verifier::Verifier;

use super::{
    answer::Answer,
    call::{Call, Key},
};

/// The largest answer that is read.
const BODY_LIMIT: usize = 64 * 1_024 * 1_024;

/// A client of one deployment.
#[derive(Clone, Debug)]
pub struct Client {
    base_url: String,
    pool: Pool<HttpsConnector<HttpConnector>, Full<Bytes>>,
    patience: Duration,
    requests: Arc<AtomicU64>,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// TLS cannot be used here.
    #[error("TLS cannot be used: {0}")]
    Tls(rustls::Error),
    /// The call cannot be written as a request; a defect of the case.
    #[error("the request cannot be written: {0}")]
    Request(#[from] hyper::http::Error),
    /// A header's value that cannot travel; a defect of the case.
    #[error("the request's header cannot be written: {0}")]
    Header(#[from] hyper::header::InvalidHeaderValue),
    /// No connection, or it broke.
    #[error("{0} does not answer: {1}. Is the deployment running, and its address right?")]
    Connect(String, String),
    /// Somebody answers whom nobody vouches for.
    #[error(
        "{0} shows a certificate that is not trusted: {1}. Is the address right? Where an authority of your own vouches for \
         it, name the file of its certificates as ca_file in [tls] of the target file"
    )]
    Untrusted(String, String),
    /// The answer broke off, or is too large.
    #[error("the answer broke off: {0}")]
    Body(String),
    /// No answer in time.
    #[error("no answer came within {0:?}")]
    Late(Duration),
}

impl Client {
    /// A client of the deployment at this base URL, which waits so long for an answer, and trusts these authorities besides
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
            requests: Arc::default(),
        })
    }

    /// Where the deployment is, without a slash at its end.
    #[must_use]
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// How many requests were sent so far.
    #[must_use]
    pub fn requests(&self) -> u64 {
        self.requests.load(Ordering::Relaxed)
    }

    /// Makes a call relative to the base URL.
    ///
    /// # Errors
    /// No answer came, or the call cannot be sent.
    pub async fn send(&self, call: &Call) -> Result<Answer, ClientError> {
        self.send_to(&format!("{}{}", self.base_url, call.target), call)
            .await
    }

    /// Makes a call to an address of its own, such as a link; the call's own target does not count.
    ///
    /// # Errors
    /// As [`Client::send`].
    pub async fn send_to(&self, address: &str, call: &Call) -> Result<Answer, ClientError> {
        let request = request(address, call)?;
        self.requests.fetch_add(1, Ordering::Relaxed);
        let begun = Instant::now();
        let answered = tokio::time::timeout(self.patience, self.exchange(request, begun)).await;
        answered.map_err(|_| ClientError::Late(self.patience))?
    }

    async fn exchange(
        &self,
        request: Request<Full<Bytes>>,
        begun: Instant,
    ) -> Result<Answer, ClientError> {
        let response = self.pool.request(request).await;
        let response = response.map_err(|error| self.unanswered(told(&error)))?;
        let (head, body) = response.into_parts();
        let body = Limited::new(body, BODY_LIMIT).collect().await;
        let body = body.map_err(|error| ClientError::Body(error.to_string()))?;
        let body = body.to_bytes();
        Ok(Answer {
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

fn request(address: &str, call: &Call) -> Result<Request<Full<Bytes>>, ClientError> {
    let uri: Uri = address.parse().map_err(hyper::http::Error::from)?;
    let mut request = Request::builder().method(call.method.clone()).uri(uri);
    if call.headers.iter().all(|(name, _)| name != "accept") {
        request = request.header("accept", "*/*");
    }
    let keys: Vec<&str> = match &call.key {
        Key::None => Vec::new(),
        Key::Secret(secret) | Key::Altered(secret) => vec![secret.expose()],
        Key::Repeated(secrets) => secrets.iter().map(crate::secret::Secret::expose).collect(),
    };
    for key in keys {
        let mut value = HeaderValue::from_bytes(key.as_bytes())?;
        value.set_sensitive(true);
        request = request.header("x-api-key", value);
    }
    for (name, value) in &call.headers {
        request = request.header(name, HeaderValue::from_bytes(value.as_bytes())?);
    }
    let body = call.body.clone().unwrap_or_default();
    Ok(request.body(Full::new(body))?)
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
