//! Sends requests over HTTP/1.1, by TCP or TLS, without redirects, cookies, compression or retries.

use std::{error::Error, sync::Arc};

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::header::HeaderValue;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::TokioExecutor,
};
use rustls::{ClientConfig, pki_types::CertificateDer};
use rustls_platform_verifier::Verifier;

use super::{headers::KEY, request::Request, response::Response};

/// The largest body that is read.
pub(crate) const BODY_LIMIT: usize = 64 * 1_024 * 1_024;

/// Connections to a deployment, kept for the next request.
pub(crate) type Pool = Client<HttpsConnector<HttpConnector>, Full<Bytes>>;

#[derive(Debug, thiserror::Error)]
pub(crate) enum TransportError {
    #[error("the request cannot be written: {0}")]
    Unwritable(#[from] hyper::http::Error),
    #[error("{0}")]
    NoResponse(String),
    #[error("the response is incomplete: {0}")]
    Incomplete(String),
}

/// Connections that trust these certificate authorities besides the system's.
pub(crate) fn connect(trusted: Vec<CertificateDer<'static>>) -> Result<Pool, rustls::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let verifier = Verifier::new_with_extra_roots(trusted, Arc::clone(&provider))?;
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        // The name is rustls's warning about verifiers in general; this one is the platform's.
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth();
    let mut http = HttpConnector::new();
    http.enforce_http(false);
    http.set_nodelay(true);
    let connector = HttpsConnectorBuilder::new()
        .with_tls_config(config)
        .https_or_http()
        .enable_http1()
        .wrap_connector(http);
    Ok(Client::builder(TokioExecutor::new()).build(connector))
}

/// Sends a request to this address; its own target is ignored.
pub(crate) async fn send(
    pool: &Pool,
    address: &str,
    request: &Request,
) -> Result<Response, TransportError> {
    let request = written(address, request)?;
    let response = pool.request(request).await;
    let response = response.map_err(|error| TransportError::NoResponse(with_causes(&error)))?;
    let (head, body) = response.into_parts();
    let body = Limited::new(body, BODY_LIMIT).collect().await;
    let body = body.map_err(|error| TransportError::Incomplete(error.to_string()))?.to_bytes();
    Ok(Response::new(head.status, head.headers, body))
}

fn written(
    address: &str,
    request: &Request,
) -> Result<hyper::Request<Full<Bytes>>, hyper::http::Error> {
    let mut built = hyper::Request::builder().method(request.method.clone()).uri(address);
    if !request.headers.contains_key("accept") {
        built = built.header("accept", "*/*");
    }
    for key in request.key.secrets() {
        let mut value = HeaderValue::from_bytes(key.expose().as_bytes())?;
        value.set_sensitive(true);
        built = built.header(KEY, value);
    }
    for (name, value) in &request.headers {
        built = built.header(name, value);
    }
    built.body(Full::new(request.body.clone().unwrap_or_default()))
}

fn with_causes(error: &dyn Error) -> String {
    let mut message = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        message = format!("{message}: {error}");
        cause = error.source();
    }
    message
}
