//! §7, §8, A4–A7: minute and month by the clock, and limits while they change. The suite meets
//! neither the end of a month nor a clock that steps back, and cannot read a meter.

use serde_json::json;

use crate::{
    limits::client::until,
    support::{
        Key, TestRequest, TestServer,
        dataset::*,
        log::{begin, lines},
        operator,
    },
};

const PATH: &str = "/api/v1/partners?limit=1";
const TIGHT_KEY: Key = Key("tight", "all");
const RATE_REMAINING: &str = "x-ratelimit-remaining-minute";
const CREDITS_REMAINING: &str = "x-service-credits-remaining-month";

async fn use_up_minute(server: &TestServer) {
    for remaining in (0..5).rev() {
        let response = server.get(TIGHT_KEY, PATH).expect(200).await;
        assert_eq!(response.number("x-ratelimit-limit-minute"), Some(5));
        assert_eq!(response.number(RATE_REMAINING), Some(remaining));
    }
}

async fn allow_credits(server: &TestServer, credits: i64) {
    operator::set_limits(server, MAIN, 1000, Some(credits)).await;
}

async fn credits_after_success(server: &TestServer) -> Option<i64> {
    server.get(Key::MAIN, PATH).expect(200).await.number(CREDITS_REMAINING)
}

#[tokio::test]
async fn next_minute_of_the_utc_clock_allows_all_again() {
    let server = TestServer::start().await;
    use_up_minute(&server).await;
    server.database.set_clock("2026-06-15T12:00:59.001Z").await.unwrap();
    let response = server.get(TIGHT_KEY, PATH).expect(429).await;
    assert_eq!(response.body["error"]["details"]["retryAfterSeconds"], 1);
    server.database.set_clock("2026-06-15T12:01:00.000Z").await.unwrap();
    let response = server.get(TIGHT_KEY, PATH).expect(200).await;
    assert_eq!(response.number(RATE_REMAINING), Some(4));
}

#[tokio::test]
async fn clock_that_steps_back_opens_no_second_minute() {
    let server = TestServer::start().await;
    use_up_minute(&server).await;
    server.database.set_clock("2026-06-15T11:59:30.000Z").await.unwrap();
    let response = server.get(TIGHT_KEY, PATH).expect(429).await;
    assert_eq!(response.body["error"]["details"]["retryAfterSeconds"], 90);
    server.database.set_clock("2026-06-15T12:01:00.000Z").await.unwrap();
    server.get(TIGHT_KEY, PATH).expect(200).await;
}

#[tokio::test]
async fn minute_and_month_far_ahead_of_the_clock_count_as_now() {
    let server = TestServer::start().await;
    let superuser = server.superuser().await;
    begin();
    for ahead in ["2026-06-15T13:00:00Z", "2026-07-20T12:00:00Z"] {
        server.database.set_clock(ahead).await.unwrap();
        use_up_minute(&server).await;
        let spent = operator::meter(&superuser, TIGHT).await.month_used;
        server.database.set_clock("2026-06-15T12:00:30.000Z").await.unwrap();
        let response = server.get(TIGHT_KEY, PATH).expect(200).await;
        assert_eq!(response.number(RATE_REMAINING), Some(4), "{ahead}");
        // The minute begins again; of the month nothing is given away.
        assert_eq!(operator::meter(&superuser, TIGHT).await.month_used, spent + 1, "{ahead}");
        server.get(TIGHT_KEY, PATH).expect(200).await;
    }
    let of_meter = |line: &String| line.contains("a meter was ahead") && line.contains(TIGHT);
    until(|| lines().iter().filter(|line| of_meter(line)).count() == 2).await;
}

#[tokio::test]
async fn changed_limit_holds_from_the_next_request_on() {
    let server = TestServer::start().await;
    use_up_minute(&server).await;
    server.get(TIGHT_KEY, PATH).expect(429).await;
    operator::set_limits(&server, TIGHT, 7, Some(100)).await;
    let response = server.get(TIGHT_KEY, PATH).expect(200).await;
    assert_eq!(response.number(RATE_REMAINING), Some(1));
    operator::set_limits(&server, TIGHT, 3, Some(100)).await;
    let response = server.get(TIGHT_KEY, PATH).expect(429).await;
    assert_eq!(response.number(RATE_REMAINING), Some(0));
}

