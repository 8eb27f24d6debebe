//! Clients that send nothing or little, or do not read.

use std::time::Duration;

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    time::interval,
};

use super::client::{Client, counted, until, within};
use crate::support::TestServer;

#[tokio::test]
async fn silent_connection_is_closed() {
    let server = TestServer::start_with(|options| options.first_byte_seconds = 1).await;
    let mut client = Client::connect(server.base_url()).await;
    assert_eq!(client.closed().await, "");
}

#[tokio::test]
async fn half_sent_head_is_closed() {
    let server = TestServer::start_with(|options| options.head_seconds = 1).await;
    let mut client = Client::connect(server.base_url()).await;
    client.send("GET / HTTP/1.1\r\nhost: lo").await;
    assert_eq!(client.closed().await, "");
}

#[tokio::test]
async fn dripping_head_is_closed() {
    let server = TestServer::start_with(|options| options.head_seconds = 1).await;
    let client = Client::connect(server.base_url()).await;
    let (mut reading, mut writing) = client.stream.into_split();
    let drip = async {
        let mut ticks = interval(Duration::from_millis(50));
        let head = b"GET / HTTP/1.1\r\nx: ".iter().chain([&b'x'].into_iter().cycle());
        for byte in head {
            ticks.tick().await;
            if writing.write_all(&[*byte]).await.is_err() {
                break;
            }
        }
    };
    let mut response = Vec::new();
    let closed = async {
        let _ = reading.read_to_end(&mut response).await;
    };
    within(async {
        tokio::select! {
            () = drip => {}
            () = closed => {}
        }
    })
    .await;
    assert_eq!(response, b"");
}

#[tokio::test]
async fn half_sent_second_head_is_closed_too() {
    let server = TestServer::start_with(|options| options.head_seconds = 1).await;
    let mut client = Client::connect(server.base_url()).await;
    client.request().await;
    client.response().await;
    client.send("GET / HTTP/1.1\r\n").await;
    assert_eq!(client.closed().await, "");
}

#[tokio::test]
async fn client_that_never_reads_is_closed() {
    let server = TestServer::start_with(|options| options.write_seconds = 1).await;
    let mut client = Client::connect(server.base_url()).await;
    // More responses than the system's buffers hold, so the server waits for the client.
    let requests = "GET /openapi.yaml HTTP/1.1\r\nhost: localhost\r\n\r\n".repeat(2_000);
    let sent = client.stream.write_all(requests.as_bytes());
    let closed = until(|| counted(&server.metrics(), "payout_connections_open") == 0);
    until(|| counted(&server.metrics(), "payout_connections_open") == 1).await;
    let (_, ()) = tokio::join!(within(sent), closed);
}
