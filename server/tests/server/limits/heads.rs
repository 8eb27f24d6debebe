//! Heads and addresses that are too long.

use payout_server::http::limits::{
    HEAD_SIZE_BYTES, HEADERS_LIMIT, READABLE_HEAD_BYTES, READABLE_HEADERS, URI_SIZE_BYTES,
};
use poem::http::{Method, Request};

use super::{
    client::{Client, status},
    http2,
};
use crate::support::{Key, TestResponse, TestServer, raw};

/// A whole head of this size.
fn head_of(size: usize) -> Vec<u8> {
    let start = "GET /nothing HTTP/1.1\r\nhost: x\r\nconnection: close\r\nx: ";
    let padding = "x".repeat(size - start.len() - "\r\n\r\n".len());
    format!("{start}{padding}\r\n\r\n").into_bytes()
}

/// A head with this number of headers.
fn head_with(headers: usize) -> Vec<u8> {
    let more = "x: y\r\n".repeat(headers - 2);
    format!("GET /nothing HTTP/1.1\r\nhost: x\r\nconnection: close\r\n{more}\r\n").into_bytes()
}

/// Reads an response, which must have the envelope and the headers of every response.
async fn response_to(server: &TestServer, head: Vec<u8>) -> TestResponse {
    raw::exchange(server, &head).await
}

/// The status of the HTTP library's own response, which has no body.
async fn bare_response_to(server: &TestServer, head: &[u8]) -> u16 {
    let mut client = Client::connect(server.base_url()).await;
    client.send(head).await;
    let response = client.closed().await;
    assert!(response.ends_with("\r\n\r\n"), "no body: {response}");
    assert!(!response.contains("x-request-id"), "{response}");
    status(&response)
}

#[tokio::test]
async fn head_of_32_kib_passes_and_one_byte_more_does_not() {
    let server = TestServer::start().await;
    assert_eq!(response_to(&server, head_of(HEAD_SIZE_BYTES)).await.status, 404);
    let response = response_to(&server, head_of(HEAD_SIZE_BYTES + 1)).await;
    assert_eq!((response.status.as_u16(), response.code()), (431, "HEADERS_TOO_LARGE"));
    let message = "The request line and the headers are together larger than 32768 bytes.";
    assert_eq!(response.message(), message);
}

#[tokio::test]
async fn head_of_100_headers_passes_and_one_more_does_not() {
    let server = TestServer::start().await;
    assert_eq!(response_to(&server, head_with(HEADERS_LIMIT)).await.status, 404);
    let response = response_to(&server, head_with(HEADERS_LIMIT + 1)).await;
    assert_eq!((response.status.as_u16(), response.code()), (431, "HEADERS_TOO_LARGE"));
    let message = "The request has 101 headers; at most 100 are allowed.";
    assert_eq!(response.message(), message);
}

#[tokio::test]
async fn too_large_head_with_a_valid_key_is_not_metered_and_changes_nothing() {
    let server = TestServer::start().await;
    let padding = "x".repeat(HEAD_SIZE_BYTES);
    let response = server
        .update("ptn_01JV3N8Q5R000000000000000A", serde_json::json!({"name": "changed"}))
        .header("x-padding", &padding)
        .expect(431)
        .await;
    assert_eq!(response.number("x-service-credits-limit-month"), None);
    let partner = server.get(Key::MAIN, "/api/v1/partners/ptn_01JV3N8Q5R000000000000000A");
    assert_eq!(partner.expect(200).await.body["data"]["name"], "Bare Minimum Ltd");
}

#[tokio::test]
async fn too_large_head_over_http2_is_answered_alike() {
    let server = TestServer::start().await;
    let padding = "x".repeat(HEAD_SIZE_BYTES);
    let request =
        Request::get(format!("{}/nothing", server.base_url())).header("x-padding", padding);
    let (client, _connection) = http2::connect(server.base_url()).await;
    let response = http2::send(&client, request.body(()).unwrap()).await;
    assert_eq!(response.status(), 431);
    assert!(response.body().contains("HEADERS_TOO_LARGE"), "{}", response.body());
    assert!(response.headers().contains_key("x-request-id"));
}

#[tokio::test]
async fn head_beyond_what_is_read_and_malformed_head_are_answered_by_the_http_library() {
    let server = TestServer::start().await;
    assert_eq!(bare_response_to(&server, &head_of(READABLE_HEAD_BYTES + 1)).await, 431);
    assert_eq!(bare_response_to(&server, &head_with(READABLE_HEADERS + 1)).await, 431);
    assert_eq!(bare_response_to(&server, b"GET / HTTP/1.1\r\nno colon\r\n\r\n").await, 400);
}

#[tokio::test]
async fn address_as_long_as_a_head_is_answered_as_a_long_address() {
    let server = TestServer::start().await;
    let path = format!("/{}", "x".repeat(HEAD_SIZE_BYTES));
    let response = server.request(Method::GET, &path).expect(414).await;
    assert_eq!(response.code(), "URI_TOO_LONG");
}

#[tokio::test]
async fn address_of_8_kib_passes_and_one_byte_more_does_not() {
    let server = TestServer::start().await;
    let path = format!("/{}", "x".repeat(URI_SIZE_BYTES - 1));
    server.request(Method::GET, &path).expect(404).await;
    let response = server.request(Method::GET, &format!("{path}x")).expect(414).await;
    assert_eq!(response.message(), "The address is longer than 8192 bytes.");
    let query = format!("/docs?{}", "x".repeat(URI_SIZE_BYTES));
    server.request(Method::GET, &query).expect(414).await;
}

#[tokio::test]
async fn request_of_http_1_1_has_one_host() {
    let server = TestServer::start().await;
    for (version, hosts, expected) in [
        ("1.1", "", 400),
        ("1.1", "host: x\r\n", 404),
        ("1.1", "host: x\r\nhost: x\r\n", 400),
        ("1.0", "", 404),
        ("1.0", "host: x\r\nhost: y\r\n", 400),
    ] {
        let head = format!("GET /nothing HTTP/{version}\r\n{hosts}connection: close\r\n\r\n");
        let response = response_to(&server, head.into_bytes()).await;
        assert_eq!(response.status, expected, "{version} {hosts}");
        if expected == 400 {
            assert_eq!(response.code(), "INVALID_HOST");
        }
    }
    let counted = "payout_requests_total{operation=\"unknown\",status=\"400\"} 3";
    assert!(server.metrics().contains(counted), "{}", server.metrics());
}

#[tokio::test]
async fn malformed_chunks_are_a_400() {
    let server = TestServer::start().await;
    let key = server.key(Key::MAIN);
    let extension = format!("2;{}\r\n{{}}\r\n0\r\n\r\n", "x".repeat(100_000));
    let trailers = format!("2\r\n{{}}\r\n0\r\nx: {}\r\n\r\n", "x".repeat(100_000));
    for chunks in ["nothing\r\n", "-2\r\n{}\r\n0\r\n\r\n", &extension, &trailers] {
        let head = format!(
            "POST /api/v1/partners HTTP/1.1\r\nhost: x\r\nx-api-key: {key}\r\n\
             content-type: application/json\r\ntransfer-encoding: chunked\r\n\
             connection: close\r\n\r\n{chunks}"
        );
        let response = response_to(&server, head.into_bytes()).await;
        let shown = &chunks[..8];
        assert_eq!((response.status.as_u16(), response.code()), (400, "INVALID_JSON"), "{shown}");
    }
}
