//! A busy organisation gets 503 and is not charged; a quiet one is served.

use futures_util::future::join_all;
use poem::http::Method;

use super::{
    client::{counted, until},
    held::Held,
};
use crate::support::{
    Key, Replica, TestRequest, TestResponse, TestServer, dataset::MAIN, log::failures, operator,
};

const PATH: &str = "/api/v1/partners?limit=1";
const OTHER: &str = "org_01JV3N8Q5R0000000000000002";
const QUEUED: &str = "payout_requests_queued";

/// A server with these limits that holds its requests, and has both keys' organisations cached.
async fn replica(server: &TestServer, held: &Held, all: u32, each: u32, queue: u64) -> Replica {
    let replica = server
        .replica_with_handler_and(held.clone(), |options| {
            options.requests_in_flight = all;
            options.requests_in_flight_per_organization = each;
            options.queue_milliseconds = queue;
        })
        .await;
    held.release(2);
    for key in [Key::MAIN, Key::OTHER] {
        request(server, &replica, key).expect(200).await;
    }
    replica
}

fn request(server: &TestServer, replica: &Replica, key: Key) -> TestRequest {
    replica.request(Method::GET, PATH, server.key(key))
}

fn spawn(request: TestRequest) -> tokio::task::JoinHandle<TestResponse> {
    tokio::spawn(request.send())
}

#[tokio::test]
async fn requests_beyond_an_organisations_share_are_503_and_cost_nothing() {
    let server = TestServer::start().await;
    let superuser_pool = server.superuser().await;
    let held = Held::new();
    let replica = replica(&server, &held, 10, 2, 50).await;
    let running = [(); 2].map(|()| spawn(request(&server, &replica, Key::MAIN)));
    until(|| held.began().len() == 4).await;
    // A read may begin before it is admitted.
    while operator::meter(&superuser_pool, MAIN).await.minute_used < 3 {}
    let before = operator::meter(&superuser_pool, MAIN).await;
    let crowd = (0..5)
        .map(|_| request(&server, &replica, Key::MAIN).header("x-request-id", "crowd").expect(503));
    let shed = join_all(crowd).await;
    assert_eq!(shed[0].code(), "SERVICE_UNAVAILABLE");
    assert_eq!(operator::meter(&superuser_pool, MAIN).await, before);
    assert_eq!(
        counted(&replica.metrics(), "payout_requests_unavailable_total{cause=\"overload\"}"),
        5
    );
    let lines = || failures().into_iter().filter(|line| line["request_id"] == "crowd");
    until(|| lines().count() == 5).await;
    assert!(lines().all(|line| line["error"] == "too many requests at once"));
    let quiet = spawn(request(&server, &replica, Key::OTHER));
    until(|| held.began().last().is_some_and(|last| last == OTHER)).await;
    held.release(3);
    for response in join_all(running.into_iter().chain([quiet])).await {
        assert_eq!(response.unwrap().status, 200);
    }
    assert_eq!(counted(&replica.metrics(), "payout_requests_in_flight"), 0);
}

#[tokio::test]
async fn freed_place_goes_to_the_quiet_organisation_that_came_last() {
    let server = TestServer::start().await;
    let held = Held::new();
    let replica = replica(&server, &held, 2, 2, 10_000).await;
    let mut requested = vec![
        spawn(request(&server, &replica, Key::MAIN)),
        spawn(request(&server, &replica, Key::MAIN)),
    ];
    until(|| held.began().len() == 4).await;
    for _ in 0..10 {
        requested.push(spawn(request(&server, &replica, Key::MAIN)));
    }
    until(|| counted(&replica.metrics(), QUEUED) == 10).await;
    requested.push(spawn(request(&server, &replica, Key::OTHER)));
    until(|| counted(&replica.metrics(), QUEUED) == 11).await;
    held.release(1);
    until(|| held.began().len() == 5).await;
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
    let gone = spawn(request(&server, &replica, Key::MAIN));
    until(|| held.began().len() == 3).await;
    gone.abort();
    until(|| counted(&replica.metrics(), "payout_connections_open") == 1).await;
    request(&server, &replica, Key::MAIN).expect(503).await;
    held.release(2);
    until(|| counted(&replica.metrics(), "payout_requests_in_flight") == 0).await;
    request(&server, &replica, Key::MAIN).expect(200).await;
}
