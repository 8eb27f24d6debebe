//! TLS of the HTTP client, with the system's certificates. The process needs no default provider of
//! cryptography.

use reqwest::ClientBuilder;

use crate::BuildError;

#[cfg(not(any(feature = "tls", feature = "tls-ring")))]
pub(crate) fn with_tls(http: ClientBuilder, _secure: bool) -> Result<ClientBuilder, BuildError> {
    Ok(http)
}

#[cfg(any(feature = "tls", feature = "tls-ring"))]
pub(crate) fn with_tls(http: ClientBuilder, secure: bool) -> Result<ClientBuilder, BuildError> {
    use rustls_platform_verifier::BuilderVerifierExt as _;

    // With both features the older of the two implementations.
    #[cfg(feature = "tls-ring")]
    let provider = rustls::crypto::ring::default_provider();
    #[cfg(not(feature = "tls-ring"))]
    let provider = rustls_graviola::default_provider();
    let failed = |error: rustls::Error| BuildError::Tls(error.to_string());
    let versioned = rustls::ClientConfig::builder_with_provider(std::sync::Arc::new(provider))
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
