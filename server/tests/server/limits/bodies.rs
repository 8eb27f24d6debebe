//! Bodies that are too large, unread, or more than their memory holds. The suite's client sends
//! whole requests and hides the connection.

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use futures_util::future::join_all;
use serde_json::json;

use super::client::{Client, header, status, within};
use crate::support::{
    Key, TestServer,
    dataset::{BARE, MAIN},
    operator, raw,
};

const SIZE_BYTES: usize = 300_000_000;
/// More than the system's buffers hold.
const UNREAD_BYTES: usize = 64_000_000;

/// Sends a body in pieces until a response comes; returns its head, and the number of bytes sent.
async fn sent_until_answered(headers: &str, piece: &[u8]) -> (String, usize) {
    let server = TestServer::start().await;
    let client = Client::connect(server.base_url()).await;
    let (mut reading, mut writing) = client.stream.into_split();
    let key = server.key(Key::MAIN);
    let head = format!(
        "PATCH /api/v1/partners/{BARE} HTTP/1.1\r\nhost: localhost\r\nx-api-key: {key}\r\n\
         content-type: application/json\r\n{headers}\r\n\r\n"
    );
    writing.write_all(head.as_bytes()).await.unwrap();
    let mut sent = 0;
    let mut response = [0; 4096];
    let send = async {
        while sent < SIZE_BYTES && writing.write_all(piece).await.is_ok() {
            sent += piece.len();
        }
        std::future::pending::<()>().await;
    };
    let read = within(async {
        tokio::select! {
            () = send => unreachable!("it waits for the response"),
            read = reading.read(&mut response) => read.unwrap(),
        }
    })
    .await;
    (String::from_utf8_lossy(&response[..read]).into_owned(), sent)
}

#[tokio::test]
async fn body_of_300_mb_is_rejected_before_it_has_come() {
    let (response, sent) =
        sent_until_answered(&format!("content-length: {SIZE_BYTES}"), &[b' '; 65_536]).await;
    assert_eq!(status(&response), 413);
    assert_eq!(header(&response, "connection"), Some("close"));
    assert!(sent < UNREAD_BYTES, "{sent} bytes were taken");
}

#[tokio::test]
async fn body_of_300_mb_in_chunks_is_rejected_when_it_passes_the_limit() {
    let mut chunk = b"10000\r\n".to_vec();
    chunk.resize(chunk.len() + 0x10000, b' ');
    chunk.extend(b"\r\n");
    let (response, sent) = sent_until_answered("transfer-encoding: chunked", &chunk).await;
    assert_eq!(status(&response), 413);
    assert!(sent < UNREAD_BYTES, "{sent} bytes were taken");
}

/// All but one byte of a body of 64 KiB.
async fn unfinished_body(server: &TestServer) -> Client {
    let mut client = Client::connect(server.base_url()).await;
    let head = format!(
        "PATCH /api/v1/partners/{BARE} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 65536\r\n\r\n"
    );
    client.send(head).await;
    client.send(vec![b' '; 65_535]).await;
    client
}

#[tokio::test]
async fn body_without_memory_is_a_503_until_other_bodies_end() {
    let server = TestServer::start_with(|options| {
        options.body_memory_mebibytes = 1;
        options.body_seconds = 60;
    })
    .await;
    let superuser_pool = server.superuser().await;
    let update = || server.update(BARE, json!({"name": "Bare Minimum Ltd"})).send();
    assert_eq!(update().await.status, 200);
    // 16 bytes remain: fewer than any body needs.
    let unfinished = join_all((0..16).map(|_| unfinished_body(&server))).await;
    let rejected = within(async {
        loop {
            let response = update().await;
            if response.status != 200 {
                break response;
            }
        }
    })
    .await;
    assert_eq!((rejected.status.as_u16(), rejected.code()), (503, "SERVICE_UNAVAILABLE"));
    assert_eq!(rejected.header("connection"), Some("close"));
    let charged = operator::meter(&superuser_pool, MAIN).await.month_used;
    update().await;
    assert_eq!(operator::meter(&superuser_pool, MAIN).await.month_used, charged);
    let without_body = server.get(Key::MAIN, "/api/v1/partners");
    without_body.expect(200).await;
    drop(unfinished);
    within(async { while update().await.status != 200 {} }).await;
}

#[tokio::test]
async fn body_that_nobody_reads_leaves_the_connection_to_the_next_request() {
    let server = TestServer::start().await;
    let next = raw::head("GET", "/api/v1/partners", server.key(Key::MAIN), "");
    for (line, expected) in [
        ("POST /api/v1/nowhere", "404"),
        ("PUT /api/v1/partners", "405"),
        ("PATCH /api/v1/partners/x", "401"),
    ] {
        let body = "GET / HTTP/1.1";
        let length = body.len();
        let first =
            format!("{line} HTTP/1.1\r\nhost: localhost\r\ncontent-length: {length}\r\n\r\n{body}");
        let answered = raw::everything_answered(&server, &[first.as_bytes(), &next].concat()).await;
        let statuses: Vec<&str> =
            answered.match_indices("HTTP/1.1 ").map(|(at, _)| &answered[at + 9..at + 12]).collect();
        assert_eq!(statuses, [expected, "200"], "{answered}");
    }
}
