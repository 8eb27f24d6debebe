//! A busy organisation gets 503 and is not charged; a quiet one is served.

use futures_util::future::join_all;

use super::Held;
use crate::support::{
    Key, Replica, TestRequest, TestServer, counted, dataset::*, log::failures, until,
};

/// A server with these limits that holds its requests, and has both keys' organisations cached.
async fn replica(server: &TestServer, held: &Held, all: u32, each: u32, queue: u64) -> Replica {
    let replica = server
        .replica_with_handler(held.clone(), |options| {
            options.requests_in_flight = all;
            options.requests_in_flight_per_organization = each;
            options.queue_milliseconds = queue;
        })
        .await;
    held.release(2);
    for key in [Key::MAIN, Key::OTHER] {
        request(&replica, key).expect(200).await;
    }
    replica
}

fn request(replica: &Replica, key: Key) -> TestRequest {
    replica.get(key, "/api/v1/partners?limit=1")
}

fn metric(replica: &Replica, name: &str) -> u64 {
    counted(&replica.metrics(), &format!("payout_{name}"))
}

#[tokio::test]
async fn requests_beyond_an_organisations_share_are_503_and_cost_nothing() {
    let server = TestServer::start().await;
    let held = Held::new();
    let replica = replica(&server, &held, 10, 2, 50).await;
    let of = |key| request(&replica, key);
    let running = [(); 2].map(|()| tokio::spawn(of(Key::MAIN).send()));
    until(async || held.began().len() == 4).await;
    // A read may begin before it is admitted.
    until(async || server.meter(MAIN).await.minute_used >= 3).await;
    let before = server.meter(MAIN).await;
    let crowd = (0..5).map(|_| of(Key::MAIN).header("x-request-id", "crowd").expect(503));
    join_all(crowd).await;
    assert_eq!(server.meter(MAIN).await, before);
    assert_eq!(metric(&replica, "requests_unavailable_total{cause=\"overload\"}"), 5);
    let lines = || failures().into_iter().filter(|line| line["request_id"] == "crowd");
    until(async || lines().count() == 5).await;
    assert!(lines().all(|line| line["error"] == "too many requests at once"));
    let quiet = tokio::spawn(of(Key::OTHER).send());
    until(async || held.began().last().is_some_and(|last| last == OTHER)).await;
    held.release(3);
    for response in join_all(running.into_iter().chain([quiet])).await {
        assert_eq!(response.unwrap().status, 200);
    }
    assert_eq!(metric(&replica, "requests_in_flight"), 0);
}

#[tokio::test]
async fn freed_place_goes_to_the_quiet_organisation_that_came_last() {
    let server = TestServer::start().await;
    let held = Held::new();
    let replica = replica(&server, &held, 2, 2, 10_000).await;
    let spawn = |key| tokio::spawn(request(&replica, key).send());
    let mut requested = vec![spawn(Key::MAIN), spawn(Key::MAIN)];
    until(async || held.began().len() == 4).await;
    requested.extend((0..10).map(|_| spawn(Key::MAIN)));
    until(async || metric(&replica, "requests_queued") == 10).await;
    requested.push(spawn(Key::OTHER));
    until(async || metric(&replica, "requests_queued") == 11).await;
    held.release(1);
    until(async || held.began().len() == 5).await;
    assert_eq!(held.began()[4], OTHER);
    held.release(requested.len() - 1);
    for response in join_all(requested).await {
        assert_eq!(response.unwrap().status, 200);
    }
}

#[tokio::test]
async fn request_whose_client_went_away_keeps_its_place_until_its_work_has_ended() {
    let server = TestServer::start().await;
    let held = Held::new();
    let replica = replica(&server, &held, 2, 1, 50).await;
    let gone = tokio::spawn(request(&replica, Key::MAIN).send());
    until(async || held.began().len() == 3).await;
    gone.abort();
    until(async || metric(&replica, "connections_open") == 1).await;
    request(&replica, Key::MAIN).expect(503).await;
    held.release(2);
    until(async || metric(&replica, "requests_in_flight") == 0).await;
    request(&replica, Key::MAIN).expect(200).await;
}
