//! Connections: TLS of the program's choice, and proxies, which see no more than they must.

use std::{
    env,
    process::Command,
    sync::{Arc, Mutex},
};

use payout_client::{
    BuildError, Client, ClientBuilder, RetryPolicy,
    rustls::{
        ClientConfig, RootCertStore, ServerConfig,
        crypto::ring,
        pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer},
    },
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional},
    net::{TcpListener, TcpStream},
};
use tokio_rustls::TlsAcceptor;

use crate::{
    responses::PAYOUT,
    stub::{KEY, Stub, response},
};

/// A proxy that connects every tunnel to one server, and records all that it can read.
struct Proxy {
    url: String,
    seen: Arc<Mutex<String>>,
}

impl Proxy {
    async fn to(server: &str) -> Self {
        Self::answering("200 Established", server).await
    }

    async fn answering(status: &'static str, server: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(String::new()));
        let (record, server) = (Arc::clone(&seen), server.to_owned());
        tokio::spawn(async move {
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                let mut head = Vec::new();
                while !head.ends_with(b"\r\n\r\n") {
                    head.push(stream.read_u8().await.unwrap());
                }
                record.lock().unwrap().push_str(std::str::from_utf8(&head).unwrap());
                let answer = format!("HTTP/1.1 {status}\r\n\r\n");
                stream.write_all(answer.as_bytes()).await.unwrap();
                let mut server = TcpStream::connect(&server).await.unwrap();
                // An error is a connection that one of them closed.
                let _ = copy_bidirectional(&mut stream, &mut server).await;
            }
        });
        Self { url, seen }
    }

    fn seen(&self) -> String {
        self.seen.lock().unwrap().clone()
    }

    fn with_password(&self) -> String {
        self.url.replace("http://", "http://user:hunter2@")
    }
}

/// A server with TLS that returns a payout to every request; its address, and a TLS that trusts it.
async fn secure_server() -> (String, ClientConfig) {
    let made = rcgen::generate_simple_self_signed(["api.example".to_owned()]).unwrap();
    let certificate = made.cert.der().clone();
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()));
    let provider = Arc::new(ring::default_provider());
    let server = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.clone()], key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(server));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            // An error is a client that does not trust the certificate.
            let Ok(mut stream) = acceptor.accept(stream).await else { continue };
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                head.push(stream.read_u8().await.unwrap());
            }
            stream.write_all(response("200 OK", "", PAYOUT).as_bytes()).await.unwrap();
            stream.shutdown().await.unwrap();
        }
    });
    let mut roots = RootCertStore::empty();
    roots.add(certificate).unwrap();
    let client = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots);
    (address, client.with_no_client_auth())
}

#[tokio::test]
async fn proxy_of_a_secure_server_sees_its_name_and_no_more() {
    let (server, tls) = secure_server().await;
    let proxy = Proxy::to(&server).await;
    let builder = Client::builder().base_url("https://api.example").key(KEY);
    let client = builder.tls(tls).proxy(proxy.with_password()).build().unwrap();
    client.get_payout("pay_1").send().await.unwrap();
    let seen = proxy.seen();
    let expected = "CONNECT api.example:443 HTTP/1.1\r\nHost: api.example:443\r\n\
                    Proxy-Authorization: Basic dXNlcjpodW50ZXIy\r\n\r\n";
    assert_eq!(seen, expected);
}

#[tokio::test]
async fn certificate_of_an_unknown_authority_is_an_error_that_says_so_before_the_key_is_sent() {
    let (server, _) = secure_server().await;
    let proxy = Proxy::to(&server).await;
    let builder = Client::builder().base_url("https://api.example").key(KEY).proxy(&proxy.url);
    let error = builder.build().unwrap().get_payout("pay_1").send().await.unwrap_err();
    assert!(error.to_string().contains("invalid peer certificate: UnknownIssuer"), "{error}");
    assert!(!error.was_sent());
}

