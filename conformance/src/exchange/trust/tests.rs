//! Trust, with generated certificates and a local server; the system's certificates are not used.

use std::{
    io::{Read as _, Write as _},
    net::TcpListener,
    sync::Arc,
    time::Duration,
};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::{
    ServerConfig, ServerConnection,
    pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer},
};

use super::*;
use crate::exchange::{Client, ClientError, Request};

/// An authority, as PEM, and the address of a server with a certificate of it that answers one
/// request.
fn served() -> (String, String) {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let params = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
    let certificate = params.signed_by(&key, &authority).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(
            vec![certificate.der().clone()],
            PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der())),
        )
        .unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("https://localhost:{}", listener.local_addr().unwrap().port());
    std::thread::spawn(move || response(&listener, &Arc::new(config)));
    (authority.pem(), address)
}

fn response(listener: &TcpListener, config: &Arc<ServerConfig>) {
    let (mut socket, _) = listener.accept().unwrap();
    let mut connection = ServerConnection::new(Arc::clone(config)).unwrap();
    let mut stream = rustls::Stream::new(&mut connection, &mut socket);
    let mut request = [0; 4096];
    // A client that does not trust us goes away here.
    if stream.read(&mut request).is_ok() {
        let response = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}";
        stream.write_all(response).unwrap();
        stream.flush().unwrap();
    }
}

async fn ask(address: &str, trusted: Vec<CertificateDer<'static>>) -> Result<u16, ClientError> {
    let client = Client::new(address, Duration::from_secs(60), trusted).unwrap();
    let response = client.send(&Request::get("/")).await?;
    Ok(response.status.as_u16())
}

fn file(text: &str) -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ca.pem");
    std::fs::write(&path, text).unwrap();
    (folder, path)
}

#[tokio::test]
async fn deployment_of_an_authority_in_the_file_is_trusted() {
    let (authority, address) = served();
    // Beside something else, as such files often are.
    let (other, _) = served();
    let key = KeyPair::generate().unwrap().serialize_pem();
    let (_folder, path) = file(&format!("# ours\n{other}{key}{authority}"));
    let trusted = certificates(&path).unwrap();
    assert_eq!(trusted.len(), 2);
    assert_eq!(ask(&address, trusted).await.unwrap(), 200);
}

#[tokio::test]
async fn deployment_of_another_authority_is_refused_and_ca_file_is_named() {
    let (_, address) = served();
    let (other, _) = served();
    let (_folder, path) = file(&other);
    let trusted = certificates(&path).unwrap();
    let error = ask(&address, trusted).await.unwrap_err();
    assert!(matches!(error, ClientError::Untrusted(..)), "{error}");
    assert!(error.to_string().contains("ca_file"), "{error}");
}

#[test]
fn each_unusable_file_is_told_with_what_belongs_there_and_no_key_is_shown() {
    let error = certificates(Path::new("no-such-ca.pem")).unwrap_err();
    assert!(error.contains("no-such-ca.pem") && error.contains("[tls]"), "{error}");
    let key = KeyPair::generate().unwrap().serialize_pem();
    let (good, _) = served();
    let broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    for (text, what) in [
        ("", "is not PEM"),
        ("not PEM at all", BEGIN),
        ("-----BEGIN CERTIFICATE-----\nAAAA\n", "is not PEM"),
        (&key, "contains no certificate, but"),
        (&format!("{good}{broken}"), "certificate 2 of"),
    ] {
        let (_folder, path) = file(text);
        let error = certificates(&path).unwrap_err();
        assert!(error.contains(what), "{error}");
        assert!(!error.contains(key.lines().nth(1).unwrap()), "{error}");
    }
}
