//! R14, A5: requests without a valid key are limited by their address, which only a trusted proxy
//! may set. The suite has one address and no proxy.

use std::time::{SystemTime, UNIX_EPOCH};

use payout_server::config::ServeOptions;
use poem::http::Method;

use crate::support::{Key, TestResponse, TestServer};

const PATH: &str = "/api/v1/partners";

/// The limit counts minutes of the process's clock, which a test cannot stop: if the minute ended
/// meanwhile, the scenario runs once more on a new server.
async fn within_one_minute<T>(
    scenario: impl AsyncFn(&TestServer) -> T,
    change: fn(&mut ServeOptions),
) -> T {
    loop {
        let server = TestServer::start_with(|options| {
            options.anonymous_requests_per_minute = 3;
            change(options);
        })
        .await;
        let begun = minute();
        let seen = scenario(&server).await;
        if minute() == begun {
            return seen;
        }
    }
}

fn minute() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() / 60
}

fn trust_ourselves(options: &mut ServeOptions) {
    options.trusted_proxies = vec!["127.0.0.0/8".parse().unwrap()];
}

async fn anonymous(server: &TestServer, forwarded_for: &str) -> TestResponse {
    server.request(Method::GET, PATH).header("x-forwarded-for", forwarded_for).send().await
}

fn status_and_remaining(response: &TestResponse) -> (u16, i64) {
    (response.status.as_u16(), response.number("x-ratelimit-remaining-minute").unwrap())
}

#[tokio::test]
async fn fourth_request_without_a_key_is_one_too_many() {
    let scenario = async |server: &TestServer| {
        let unknown_path = server.request(Method::GET, "/nowhere").send().await;
        let another_method = server.request(Method::PUT, PATH).send().await;
        let wrong_key = server.get(Key("main", "expired"), PATH).send().await;
        let beyond = server.request(Method::GET, PATH).send().await;
        let valid = server.get(Key::MAIN, PATH).send().await;
        let unknown_path_beyond = server.request(Method::PUT, PATH).send().await;
        [unknown_path, another_method, wrong_key, beyond, valid, unknown_path_beyond]
    };
    let answers = within_one_minute(scenario, |_| {}).await;
    let seen = answers.each_ref().map(status_and_remaining);
    assert_eq!(seen, [(404, 2), (405, 1), (401, 0), (429, 0), (200, 99_999), (429, 0)]);
    assert_eq!(answers[5].header("allow"), None);
    let limit = answers[3].number("x-ratelimit-limit-minute");
    assert_eq!((answers[3].code(), limit), ("RATE_LIMITED", Some(3)));
    let seconds = answers[3].body["error"]["details"]["retryAfterSeconds"].as_u64().unwrap();
    assert!((1..=60).contains(&seconds), "{seconds}");
}

#[tokio::test]
async fn stranger_cannot_choose_its_address() {
    let scenario = async |server: &TestServer| {
        let mut seen = Vec::new();
        for address in ["203.0.113.1", "203.0.113.2", "203.0.113.3", "203.0.113.4"] {
            seen.push(status_and_remaining(&anonymous(server, address).await));
        }
        seen
    };
    let seen = within_one_minute(scenario, |_| {}).await;
    assert_eq!(seen, [(401, 2), (401, 1), (401, 0), (429, 0)]);
}

#[tokio::test]
async fn trusted_proxy_names_the_client() {
    let scenario = async |server: &TestServer| {
        let mut seen = Vec::new();
        for address in ["203.0.113.1", "203.0.113.1", "198.51.100.9, 203.0.113.1", "203.0.113.1"] {
            seen.push(status_and_remaining(&anonymous(server, address).await));
        }
        seen.push(status_and_remaining(&anonymous(server, "203.0.113.2").await));
        seen.push(status_and_remaining(&anonymous(server, "203.0.113.1, 203.0.113.3").await));
        seen.push(status_and_remaining(&anonymous(server, "no address").await));
        seen
    };
    let seen = within_one_minute(scenario, trust_ourselves).await;
    assert_eq!(
        seen[..4],
        [(401, 2), (401, 1), (401, 0), (429, 0)],
        "what the client put before counts nothing"
    );
    assert_eq!(seen[4..], [(401, 2), (401, 2), (401, 2)], "another client, another counter");
}

#[tokio::test]
async fn valid_key_is_never_held_up_by_its_address() {
    let scenario = async |server: &TestServer| {
        for _ in 0..5 {
            server.request(Method::GET, PATH).send().await;
        }
        let beyond = server.request(Method::GET, PATH).send().await.status.as_u16();
        let valid = server.get(Key::MAIN, PATH).send().await;
        let rejected = server.get(Key::MAIN, "/api/v1/partners?limit=0").send().await;
        (beyond, status_and_remaining(&valid), status_and_remaining(&rejected))
    };
    let seen = within_one_minute(scenario, |_| {}).await;
    assert_eq!(seen, (429, (200, 99_999), (422, 99_998)));
}
