//! Limits of open connections, in all and from one address.

use std::io::ErrorKind;

use payout_server::{config::ServeOptions, http::rlimit};

use super::client::{Client, counted, status, until};
use crate::support::TestServer;

const OPEN: &str = "payout_connections_open";

/// Connections that each had a response, so the server has accepted them.
async fn served(base_url: &str, count: usize) -> Vec<Client> {
    let mut clients = Vec::new();
    for _ in 0..count {
        let mut client = Client::connect(base_url).await;
        client.request().await;
        assert_eq!(status(&client.response().await.0), 404);
        clients.push(client);
    }
    clients
}

#[tokio::test]
async fn connections_beyond_1024_wait_until_others_close() {
    rlimit::raise_open_files(3_000);
    let server = TestServer::start().await;
    let defaults = ServeOptions::default();
    assert_eq!(server.options().connections, defaults.connections);
    let mut open = served(server.base_url(), 1_024).await;
    let mut waiting = Vec::new();
    for _ in 0..76 {
        let mut client = Client::connect(server.base_url()).await;
        client.request().await;
        waiting.push(client);
    }
    assert_eq!(counted(&server.metrics(), OPEN), 1_024);
    for client in &waiting {
        let read = client.stream.try_read(&mut [0; 1]);
        assert_eq!(read.unwrap_err().kind(), ErrorKind::WouldBlock);
    }
    drop(open.split_off(1_024 - 76));
    for client in &mut waiting {
        assert_eq!(status(&client.response().await.0), 404);
    }
    assert_eq!(counted(&server.metrics(), OPEN), 1_024);
}

#[tokio::test]
async fn connection_65_of_an_address_is_closed_until_another_ends() {
    let limit = ServeOptions::default().connections_per_address;
    let server = TestServer::start_with(|options| options.connections_per_address = limit).await;
    let mut open = served(server.base_url(), 64).await;
    let mut beyond = Client::connect(server.base_url()).await;
    assert_eq!(beyond.closed().await, "");
    assert_eq!(counted(&server.metrics(), "payout_connections_refused_total"), 1);
    drop(open.pop());
    until(|| counted(&server.metrics(), OPEN) == 63).await;
    served(server.base_url(), 1).await;
}

#[tokio::test]
async fn trusted_proxy_has_no_limit_of_its_own() {
    let server = TestServer::start_with(|options| {
        options.connections_per_address = 2;
        options.trusted_proxies = vec!["127.0.0.1/32".parse().unwrap()];
    })
    .await;
    assert_eq!(served(server.base_url(), 5).await.len(), 5);
}
