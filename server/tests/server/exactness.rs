//! A8: over two replicas the limit is met exactly, and every `remaining` is reported once.

use std::sync::Arc;

use futures_util::future::join_all;
use poem::http::Method;

use crate::support::{Key, TestResponse, TestServer, dataset::*, operator};

const PATH: &str = "/api/v1/partners?limit=1";

/// Sends this many at once, alternating between both replicas.
async fn at_once(count: usize, requests_per_minute: i32, credits: i64) -> Vec<TestResponse> {
    // No request times out in a queue: the test is about exactness, not overload.
    let server = TestServer::start_with(|options| options.acquire_seconds = 30).await;
    let replica = server.replica().await;
    operator::set_limits(&server, MAIN, requests_per_minute, Some(credits)).await;
    let (server, replica) = (Arc::new(server), Arc::new(replica));
    let answers = (0..count).map(|number| {
        let (server, replica) = (Arc::clone(&server), Arc::clone(&replica));
        tokio::spawn(async move {
            match number % 2 {
                0 => server.get(Key::MAIN, PATH).send().await,
                _ => replica.request(Method::GET, PATH, server.key(Key::MAIN)).send().await,
            }
        })
    });
    let answers = join_all(answers).await;
    answers.into_iter().map(Result::unwrap).collect()
}

fn remaining(answers: &[TestResponse], status: u16, header: &str) -> Vec<i64> {
    let mut values: Vec<i64> = answers
        .iter()
        .filter(|response| response.status == status)
        .map(|response| response.number(header).unwrap())
        .collect();
    values.sort_unstable();
    values
}

#[tokio::test]
async fn of_a_hundred_credits_exactly_a_hundred_are_spent() {
    let answers = at_once(300, 100_000, 100).await;
    let header = "x-service-credits-remaining-month";
    assert_eq!(remaining(&answers, 200, header), (0..100).collect::<Vec<_>>());
    assert_eq!(remaining(&answers, 402, header), vec![0; 200]);
    let minutes: Vec<i64> = (100_000 - 300..100_000).collect();
    let mut message = remaining(&answers, 200, "x-ratelimit-remaining-minute");
    message.extend(remaining(&answers, 402, "x-ratelimit-remaining-minute"));
    message.sort_unstable();
    assert_eq!(message, minutes, "every one of 300 has its own place in the minute");
}

#[tokio::test]
async fn of_fifty_requests_a_minute_exactly_fifty_pass() {
    let answers = at_once(150, 50, 1000).await;
    let header = "x-ratelimit-remaining-minute";
    assert_eq!(remaining(&answers, 200, header), (0..50).collect::<Vec<_>>());
    assert_eq!(remaining(&answers, 429, header), vec![0; 100]);
    let credits = remaining(&answers, 200, "x-service-credits-remaining-month");
    assert_eq!(credits, (950..1000).collect::<Vec<_>>());
}
