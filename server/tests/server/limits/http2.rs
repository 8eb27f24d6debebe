//! HTTP/2 with prior knowledge: the same responses, and limits of its own.

use std::future::poll_fn;

use h2::client::SendRequest;
use poem::http::{Request, Response};
use tokio::{net::TcpStream, task::JoinHandle};

use super::{
    client::{address, until, within},
    held::Held,
};
use crate::support::{Key, TestServer};

const PATH: &str = "/api/v1/partners?limit=1";

/// An HTTP/2 connection; its task ends with it.
pub(super) async fn connect(base_url: &str) -> (SendRequest<bytes::Bytes>, JoinHandle<usize>) {
    let stream = TcpStream::connect(address(base_url)).await.unwrap();
    let (client, mut connection) = h2::client::handshake(stream).await.unwrap();
    let connection = tokio::spawn(async move {
        let _ = poll_fn(|context| std::pin::Pin::new(&mut connection).poll(context)).await;
        connection.max_concurrent_send_streams()
    });
    (client, connection)
}

async fn get(client: &SendRequest<bytes::Bytes>, base_url: &str, key: &str) -> Response<String> {
    let request =
        Request::get(format!("{base_url}{PATH}")).header("x-api-key", key).body(()).unwrap();
    send(client, request).await
}

/// Sends a request without a body, and reads the response.
pub(super) async fn send(
    client: &SendRequest<bytes::Bytes>,
    request: Request<()>,
) -> Response<String> {
    let mut client = client.clone().ready().await.unwrap();
    let (response, _) = client.send_request(request, true).unwrap();
    let (head, mut body) = response.await.unwrap().into_parts();
    let mut bytes = Vec::new();
    while let Some(data) = body.data().await {
        bytes.extend(data.unwrap());
    }
    Response::from_parts(head, String::from_utf8(bytes).unwrap())
}

#[tokio::test]
async fn request_is_answered_as_over_http_1_1() {
    let server = TestServer::start().await;
    let (client, _connection) = connect(server.base_url()).await;
    let response = get(&client, server.base_url(), server.key(Key::MAIN)).await;
    assert_eq!(response.status(), 200);
    assert!(response.body().starts_with("{\"data\":["), "{}", response.body());
    assert_eq!(response.headers()["x-ratelimit-limit-minute"], "100000");
}

#[tokio::test]
async fn idle_connection_gets_goaway() {
    let server = TestServer::start_with(|options| options.keep_alive_seconds = 1).await;
    let (client, connection) = connect(server.base_url()).await;
    get(&client, server.base_url(), server.key(Key::MAIN)).await;
    assert_eq!(
        within(connection).await.unwrap(),
        64,
        "concurrent requests, as the server announced"
    );
}

#[tokio::test]
async fn server_that_stops_answers_what_runs_and_ends_the_connection() {
    let server = TestServer::start().await;
    let held = Held::new();
    let replica = server.replica_with_handler(held.clone()).await;
    let base_url = replica.base_url().to_owned();
    let key = server.key(Key::MAIN).to_owned();
    let (client, connection) = connect(&base_url).await;
    let running = tokio::spawn(async move { get(&client, &base_url, &key).await });
    until(|| held.began().len() == 1).await;
    let served = replica.stop();
    held.release(1);
    assert_eq!(running.await.unwrap().status(), 200);
    within(connection).await.unwrap();
    within(served).await.unwrap();
}
