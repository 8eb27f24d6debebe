//! A request has a deadline, and its work continues after it. A stopping server answers requests in
//! progress, closes idle connections, and ends.

use tokio::net::TcpStream;

use super::Held;
use crate::support::{
    Key, TestServer, counted,
    dataset::MAIN,
    until,
    wire::{Connection, address, head},
    within,
};

const PATH: &str = "/api/v1/partners?limit=1";

async fn is_rejected(base_url: &str) {
    while TcpStream::connect(address(base_url)).await.is_ok() {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn request_that_takes_too_long_is_a_503_that_costs_no_credit_and_its_work_goes_on() {
    let server = TestServer::start().await;
    let held = Held::new();
    let replica =
        server.replica_with_handler(held.clone(), |options| options.request_seconds = 1).await;
    replica.get(Key::MAIN, PATH).expect(503).await;
    let meter = server.meter(MAIN).await;
    assert_eq!((meter.minute_used, meter.month_used), (1, 0));
    let metrics = replica.metrics();
    assert_eq!(counted(&metrics, "payout_requests_unavailable_total{cause=\"timeout\"}"), 1);
    assert_eq!(counted(&metrics, "payout_requests_in_flight"), 1, "its work still takes a place");
    assert_eq!(held.ended(), [""; 0]);
    held.release(1);
    until(async || held.ended() == [MAIN]).await;
    until(async || counted(&replica.metrics(), "payout_requests_in_flight") == 0).await;
}

#[tokio::test]
async fn running_request_is_answered_and_idle_and_new_connections_are_not_kept() {
    let server = TestServer::start().await;
    let held = Held::new();
    let replica = server.replica_with_handler(held.clone(), |_| {}).await;
    let base_url = replica.base_url().to_owned();
    let mut idle = Connection::open(&base_url).await;
    idle.request().await;
    let running = tokio::spawn(replica.get(Key::MAIN, PATH).send());
    until(async || held.began().len() == 1).await;
    let served = replica.stop();
    assert_eq!(idle.closed().await, "");
    within(is_rejected(&base_url)).await;
    held.release(1);
    let response = running.await.unwrap();
    assert_eq!((response.status.as_u16(), response.header("connection")), (200, Some("close")));
    within(served).await.unwrap();
}

#[tokio::test]
async fn request_that_arrives_while_the_server_stops_is_answered() {
    let server = TestServer::start().await;
    let replica = server.replica().await;
    let mut client = Connection::open(replica.base_url()).await;
    client.request().await;
    client.send("GET /nowhere HTTP/1.1\r\nhost: loc").await;
    // Answered after the bytes before it were sent: by now the server has received them.
    let mut later = Connection::open(replica.base_url()).await;
    later.request().await;
    let served = replica.stop();
    assert_eq!(later.closed().await, "");
    client.send("alhost\r\n\r\n").await;
    let response = client.response().await;
    assert_eq!((response.status.as_u16(), response.header("connection")), (404, Some("close")));
    assert_eq!(client.closed().await, "");
    within(served).await.unwrap();
}

#[tokio::test]
async fn request_that_outlasts_the_drain_time_is_cut_off() {
    let server = TestServer::start().await;
    let held = Held::new();
    let replica =
        server.replica_with_handler(held.clone(), |options| options.drain_seconds = 0).await;
    let mut client = Connection::open(replica.base_url()).await;
    client.send(head(&format!("GET {PATH}"), server.key(Key::MAIN), "")).await;
    until(async || held.began().len() == 1).await;
    within(replica.stop()).await.unwrap();
    assert_eq!(client.closed().await, "");
}

#[tokio::test]
async fn work_whose_client_went_away_is_waited_for() {
    let server = TestServer::start().await;
    let held = Held::new();
    let replica = server.replica_with_handler(held.clone(), |_| {}).await;
    let gone = tokio::spawn(replica.get(Key::MAIN, PATH).send());
    until(async || held.began().len() == 1).await;
    gone.abort();
    let base_url = replica.base_url().to_owned();
    let mut served = replica.stop();
    within(is_rejected(&base_url)).await;
    assert!(futures_util::poll!(&mut served).is_pending());
    held.release(1);
    within(served).await.unwrap();
    assert_eq!(held.ended(), [MAIN]);
}
