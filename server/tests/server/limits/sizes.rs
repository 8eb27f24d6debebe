//! Heads, addresses and bodies that are too large, unread or malformed, or more than their memory
//! holds.

use futures_util::future::join_all;
use payout_server::http::limits::{
    HEAD_SIZE_BYTES, HEADERS_LIMIT, READABLE_HEAD_BYTES, READABLE_HEADERS, URI_SIZE_BYTES,
};
use poem::http::Method;
use serde_json::json;

use crate::support::{
    Key, TestServer,
    commission::get,
    dataset::{BARE, MAIN},
    wire::{Connection, exchange, head},
    within,
};

const CHUNKED: &str = "transfer-encoding: chunked";
/// More than the system's buffers hold.
const UNREAD_BYTES: usize = 64_000_000;

/// A whole head of this size.
fn head_of(size: usize) -> String {
    let start = "GET /nothing HTTP/1.1\r\nhost: x\r\nx: ";
    format!("{start}{}\r\n\r\n", "x".repeat(size - start.len() - "\r\n\r\n".len()))
}

/// A head with this number of headers.
fn head_with(headers: usize) -> String {
    format!("GET /nothing HTTP/1.1\r\nhost: x\r\n{}\r\n", "x: y\r\n".repeat(headers - 1))
}

fn address_of(size: usize) -> String {
    format!("GET /{} HTTP/1.1\r\nhost: x\r\n\r\n", "x".repeat(size - 1))
}

#[tokio::test]
async fn head_within_each_limit_passes_and_one_beyond_it_says_which() {
    let server = TestServer::start().await;
    for (largest, larger, status, code, message) in [
        (
            head_of(HEAD_SIZE_BYTES),
            head_of(HEAD_SIZE_BYTES + 1),
            431,
            "HEADERS_TOO_LARGE",
            "The request line and the headers are together larger than 32768 bytes.",
        ),
        (
            head_with(HEADERS_LIMIT),
            head_with(HEADERS_LIMIT + 1),
            431,
            "HEADERS_TOO_LARGE",
            "The request has 101 headers; at most 100 are allowed.",
        ),
        (
            address_of(URI_SIZE_BYTES),
            address_of(URI_SIZE_BYTES + 1),
            414,
            "URI_TOO_LONG",
            "The address is longer than 8192 bytes.",
        ),
        (
            address_of(URI_SIZE_BYTES),
            address_of(HEAD_SIZE_BYTES),
            414,
            "URI_TOO_LONG",
            "The address is longer than 8192 bytes.",
        ),
    ] {
        assert_eq!(exchange(server.base_url(), largest).await.status, 404);
        let response = exchange(server.base_url(), larger).await;
        assert_eq!((response.status.as_u16(), response.code()), (status, code));
        assert_eq!(response.message(), message);
    }
    let query = format!("/docs?{}", "x".repeat(URI_SIZE_BYTES));
    server.request(Method::GET, &query).expect(414).await;
}

#[tokio::test]
async fn too_large_head_with_a_valid_key_is_not_metered_and_changes_nothing() {
    let server = TestServer::start().await;
    let update = server.update(BARE, json!({ "name": "changed" }));
    update.header("x-padding", "x".repeat(HEAD_SIZE_BYTES)).expect(431).await;
    assert_eq!(get(&server, &format!("partners/{BARE}")).await["name"], "Bare Minimum Ltd");
}

#[tokio::test]
async fn head_beyond_what_is_read_and_malformed_head_are_answered_by_the_http_library() {
    let server = TestServer::start().await;
    for (bytes, status) in [
        (head_of(READABLE_HEAD_BYTES + 1), 431),
        (head_with(READABLE_HEADERS + 1), 431),
        ("GET / HTTP/1.1\r\nno colon\r\n\r\n".to_owned(), 400),
    ] {
        let mut client = Connection::open(server.base_url()).await;
        client.send(bytes).await;
        let response = client.closed().await;
        assert!(response.starts_with(&format!("HTTP/1.1 {status} ")), "{response}");
        assert!(response.ends_with("\r\n\r\n"), "no body: {response}");
        assert!(!response.contains("x-request-id"), "{response}");
    }
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
        let response = exchange(server.base_url(), head).await;
        assert_eq!(response.status, expected, "{version} {hosts}");
        assert!(expected == 404 || response.code() == "INVALID_HOST", "{}", response.text);
    }
    let counted = "payout_requests_total{operation=\"unknown\",status=\"400\"} 3";
    assert!(server.metrics().contains(counted), "{}", server.metrics());
}

