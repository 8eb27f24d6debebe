//! Requests per connection, and when a connection ends.

use super::client::{Client, header, status};
use crate::support::TestServer;

#[tokio::test]
async fn idle_connection_is_closed() {
    let server = TestServer::start_with(|options| options.keep_alive_seconds = 1).await;
    let mut client = Client::connect(server.base_url()).await;
    client.request().await;
    let (head, _) = client.response().await;
    assert_eq!((status(&head), header(&head, "connection")), (404, None));
    assert_eq!(client.closed().await, "");
}

#[tokio::test]
async fn one_connection_carries_many_requests() {
    let server = TestServer::start().await;
    let mut client = Client::connect(server.base_url()).await;
    for _ in 0..50 {
        client.request().await;
        assert_eq!(status(&client.response().await.0), 404);
    }
}

#[tokio::test]
async fn requests_that_come_at_once_are_answered_in_their_order() {
    let server = TestServer::start().await;
    let mut client = Client::connect(server.base_url()).await;
    let requests: String = (0..40)
        .map(|id| format!("GET /nowhere HTTP/1.1\r\nhost: localhost\r\nx-request-id: {id}\r\n\r\n"))
        .collect();
    client.send(requests).await;
    for id in 0..40 {
        let (head, _) = client.response().await;
        assert_eq!(header(&head, "x-request-id"), Some(&*id.to_string()));
    }
}

#[tokio::test]
async fn connection_of_http_1_0_ends_with_its_answer() {
    let server = TestServer::start().await;
    let mut client = Client::connect(server.base_url()).await;
    client.send("GET /nowhere HTTP/1.0\r\n\r\n").await;
    assert_eq!(status(&client.closed().await), 404);
}
