//! §8, A4: requests a minute, per organisation.

use crate::{
    limits::client::until,
    support::{
        Key, TestServer,
        dataset::*,
        log::{begin, lines},
        operator, snapshot,
    },
};

const PATH: &str = "/api/v1/partners?limit=1";
const TIGHT_KEY: Key = Key("tight", "all");
const REMAINING: &str = "x-ratelimit-remaining-minute";

async fn use_up(server: &TestServer) {
    for remaining in (0..5).rev() {
        let response = server.get(TIGHT_KEY, PATH).expect(200).await;
        assert_eq!(response.number("x-ratelimit-limit-minute"), Some(5));
        assert_eq!(response.number(REMAINING), Some(remaining));
    }
}

#[tokio::test]
async fn request_after_the_last_one_of_a_minute_is_rejected() {
    let server = TestServer::start().await;
    use_up(&server).await;
    let response = server.get(TIGHT_KEY, PATH).expect(429).await;
    assert_eq!(response.number(REMAINING), Some(0));
    snapshot("list_partners", "rate_limited", &response);
}

#[tokio::test]
async fn next_minute_of_the_utc_clock_allows_all_again() {
    let server = TestServer::start().await;
    use_up(&server).await;
    server.database.set_clock("2026-06-15T12:00:59.001Z").await.unwrap();
    let response = server.get(TIGHT_KEY, PATH).expect(429).await;
    assert_eq!(response.body["error"]["details"]["retryAfterSeconds"], 1);
    server.database.set_clock("2026-06-15T12:01:00.000Z").await.unwrap();
    let response = server.get(TIGHT_KEY, PATH).expect(200).await;
    assert_eq!(response.number(REMAINING), Some(4));
}

#[tokio::test]
async fn clock_that_steps_back_opens_no_second_minute() {
    let server = TestServer::start().await;
    use_up(&server).await;
    server.database.set_clock("2026-06-15T11:59:30.000Z").await.unwrap();
    server.get(TIGHT_KEY, PATH).expect(429).await;
}

#[tokio::test]
async fn full_minute_ahead_of_the_clock_says_when_it_ends() {
    let server = TestServer::start().await;
    use_up(&server).await;
    server.database.set_clock("2026-06-15T11:59:30.000Z").await.unwrap();
    let response = server.get(TIGHT_KEY, PATH).expect(429).await;
    assert_eq!(response.body["error"]["details"]["retryAfterSeconds"], 90);
    server.database.set_clock("2026-06-15T12:01:00.000Z").await.unwrap();
    server.get(TIGHT_KEY, PATH).expect(200).await;
}

#[tokio::test]
async fn minute_and_month_far_ahead_of_the_clock_count_as_now() {
    let server = TestServer::start().await;
    let superuser_pool = server.superuser().await;
    begin();
    for ahead in ["2026-06-15T13:00:00Z", "2026-07-20T12:00:00Z"] {
        server.database.set_clock(ahead).await.unwrap();
        use_up(&server).await;
        let spent = operator::meter(&superuser_pool, TIGHT).await.month_used;
        server.database.set_clock("2026-06-15T12:00:30.000Z").await.unwrap();
        let response = server.get(TIGHT_KEY, PATH).expect(200).await;
        assert_eq!(response.number(REMAINING), Some(4), "{ahead}");
        // The minute begins again; of the month nothing is given away.
        assert_eq!(operator::meter(&superuser_pool, TIGHT).await.month_used, spent + 1, "{ahead}");
        server.get(TIGHT_KEY, PATH).expect(200).await;
    }
    let of_meters = |line: &String| line.contains("a meter was ahead") && line.contains(TIGHT);
    until(|| lines().iter().filter(|line| of_meters(line)).count() == 2).await;
}

#[tokio::test]
async fn minute_is_counted_over_all_keys_of_an_organisation_and_over_no_other() {
    let server = TestServer::start().await;
    operator::set_limits(&server, MAIN, 2, Some(100)).await;
    server.get(Key("main", "partners-read"), PATH).expect(200).await;
    server.get(Key("main", "all"), PATH).expect(200).await;
    server.get(Key("main", "partners-read"), PATH).expect(429).await;
    server.get(Key("main", "all"), PATH).expect(429).await;
    server.get(Key::OTHER, PATH).expect(200).await;
}

#[tokio::test]
async fn every_request_with_a_valid_key_counts_whatever_its_answer() {
    let server = TestServer::start().await;
    operator::set_limits(&server, MAIN, 10, Some(1)).await;
    let requests = [
        (server.get(Key::MAIN, PATH), 200),
        (server.get(Key("main", "affiliate-write"), PATH), 403),
        (server.get(Key::MAIN, "/api/v1/partners?limit=0"), 422),
        (server.get(Key::MAIN, "/api/v1/partners?cursor=!"), 400),
        (server.get(Key::MAIN, PATH), 402),
    ];
    for (used, (request, status)) in (1..).zip(requests) {
        let response = request.expect(status).await;
        assert_eq!(response.number(REMAINING), Some(10 - used), "{status}");
    }
}

#[tokio::test]
async fn used_up_minute_is_reported_before_scope_form_and_credits() {
    let server = TestServer::start().await;
    let superuser_pool = server.superuser().await;
    operator::set_limits(&server, MAIN, 1, Some(1)).await;
    server.get(Key::MAIN, PATH).expect(200).await;
    let full = operator::meter(&superuser_pool, MAIN).await;
    server.get(Key("main", "affiliate-write"), PATH).expect(429).await;
    server.get(Key::MAIN, "/api/v1/partners?limit=0").expect(429).await;
    server.get(Key::MAIN, PATH).expect(429).await;
    server.update("absent", serde_json::json!([])).expect(429).await;
    assert_eq!(operator::meter(&superuser_pool, MAIN).await, full, "a 429 takes nothing");
}

#[tokio::test]
async fn changed_limit_holds_from_the_next_request_on() {
    let server = TestServer::start().await;
    use_up(&server).await;
    server.get(TIGHT_KEY, PATH).expect(429).await;
    operator::set_limits(&server, TIGHT, 7, Some(100)).await;
    let response = server.get(TIGHT_KEY, PATH).expect(200).await;
    assert_eq!(response.number(REMAINING), Some(1));
    operator::set_limits(&server, TIGHT, 3, Some(100)).await;
    let response = server.get(TIGHT_KEY, PATH).expect(429).await;
    assert_eq!(response.number(REMAINING), Some(0));
}