#[tokio::test]
async fn plain_http_goes_through_a_tunnel_too() {
    let stub = Stub::responding_json(PAYOUT).await;
    let server = stub.base_url.trim_start_matches("http://");
    let proxy = Proxy::to(server).await;
    let builder = Client::builder().base_url("http://api.example").key(KEY).proxy(&proxy.url);
    builder.build().unwrap().get_payout("pay_1").send().await.unwrap();
    assert!(proxy.seen().starts_with("CONNECT api.example:80 HTTP/1.1\r\n"), "{}", proxy.seen());
    assert!(stub.request().contains("host: api.example\r\n"), "{}", stub.request());
}

#[tokio::test]
async fn proxy_that_refuses_is_named_without_its_password() {
    let proxy = Proxy::answering("407 Proxy Authentication Required", "127.0.0.1:1").await;
    let builder = Client::builder().base_url("http://api.example").key(KEY);
    let client = builder.proxy(proxy.with_password()).build().unwrap();
    let client = client.with_retries(RetryPolicy::none());
    let error = client.get_payout("pay_1").send().await.unwrap_err();
    let text = format!("{error} {error:?}");
    for part in ["http://api.example", &proxy.url, "proxy authorization required"] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(!text.contains("hunter2"), "{text}");
    assert!(!error.was_sent());
}

#[test]
fn unusable_proxy_is_an_error_that_does_not_repeat_it() {
    for url in ["socks5://user:hunter2@proxy.example", "http://user:hunter2@", ""] {
        let builder = Client::builder().base_url("http://api.example").key(KEY).proxy(url);
        let error = builder.build().unwrap_err();
        assert!(matches!(error, BuildError::UnusableProxy), "{error:?}");
        assert!(!format!("{error} {error:?}").contains("hunter2"));
    }
}

/// It runs itself again, in a process of its own with a proxy in the environment.
#[tokio::test]
async fn proxy_of_the_environment_leads_everywhere_but_to_this_machine() {
    const NAME: &str = "transport::proxy_of_the_environment_leads_everywhere_but_to_this_machine";
    if env::var("ALL_PROXY").as_deref() != Ok("http://127.0.0.1:1") {
        let mut again = Command::new(env::current_exe().unwrap());
        again.args(["--exact", NAME]).env("ALL_PROXY", "http://127.0.0.1:1").env("NO_PROXY", "::");
        let again = again.env_remove("HTTP_PROXY").env_remove("http_proxy").output().unwrap();
        let output = String::from_utf8_lossy(&again.stdout);
        assert!(again.status.success() && output.contains("1 passed"), "{output}");
        return;
    }
    // Nothing listens there: each error says which way the request took.
    let uses_proxy = async |url: &str, change: fn(ClientBuilder) -> ClientBuilder| {
        let builder = Client::builder().base_url(url).key(KEY).retries(RetryPolicy::none());
        let client = change(builder).build().unwrap();
        let error = client.get_payout("pay_1").send().await.unwrap_err().to_string();
        assert!(error.contains("Connection refused"), "{error}");
        error.contains("through the proxy http://127.0.0.1:1/")
    };
    assert!(uses_proxy("http://0.0.0.0:2", |builder| builder).await);
    assert!(!uses_proxy("http://0.0.0.0:2", ClientBuilder::no_proxy).await);
    assert!(!uses_proxy("http://[::]:2", |builder| builder).await, "NO_PROXY");
    for near in ["http://127.0.0.1:2", "http://localhost:2", "http://[::1]:2"] {
        assert!(!uses_proxy(near, |builder| builder).await, "{near}");
        assert!(uses_proxy(near, |builder| builder.proxy("http://127.0.0.1:1")).await, "{near}");
    }
}

/// One with TLS makes `reqwest::Client::new()` panic, or load certificates, in the whole program.
#[test]
fn no_feature_of_reqwest_is_enabled_that_changes_the_clients_of_others() {
    let manifest = include_str!("../../Cargo.toml").lines();
    let lines: Vec<_> =
        manifest.filter(|line| !line.starts_with('#') && line.contains("reqwest")).collect();
    let types_alone =
        r#"reqwest = { version = "0.13", default-features = false, features = ["stream"] }"#;
    assert_eq!(lines, [types_alone]);
}
