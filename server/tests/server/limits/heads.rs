//! Heads and addresses that are too long.

use payout_server::http::limits::{HEAD_SIZE_BYTES, URI_SIZE_BYTES};
use poem::http::Method;

use super::client::{Client, status};
use crate::support::{TestServer, snapshot};

/// The HTTP library's response to this head.
async fn rejected(head: &str) -> u16 {
    let server = TestServer::start().await;
    let mut client = Client::connect(server.base_url()).await;
    client.send(head).await;
    let response = client.closed().await;
    assert!(response.ends_with("\r\n\r\n"), "no body: {response}");
    status(&response)
}

#[tokio::test]
async fn head_of_32_kib_is_rejected() {
    let long = "x".repeat(HEAD_SIZE_BYTES);
    assert_eq!(
        rejected(&format!("GET / HTTP/1.1\r\nhost: x\r\nx: {long}\r\n\r\n")).await,
        431
    );
}

#[tokio::test]
async fn head_of_more_than_100_headers_is_rejected() {
    let many = "x: y\r\n".repeat(101);
    assert_eq!(
        rejected(&format!("GET / HTTP/1.1\r\n{many}\r\n")).await,
        431
    );
}

#[tokio::test]
async fn address_as_long_as_a_head_is_rejected_as_one() {
    let long = "x".repeat(HEAD_SIZE_BYTES);
    assert_eq!(
        rejected(&format!("GET /{long} HTTP/1.1\r\n\r\n")).await,
        431
    );
}

#[tokio::test]
async fn address_of_8_kib_passes_and_one_byte_more_does_not() {
    let server = TestServer::start().await;
    let path = format!("/{}", "x".repeat(URI_SIZE_BYTES - 1));
    server.request(Method::GET, &path).expect(404).await;
    let response = server
        .request(Method::GET, &format!("{path}x"))
        .expect(414)
        .await;
    snapshot("unrouted", "uri_too_long", &response);
    let query = format!("/docs?{}", "x".repeat(URI_SIZE_BYTES));
    server.request(Method::GET, &query).expect(414).await;
}
