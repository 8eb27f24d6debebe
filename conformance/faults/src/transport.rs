//! Connections to a deployment: HTTP/1.1 over TCP or TLS.

use std::sync::Arc;

use bytes::Bytes;
use http_body_util::Full;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::TokioExecutor,
};
use rustls::{ClientConfig, pki_types::CertificateDer};
use rustls_platform_verifier::Verifier;

/// Connections to a deployment, kept for the next request.
pub type Pool = Client<HttpsConnector<HttpConnector>, Full<Bytes>>;

/// Connections that trust these certificate authorities besides the system's.
pub fn connect(trusted: Vec<CertificateDer<'static>>) -> Result<Pool, rustls::Error> {
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
