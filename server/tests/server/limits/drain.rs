//! A stopping server answers requests in progress, closes idle connections, and ends.

use poem::http::Method;
use tokio::net::TcpStream;

use super::{
    client::{Client, address, header, status, until, within},
    held::Held,
};
use crate::support::{Key, TestServer, dataset::MAIN};

const PATH: &str = "/api/v1/partners?limit=1";

async fn is_rejected(address: &str) {
    while TcpStream::connect(address).await.is_ok() {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn running_request_is_answered_and_idle_and_new_connections_are_not_kept() {
    let server = TestServer::start().await;
    let held = Held::new();
    let replica = server.replica_with_handler(held.clone()).await;
    let base_url = replica.base_url().to_owned();
    let mut idle = Client::connect(&base_url).await;
    idle.request().await;
    idle.response().await;
    let request = replica.request(Method::GET, PATH, server.key(Key::MAIN));
    let running = tokio::spawn(request.send());
    until(|| held.began().len() == 1).await;
    let served = replica.stop();
    assert_eq!(idle.closed().await, "");
    within(is_rejected(address(&base_url))).await;
    held.release(1);
    let response = running.await.unwrap();
    assert_eq!(response.status, 200);
    assert_eq!(response.header("connection"), Some("close"));
    within(served).await.unwrap();
}

#[tokio::test]
async fn request_that_arrives_while_the_server_stops_is_answered() {
    let server = TestServer::start().await;
    let replica = server.replica().await;
    let base_url = replica.base_url().to_owned();
    let mut client = Client::connect(&base_url).await;
    client.request().await;
    client.response().await;
    client.send("GET /nowhere HTTP/1.1\r\nhost: loc").await;
    // Answered after the bytes before it were sent: by now the server has received them.
    let mut later = Client::connect(&base_url).await;
    later.request().await;
    later.response().await;
    let served = replica.stop();
    assert_eq!(later.closed().await, "");
    client.send("alhost\r\n\r\n").await;
    let (head, _) = client.response().await;
    assert_eq!((status(&head), header(&head, "connection")), (404, Some("close")));
    assert_eq!(client.closed().await, "");
    within(served).await.unwrap();
}

#[tokio::test]
async fn request_that_outlasts_the_drain_time_is_cut_off() {
    let server = TestServer::start().await;
    let held = Held::new();
    let replica =
        server.replica_with_handler_and(held.clone(), |options| options.drain_seconds = 0).await;
    let mut client = Client::connect(replica.base_url()).await;
    let key = server.key(Key::MAIN);
    let request = format!("GET {PATH} HTTP/1.1\r\nhost: localhost\r\nx-api-key: {key}\r\n\r\n");
    client.send(request).await;
    until(|| held.began().len() == 1).await;
    within(replica.stop()).await.unwrap();
    assert_eq!(client.closed().await, "");
}

#[tokio::test]
async fn work_whose_client_went_away_is_waited_for() {
    let server = TestServer::start().await;
    let held = Held::new();
    let replica = server.replica_with_handler(held.clone()).await;
    let request = replica.request(Method::GET, PATH, server.key(Key::MAIN));
    let gone = tokio::spawn(request.send());
    until(|| held.began().len() == 1).await;
    gone.abort();
    let base_url = replica.base_url().to_owned();
    let mut served = replica.stop();
    within(is_rejected(address(&base_url))).await;
    assert!(futures_util::poll!(&mut served).is_pending());
    held.release(1);
    within(served).await.unwrap();
    assert_eq!(held.ended(), [MAIN]);
}
