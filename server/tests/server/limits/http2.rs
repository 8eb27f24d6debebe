//! HTTP/2 with prior knowledge: the same responses, and limits of its own.

use std::{future::poll_fn, pin::Pin};

use h2::client::SendRequest;
use payout_server::http::limits::HEAD_SIZE_BYTES;
use poem::http::{HeaderMap, Request};
use tokio::{net::TcpStream, task::JoinHandle};

use super::Held;
use crate::support::{Key, TestResponse, TestServer, until, wire::address, within};

/// An HTTP/2 connection; its task ends with it.
async fn connect(base_url: &str) -> (SendRequest<bytes::Bytes>, JoinHandle<usize>) {
    let stream = TcpStream::connect(address(base_url)).await.unwrap();
    let (client, mut connection) = h2::client::handshake(stream).await.unwrap();
    let connection = tokio::spawn(async move {
        let _ = poll_fn(|context| Pin::new(&mut connection).poll(context)).await;
        connection.max_concurrent_send_streams()
    });
    (client, connection)
}

/// Lists partners with a key and another header.
async fn get(
    client: &SendRequest<bytes::Bytes>,
    base_url: &str,
    key: &str,
    padding: &str,
) -> TestResponse {
    let request = Request::get(format!("{base_url}/api/v1/partners?limit=1"));
    let request = request.header("x-api-key", key).header("x-padding", padding).body(()).unwrap();
    let mut client = client.clone().ready().await.unwrap();
    let (response, _) = client.send_request(request, true).unwrap();
    let (head, mut body) = response.await.unwrap().into_parts();
    let mut bytes = Vec::new();
    while let Some(data) = body.data().await {
        bytes.extend(data.unwrap());
    }
    let headers: HeaderMap = head.headers;
    TestResponse::read(head.status, headers, String::from_utf8(bytes).unwrap())
}

#[tokio::test]
async fn request_is_answered_as_over_http_1_1() {
    let server = TestServer::start().await;
    let (client, _connection) = connect(server.base_url()).await;
    let key = server.key(Key::MAIN);
    let response = get(&client, server.base_url(), key, "").await;
    assert_eq!(response.status, 200);
    assert_eq!(response.number("x-ratelimit-limit-minute"), Some(100_000));
    let padding = "x".repeat(HEAD_SIZE_BYTES);
    let response = get(&client, server.base_url(), key, &padding).await;
    assert_eq!((response.status.as_u16(), response.code()), (431, "HEADERS_TOO_LARGE"));
}

#[tokio::test]
async fn idle_connection_gets_goaway() {
    let server = TestServer::start_with(|options| options.keep_alive_seconds = 1).await;
    let (client, connection) = connect(server.base_url()).await;
    get(&client, server.base_url(), server.key(Key::MAIN), "").await;
    let concurrent_requests = within(connection).await.unwrap();
    assert_eq!(concurrent_requests, 64, "as the server announced");
}

#[tokio::test]
async fn server_that_stops_answers_what_runs_and_ends_the_connection() {
    let server = TestServer::start().await;
    let held = Held::new();
    let replica = server.replica_with_handler(held.clone(), |_| {}).await;
    let base_url = replica.base_url().to_owned();
    let key = server.key(Key::MAIN).to_owned();
    let (client, connection) = connect(&base_url).await;
    let running = tokio::spawn(async move { get(&client, &base_url, &key, "").await });
    until(async || held.began().len() == 1).await;
    let served = replica.stop();
    held.release(1);
    assert_eq!(running.await.unwrap().status, 200);
    within(connection).await.unwrap();
    within(served).await.unwrap();
}