/// The head of an update whose body follows.
fn update(server: &TestServer, headers: &str) -> String {
    let headers = format!("content-type: application/json\r\n{headers}\r\n");
    head(&format!("PATCH /api/v1/partners/{BARE}"), server.key(Key::MAIN), &headers)
}

#[tokio::test]
async fn malformed_chunks_are_a_400() {
    let server = TestServer::start().await;
    let extension = format!("2;{}\r\n{{}}\r\n0\r\n\r\n", "x".repeat(100_000));
    let trailers = format!("2\r\n{{}}\r\n0\r\nx: {}\r\n\r\n", "x".repeat(100_000));
    for chunks in ["nothing\r\n", "-2\r\n{}\r\n0\r\n\r\n", &extension, &trailers] {
        let head = update(&server, CHUNKED);
        let response = exchange(server.base_url(), head + chunks).await;
        let shown = &chunks[..8];
        assert_eq!((response.status.as_u16(), response.code()), (400, "INVALID_JSON"), "{shown}");
    }
}

#[tokio::test]
async fn body_of_300_mb_is_rejected_before_it_has_come() {
    let server = TestServer::start().await;
    let chunk = format!("10000\r\n{}\r\n", " ".repeat(0x10000));
    for (headers, piece) in
        [("content-length: 300000000", &[b' '; 65_536][..]), (CHUNKED, chunk.as_bytes())]
    {
        let mut client = Connection::open(server.base_url()).await;
        client.send(update(&server, headers)).await;
        let (response, sent) = client.flood(piece).await;
        assert_eq!((response.status.as_u16(), response.header("connection")), (413, Some("close")));
        assert!(sent < UNREAD_BYTES, "{sent} bytes were taken");
    }
}

#[tokio::test]
async fn body_without_memory_is_a_503_until_other_bodies_end() {
    let server = TestServer::start_with(|options| {
        options.body_memory_mebibytes = 1;
        options.body_seconds = 60;
    })
    .await;
    let send = || server.update(BARE, json!({ "name": "Bare Minimum Ltd" })).send();
    assert_eq!(send().await.status, 200);
    // All but one byte of each body: 16 bytes of memory remain, fewer than any body needs.
    let unfinished = join_all((0..16).map(|_| async {
        let mut client = Connection::open(server.base_url()).await;
        client.send(update(&server, "content-length: 65536")).await;
        client.send([b' '; 65_535]).await;
        client
    }))
    .await;
    let mut rejected = send().await;
    while rejected.status == 200 {
        rejected = send().await;
    }
    assert_eq!((rejected.status.as_u16(), rejected.code()), (503, "SERVICE_UNAVAILABLE"));
    assert_eq!(rejected.header("connection"), Some("close"));
    let charged = server.meter(MAIN).await.month_used;
    send().await;
    assert_eq!(server.meter(MAIN).await.month_used, charged);
    server.get(Key::MAIN, "/api/v1/partners").expect(200).await;
    drop(unfinished);
    within(async { while send().await.status != 200 {} }).await;
}

#[tokio::test]
async fn body_that_nobody_reads_leaves_the_connection_to_the_next_request() {
    let server = TestServer::start().await;
    let body = "GET / HTTP/1.1";
    let length = format!("content-length: {}\r\n", body.len());
    for (line, expected) in [
        ("POST /api/v1/nowhere", 404),
        ("PUT /api/v1/partners", 405),
        ("PATCH /api/v1/partners/x", 401),
    ] {
        let mut client = Connection::open(server.base_url()).await;
        client.send(head(line, "no key", &length) + body).await;
        client.send(head("GET /api/v1/partners", server.key(Key::MAIN), "")).await;
        assert_eq!(client.response().await.status, expected);
        assert_eq!(client.response().await.status, 200);
    }
}

#[tokio::test]
async fn response_lists_the_first_hundred_issues_and_counts_them_all() {
    let server = TestServer::start().await;
    let unknown: Vec<String> = (0..500).map(|number| format!("p{number}=1")).collect();
    let path = format!("/api/v1/partners?{}", unknown.join("&"));
    let response = server.get(Key::MAIN, &path).expect(422).await;
    assert_eq!(response.body["error"]["details"]["issues"].as_array().unwrap().len(), 100);
    let message = "500 values of the request break a rule; details.issues lists the first 100.";
    assert_eq!(response.message(), message);
}
