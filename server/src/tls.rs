//! TLS of the server as a client: by rustls with ring and the platform's certificates, in a
//! configuration of its own, since none is installed for the whole process.

use std::sync::Arc;

use rustls::{ClientConfig, ConfigBuilder, RootCertStore, WantsVerifier, client::WantsClientCert};
use rustls_platform_verifier::BuilderVerifierExt as _;

/// Trusts what the system trusts. The error says why it trusts nothing.
pub(crate) fn client_config() -> Result<ClientConfig, String> {
    let verified = versioned().with_platform_verifier().map_err(|error| error.to_string())?;
    Ok(finished(verified))
}

/// Trusts nobody: for connections without TLS, on systems without certificates.
pub(crate) fn without_certificates() -> ClientConfig {
    finished(versioned().with_root_certificates(RootCertStore::empty()))
}

fn versioned() -> ConfigBuilder<ClientConfig, WantsVerifier> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let versioned = ClientConfig::builder_with_provider(provider);
    versioned.with_safe_default_protocol_versions().expect("ring has these versions")
}

fn finished(verified: ConfigBuilder<ClientConfig, WantsClientCert>) -> ClientConfig {
    verified.with_no_client_auth()
}
