//! The HTTP client: HTTP/1.1 over TCP or TLS, without redirects, cookies, compression or retries.

use std::{
    net::SocketAddr,
    time::{Duration, Instant},
};

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::header::HeaderValue;
use payout_faults::{ORIGIN_HEADER, Pool};
use rustls::pki_types::CertificateDer;

use super::{request::Request, response::Response};

const BODY_LIMIT: usize = 64 * 1_024 * 1_024;

#[derive(Clone, Debug)]
pub(crate) struct Client {
    /// Without a slash at its end.
    pub(crate) base_url: String,
    pub(crate) pool: Pool,
    proxy: Option<SocketAddr>,
    is_always_proxied: bool,
    timeout: Duration,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum ClientError {
    #[error(
        "the certificate of {0} is not trusted: {1}. Is the address right? If your own authority \
         issued it, set ca_file in [tls] of the target file to its certificates"
    )]
    Untrusted(String, String),
    /// The request had to wait for longer than the run may take.
    #[error("{0}")]
    Deadline(String),
    /// No response came, or the request is invalid: a defect of the case.
    #[error("{0}")]
    Other(String),
}

impl Client {
    /// A client of the deployment at this base URL, with this timeout, which trusts these
    /// authorities besides the system's.
    pub(crate) fn new(
        base_url: &str,
        timeout: Duration,
        trusted: Vec<CertificateDer<'static>>,
    ) -> Result<Self, ClientError> {
        Ok(Self {
            base_url: base_url.trim_end_matches('/').to_owned(),
            pool: payout_faults::connect(trusted)
                .map_err(|error| ClientError::Other(format!("TLS cannot be used: {error}")))?,
            proxy: None,
            is_always_proxied: false,
            timeout,
        })
    }

    /// The same client by way of a proxy, also where others go past it if that shows no fault; its
    /// requests are counted together with this one's.
    pub(crate) fn through(&self, proxy: SocketAddr, is_always_proxied: bool) -> Self {
        Self { proxy: Some(proxy), is_always_proxied, ..self.clone() }
    }

    pub(crate) fn direct(&self) -> Self {
        Self { proxy: self.proxy.filter(|_| self.is_always_proxied), ..self.clone() }
    }

    pub(crate) async fn send(&self, request: &Request) -> Result<Response, ClientError> {
        self.exchange_with(&self.base_url, &request.target, request).await
    }

    /// Sends a request to another address, such as a link; the request's own target is ignored.
    pub(crate) async fn send_to(
        &self,
        address: &str,
        request: &Request,
    ) -> Result<Response, ClientError> {
        let path = address
            .find("://")
            .and_then(|scheme| Some(scheme + 3 + address[scheme + 3..].find('/')?));
        let (origin, target) = address.split_at(path.unwrap_or(address.len()));
        self.exchange_with(origin, target, request).await
    }

    async fn exchange_with(
        &self,
        origin: &str,
        target: &str,
        request: &Request,
    ) -> Result<Response, ClientError> {
        let request = match self.proxy {
            None => http_request(&format!("{origin}{target}"), request, None),
            Some(proxy) => http_request(&format!("http://{proxy}{target}"), request, Some(origin)),
        };
        let request = request.map_err(|error| {
            ClientError::Other(format!("the request cannot be written: {error}"))
        })?;
        let begun = Instant::now();
        let response = tokio::time::timeout(self.timeout, self.exchange(request, begun)).await;
        let late = || ClientError::Other(format!("no response came within {:?}", self.timeout));
        response.map_err(|_| late())?
    }

    async fn exchange(
        &self,
        request: hyper::Request<Full<Bytes>>,
        begun: Instant,
    ) -> Result<Response, ClientError> {
        let response = self.pool.request(request).await;
        let response = response.map_err(|error| self.connect_error(with_causes(&error)))?;
        let (head, body) = response.into_parts();
        let body = Limited::new(body, BODY_LIMIT).collect().await;
        let body = body
            .map_err(|error| ClientError::Other(format!("the response is incomplete: {error}")))?;
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

    /// rustls reports it in these words only, within an error of the connection.
    fn connect_error(&self, why: String) -> ClientError {
        if why.contains("invalid peer certificate") {
            ClientError::Untrusted(self.base_url.clone(), why)
        } else {
            ClientError::Other(format!(
                "{} does not respond: {why}. Is the deployment running, and its address right?",
                self.base_url
            ))
        }
    }
}

/// The request to this address; to a proxy with the origin behind it.
fn http_request(
    address: &str,
    request: &Request,
    origin: Option<&str>,
) -> Result<hyper::Request<Full<Bytes>>, hyper::http::Error> {
    let mut built = hyper::Request::builder().method(request.method.clone()).uri(address);
    if let Some(origin) = origin {
        built = built.header(ORIGIN_HEADER, origin);
    }
    if request.headers.iter().all(|(name, _)| name != "accept") {
        built = built.header("accept", "*/*");
    }
    for key in request.key.secrets() {
        let mut value = HeaderValue::from_bytes(key.expose().as_bytes())?;
        value.set_sensitive(true);
        built = built.header("x-api-key", value);
    }
    for (name, value) in &request.headers {
        built = built.header(name, value.as_bytes());
    }
    built.body(Full::new(request.body.clone().unwrap_or_default()))
}

fn with_causes(error: &dyn std::error::Error) -> String {
    let mut message = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        message = format!("{message}: {error}");
        cause = error.source();
    }
    message
}