#[tokio::test]
async fn request_beyond_the_minute_leaves_the_meter() {
    let server = TestServer::start().await;
    let superuser = server.superuser().await;
    operator::set_limits(&server, MAIN, 1, Some(1)).await;
    server.get(Key::MAIN, PATH).expect(200).await;
    let full = operator::meter(&superuser, MAIN).await;
    server.get(Key::MAIN, PATH).expect(429).await;
    server.update("absent", json!([])).expect(429).await;
    assert_eq!(operator::meter(&superuser, MAIN).await, full);
}

#[tokio::test]
async fn request_rejected_before_its_operation_is_counted_and_not_charged() {
    let server = TestServer::start().await;
    let superuser = server.superuser().await;
    let before = operator::meter(&superuser, MAIN).await;
    let rejected: [(TestRequest, u16); 5] = [
        (server.get(Key("main", "affiliate-write"), PATH), 403),
        (server.get(Key::MAIN, "/api/v1/partners?limit=101"), 422),
        (server.get(Key::MAIN, "/api/v1/partners?cursor=AAAA"), 400),
        (server.get(Key::MAIN, "/api/v1/nothing"), 404),
        (server.patch(Key::MAIN, PATH, json!({})), 405),
    ];
    for (request, status) in rejected {
        request.expect(status).await;
    }
    let after = operator::meter(&superuser, MAIN).await;
    assert_eq!(after.month_used, before.month_used);
    assert_eq!(after.minute_used, before.minute_used + 3, "those on the path of an operation");
}

#[tokio::test]
async fn credits_reset_when_the_utc_month_ends() {
    let server = TestServer::start().await;
    allow_credits(&server, 1).await;
    let ends = [
        ("2026-06-30T23:59:59.001Z", "1", "2026-07-01T00:00:00.000Z"),
        ("2026-12-01T00:00:00.000Z", "2678400", "2027-01-01T00:00:00.000Z"),
        ("2027-02-28T00:00:00.500Z", "86400", "2027-03-01T00:00:00.000Z"),
        ("2027-04-30T23:00:00.000Z", "3600", "2027-05-01T00:00:00.000Z"),
    ];
    for (before, seconds, after) in ends {
        server.database.set_clock(before).await.unwrap();
        assert_eq!(credits_after_success(&server).await, Some(0));
        let rejected = server.get(Key::MAIN, PATH).expect(402).await;
        assert_eq!(rejected.header("retry-after"), Some(seconds), "{before}");
        server.database.set_clock(after).await.unwrap();
        assert_eq!(credits_after_success(&server).await, Some(0), "{after}");
        server.get(Key::MAIN, PATH).expect(402).await;
    }
}

#[tokio::test]
async fn credits_that_were_left_are_not_carried_over() {
    let server = TestServer::start().await;
    allow_credits(&server, 10).await;
    assert_eq!(credits_after_success(&server).await, Some(9));
    server.database.set_clock("2026-07-01T00:00:00Z").await.unwrap();
    assert_eq!(credits_after_success(&server).await, Some(9));
}

#[tokio::test]
async fn lowered_allowance_leaves_no_negative_rest() {
    let server = TestServer::start().await;
    allow_credits(&server, 5).await;
    for remaining in [4, 3, 2] {
        assert_eq!(credits_after_success(&server).await, Some(remaining));
    }
    allow_credits(&server, 2).await;
    let response = server.get(Key::MAIN, PATH).expect(402).await;
    assert_eq!(response.number("x-service-credits-limit-month"), Some(2));
    assert_eq!(response.number(CREDITS_REMAINING), Some(0));
}

#[tokio::test]
async fn response_without_a_valid_key_reports_the_limit_of_its_address() {
    let limit = 70_000;
    let server =
        TestServer::start_with(|options| options.anonymous_requests_per_minute = limit).await;
    let path = "/api/v1/nowhere";
    for request in [server.get(Key::MAIN, path), server.patch(Key::MAIN, PATH, json!({}))] {
        let response = request.send().await;
        let reported = response.number("x-ratelimit-limit-minute");
        assert_eq!(reported, Some(limit.into()), "{}", response.text);
    }
    let counted = operator::meter(&server.superuser().await, MAIN).await.minute_used;
    assert_eq!(counted, 0, "neither is a request of the organisation");
}
