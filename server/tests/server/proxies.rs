//! R14, A5: requests without a valid key are limited by their address, which only a trusted proxy
//! may set. The suite has one address and no proxy.

use payout_server::config::ServeOptions;
use poem::http::Method;

use crate::support::{Key, TestRequest, TestResponse, TestServer, current_minute};

const PATH: &str = "/api/v1/partners";

/// The responses to these requests, of which three without a key are allowed. The limit counts
/// minutes of the process's clock, which a test cannot stop: if the minute ended meanwhile, they
/// are sent once more to a new server.
async fn within_one_minute<const N: usize>(
    requests: impl Fn(&TestServer) -> [TestRequest; N],
    change: fn(&mut ServeOptions),
) -> (TestServer, Vec<TestResponse>) {
    loop {
        let server = TestServer::start_with(|options| {
            options.anonymous_requests_per_minute = 3;
            change(options);
        })
        .await;
        let begun = current_minute();
        let mut responses = Vec::new();
        for request in requests(&server) {
            responses.push(request.send().await);
        }
        if current_minute() == begun {
            return (server, responses);
        }
    }
}

/// Requests without a key that were forwarded for these addresses.
fn forwarded<const N: usize>(
    addresses: [&'static str; N],
) -> impl Fn(&TestServer) -> [TestRequest; N] {
    move |server| {
        let request =
            |address| server.request(Method::GET, PATH).header("x-forwarded-for", address);
        addresses.map(request)
    }
}

/// Status and remaining requests.
fn seen(responses: &[TestResponse]) -> Vec<(u16, i64)> {
    let seen = |it: &TestResponse| (it.status.as_u16(), it.rate_remaining().unwrap());
    responses.iter().map(seen).collect()
}

#[tokio::test]
async fn fourth_request_without_a_key_is_one_too_many_and_a_valid_key_is_never_held_up() {
    let requests = |server: &TestServer| {
        [
            server.request(Method::GET, "/nowhere"),
            server.request(Method::PUT, PATH),
            server.get(Key("main", "expired"), PATH),
            server.request(Method::GET, PATH),
            server.get(Key::MAIN, PATH),
            server.get(Key::MAIN, "/api/v1/partners?limit=0"),
            server.request(Method::PUT, PATH),
        ]
    };
    let (server, answers) = within_one_minute(requests, |_| {}).await;
    let valid = [(200, 99_999), (422, 99_998)];
    let expected = [&[(404, 2), (405, 1), (401, 0), (429, 0)][..], &valid, &[(429, 0)]].concat();
    assert_eq!(seen(&answers), expected);
    assert_eq!(answers[6].header("allow"), None);
    let limit = answers[3].number("x-ratelimit-limit-minute");
    assert_eq!((answers[3].code(), limit), ("RATE_LIMITED", Some(3)));
    let seconds = answers[3].body["error"]["details"]["retryAfterSeconds"].as_u64().unwrap();
    assert!((1..=60).contains(&seconds), "{seconds}");
    let counted = r#"payout_requests_rejected_total{kind="anonymous"} 2"#;
    assert!(server.metrics().lines().any(|line| line == counted), "{}", server.metrics());
}

#[tokio::test]
async fn stranger_cannot_choose_its_address() {
    let addresses = ["203.0.113.1", "203.0.113.2", "203.0.113.3", "203.0.113.4"];
    let (_, answers) = within_one_minute(forwarded(addresses), |_| {}).await;
    assert_eq!(seen(&answers), [(401, 2), (401, 1), (401, 0), (429, 0)]);
}

#[tokio::test]
async fn trusted_proxy_names_the_client() {
    // Addresses that the client itself put first are ignored; another client has another counter.
    let client = "203.0.113.1";
    let addresses = [
        client,
        client,
        "198.51.100.9, 203.0.113.1",
        client,
        "203.0.113.2",
        "203.0.113.1, 203.0.113.3",
        "no address",
    ];
    let trust = |options: &mut ServeOptions| {
        options.trusted_proxies = vec!["127.0.0.0/8".parse().unwrap()];
    };
    let (_, answers) = within_one_minute(forwarded(addresses), trust).await;
    let first = [(401, 2), (401, 1), (401, 0), (429, 0)];
    assert_eq!(seen(&answers), [&first[..], &[(401, 2); 3]].concat());
}
