//! Limits of open connections, and when a connection ends: clients that send nothing or little, or
//! do not read.

use std::{io::ErrorKind, time::Duration};

use payout_server::{config::ServeOptions, http::rlimit};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::support::{TestServer, counted, until, wire::Connection, within};

type Change = fn(&mut ServeOptions);

fn open(server: &TestServer) -> u64 {
    counted(&server.metrics(), "payout_connections_open")
}

/// Connections that each had a response, so the server has accepted them.
async fn served(server: &TestServer, count: usize) -> Vec<Connection> {
    let mut connections = Vec::new();
    for _ in 0..count {
        let mut connection = Connection::open(server.base_url()).await;
        assert_eq!(connection.request().await.status, 404);
        connections.push(connection);
    }
    connections
}

#[tokio::test]
async fn connections_beyond_1024_wait_until_others_close() {
    rlimit::raise_open_files(3_000);
    let server = TestServer::start().await;
    assert_eq!(server.options().connections, ServeOptions::default().connections);
    let mut connections = served(&server, 1_024).await;
    let mut waiting = Vec::new();
    for _ in 0..76 {
        let mut connection = Connection::open(server.base_url()).await;
        connection.send("GET /nowhere HTTP/1.1\r\nhost: localhost\r\n\r\n").await;
        waiting.push(connection);
    }
    assert_eq!(open(&server), 1_024);
    for connection in &waiting {
        let read = connection.stream.try_read(&mut [0; 1]);
        assert_eq!(read.unwrap_err().kind(), ErrorKind::WouldBlock);
    }
    drop(connections.split_off(1_024 - 76));
    for connection in &mut waiting {
        assert_eq!(connection.response().await.status, 404);
    }
    assert_eq!(open(&server), 1_024);
}

#[tokio::test]
async fn connection_65_of_an_address_is_closed_until_another_ends() {
    let limit = ServeOptions::default().connections_per_address;
    let server = TestServer::start_with(|options| options.connections_per_address = limit).await;
    let mut connections = served(&server, 64).await;
    assert_eq!(Connection::open(server.base_url()).await.closed().await, "");
    assert_eq!(counted(&server.metrics(), "payout_connections_refused_total"), 1);
    drop(connections.pop());
    until(async || open(&server) == 63).await;
    served(&server, 1).await;
}

#[tokio::test]
async fn trusted_proxy_has_no_limit_of_its_own() {
    let server = TestServer::start_with(|options| {
        options.connections_per_address = 2;
        options.trusted_proxies = vec!["127.0.0.1/32".parse().unwrap()];
    })
    .await;
    served(&server, 5).await;
}

#[tokio::test]
async fn client_that_sends_too_little_is_closed_without_a_response() {
    let head_time: Change = |options| options.head_seconds = 1;
    // The bytes sent after so many whole requests.
    let cases: [(Change, usize, &str); 4] = [
        (|options| options.first_byte_seconds = 1, 0, ""),
        (head_time, 0, "GET / HTTP/1.1\r\nhost: lo"),
        (head_time, 1, "GET / HTTP/1.1\r\n"),
        (|options| options.keep_alive_seconds = 1, 1, ""),
    ];
    for (change, requests, bytes) in cases {
        let server = TestServer::start_with(change).await;
        let mut client = Connection::open(server.base_url()).await;
        for _ in 0..requests {
            assert_eq!(client.request().await.header("connection"), None);
        }
        client.send(bytes).await;
        assert_eq!(client.closed().await, "", "{requests} {bytes}");
    }
}

#[tokio::test]
async fn dripping_head_is_closed() {
    let server = TestServer::start_with(|options| options.head_seconds = 1).await;
    let (mut reading, mut writing) = Connection::open(server.base_url()).await.stream.into_split();
    let drip = async {
        let mut ticks = tokio::time::interval(Duration::from_millis(50));
        while writing.write_all(b"x").await.is_ok() {
            ticks.tick().await;
        }
    };
    let mut response = Vec::new();
    let closed = reading.read_to_end(&mut response);
    within(async {
        tokio::select! { () = drip => {} _ = closed => {} }
    })
    .await;
    assert_eq!(response, b"");
}

#[tokio::test]
async fn client_that_never_reads_is_closed() {
    let server = TestServer::start_with(|options| options.write_seconds = 1).await;
    let mut client = Connection::open(server.base_url()).await;
    // More responses than the system's buffers hold, so the server waits for the client.
    let requests = "GET /openapi.yaml HTTP/1.1\r\nhost: localhost\r\n\r\n".repeat(2_000);
    let sent = client.stream.write_all(requests.as_bytes());
    let closed = async {
        until(async || open(&server) == 1).await;
        until(async || open(&server) == 0).await;
    };
    let (_, ()) = tokio::join!(within(sent), closed);
}
