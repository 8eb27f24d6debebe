//! 300 MB where 64 KiB are allowed.

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::client::{Client, header, status, within};
use crate::support::{Key, TestServer, dataset::BARE};

const SIZE_BYTES: usize = 300_000_000;
/// What the system's buffers on the way may hold, and more.
const UNREAD_BYTES: usize = 64_000_000;

/// Sends a body in pieces until an answer comes; its head, and how much was sent by then.
async fn sent_until_answered(headers: &str, piece: &[u8]) -> (String, usize) {
    let server = TestServer::start().await;
    let client = Client::connect(server.base_url()).await;
    let (mut reading, mut writing) = client.stream.into_split();
    let key = server.key(Key::MAIN);
    let head = format!(
        "PATCH /api/v1/partners/{BARE} HTTP/1.1\r\nhost: localhost\r\nx-api-key: {key}\r\ncontent-type: application/json\r\n{headers}\r\n\r\n"
    );
    writing.write_all(head.as_bytes()).await.unwrap();
    let mut sent = 0;
    let mut answer = [0; 4096];
    let send = async {
        while sent < SIZE_BYTES && writing.write_all(piece).await.is_ok() {
            sent += piece.len();
        }
        std::future::pending::<()>().await;
    };
    let read = within(async {
        tokio::select! {
            () = send => unreachable!("it waits for the answer"),
            read = reading.read(&mut answer) => read.unwrap(),
        }
    })
    .await;
    (String::from_utf8_lossy(&answer[..read]).into_owned(), sent)
}

#[tokio::test]
async fn body_of_300_mb_is_refused_before_it_has_come() {
    let (answer, sent) =
        sent_until_answered(&format!("content-length: {SIZE_BYTES}"), &[b' '; 65_536]).await;
    assert_eq!(status(&answer), 413);
    assert_eq!(header(&answer, "connection"), Some("close"));
    assert!(sent < UNREAD_BYTES, "{sent} bytes were taken");
}

#[tokio::test]
async fn body_of_300_mb_in_chunks_is_refused_when_it_passes_the_limit() {
    let mut chunk = b"10000\r\n".to_vec();
    chunk.resize(chunk.len() + 0x10000, b' ');
    chunk.extend(b"\r\n");
    let (answer, sent) = sent_until_answered("transfer-encoding: chunked", &chunk).await;
    assert_eq!(status(&answer), 413);
    assert!(sent < UNREAD_BYTES, "{sent} bytes were taken");
}
