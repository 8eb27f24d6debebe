//! §5, §7, §8, A1–A7: keys, minutes and months by the clock, on other replicas and environments,
//! and what is counted in a meter. The suite meets neither the end of a month nor a clock that
//! steps back, and cannot read a meter; `admission` compares decisions at all times with a model.

use chrono::{SecondsFormat, TimeDelta};
use payout_server::gate::Environment;
use poem::http::Method;
use serde_json::json;

use crate::support::{
    Key, TestResponse, TestServer,
    dataset::*,
    log::{begin, lines},
    until,
};

const PATH: &str = "/api/v1/partners?limit=1";
const TIGHT_KEY: Key = Key("tight", "all");

async fn list(server: &TestServer, key: &str) -> TestResponse {
    server.request(Method::GET, PATH).header("x-api-key", key).send().await
}

async fn use_up_minute(server: &TestServer) {
    for remaining in (0..5).rev() {
        let response = server.get(TIGHT_KEY, PATH).expect(200).await;
        assert_eq!(response.rate_remaining(), Some(remaining));
    }
}

#[tokio::test]
async fn key_is_valid_up_to_its_last_millisecond_and_a_revoked_one_stays_revoked() {
    let server = TestServer::start().await;
    let (id, key, ends) = server.create_key(Environment::Test, 30).await;
    let set_clock = async |instant: chrono::DateTime<chrono::Utc>| {
        let text = instant.to_rfc3339_opts(SecondsFormat::Millis, true);
        server.database.set_clock(&text).await.unwrap();
    };
    set_clock(ends - TimeDelta::milliseconds(1)).await;
    assert_eq!(list(&server, &key).await.status, 200);
    set_clock(ends).await;
    let response = list(&server, &key).await;
    assert!(response.text.contains("expired at 2026-07-15T12:00:00.000Z"), "{}", response.text);
    server.revoke_key(&id).await;
    let replica = server.replica().await;
    let there = replica.request(Method::GET, PATH).header("x-api-key", &key).expect(401).await;
    assert!(there.text.contains("was revoked at 2026-07-15T12:00:00.000Z"), "{}", there.text);
    assert_eq!(list(&server, &key).await.text, there.text);
}

#[tokio::test]
async fn server_of_the_live_environment_accepts_live_keys_alone() {
    let server = TestServer::start_with(|options| options.environment = Environment::Live).await;
    server.get(Key::MAIN, PATH).expect(401).await;
    let (_, key, _) = server.create_key(Environment::Live, 365).await;
    assert_eq!(list(&server, &key).await.status, 200);
}

#[tokio::test]
async fn rejected_request_is_counted_by_its_place_in_the_gate_and_never_charged() {
    let limit = 70_000;
    let server =
        TestServer::start_with(|options| options.anonymous_requests_per_minute = limit).await;
    let before = server.meter(MAIN).await;
    // No requests of the organisation: they report the limit of their address.
    for (request, status) in [
        (server.get(Key("main", "expired"), PATH), 401),
        (server.get(Key("main", "revoked"), PATH), 401),
        (server.get(Key::MAIN, "/api/v1/nothing"), 404),
        (server.patch(Key::MAIN, PATH, json!({})), 405),
    ] {
        let response = request.expect(status).await;
        assert_eq!(response.number("x-ratelimit-limit-minute"), Some(limit.into()));
    }
    assert_eq!(server.meter(MAIN).await, before);
    for (request, status) in [
        (server.get(Key("main", "affiliate-write"), PATH), 403),
        (server.get(Key::MAIN, "/api/v1/partners?limit=101"), 422),
        (server.get(Key::MAIN, "/api/v1/partners?cursor=AAAA"), 400),
    ] {
        request.expect(status).await;
    }
    let after = server.meter(MAIN).await;
    assert_eq!(after.month_used, before.month_used);
    assert_eq!(after.minute_used, before.minute_used + 3);
    server.set_limits(MAIN, after.minute_used, Some(1)).await;
    server.get(Key::MAIN, PATH).expect(429).await;
    server.update("absent", json!([])).expect(429).await;
    assert_eq!(server.meter(MAIN).await, after, "beyond the minute nothing is counted");
}

#[tokio::test]
async fn wait_of_a_429_ends_with_the_minute_also_after_a_step_of_the_clock_back() {
    let server = TestServer::start().await;
    use_up_minute(&server).await;
    for (clock, seconds) in [("12:00:59.001Z", 1), ("11:59:30.000Z", 90)] {
        server.database.set_clock(&format!("2026-06-15T{clock}")).await.unwrap();
        let response = server.get(TIGHT_KEY, PATH).expect(429).await;
        assert_eq!(response.body["error"]["details"]["retryAfterSeconds"], seconds);
    }
    server.database.set_clock("2026-06-15T12:01:00.000Z").await.unwrap();
    use_up_minute(&server).await;
}

#[tokio::test]
async fn minute_and_month_far_ahead_of_the_clock_count_as_now_and_are_logged() {
    let server = TestServer::start().await;
    begin();
    for ahead in ["2026-06-15T13:00:00Z", "2026-07-20T12:00:00Z"] {
        server.database.set_clock(ahead).await.unwrap();
        use_up_minute(&server).await;
        let spent = server.meter(TIGHT).await.month_used;
        server.database.set_clock("2026-06-15T12:00:30.000Z").await.unwrap();
        let response = server.get(TIGHT_KEY, PATH).expect(200).await;
        assert_eq!(response.rate_remaining(), Some(4), "{ahead}");
        // The minute begins again; of the month nothing is given away.
        assert_eq!(server.meter(TIGHT).await.month_used, spent + 1, "{ahead}");
    }
    let of_meter = |line: &String| line.contains("a meter was ahead") && line.contains(TIGHT);
    until(|| lines().iter().filter(|line| of_meter(line)).count() == 2).await;
}

#[tokio::test]
async fn credits_reset_when_the_utc_month_ends_and_none_is_carried_over() {
    let server = TestServer::start().await;
    server.set_limits(MAIN, 1000, Some(2)).await;
    let ends = [
        ("2026-06-30T23:59:59.001Z", "1", "2026-07-01T00:00:00.000Z"),
        ("2026-12-01T00:00:00.000Z", "2678400", "2027-01-01T00:00:00.000Z"),
        ("2027-02-28T00:00:00.500Z", "86400", "2027-03-01T00:00:00.000Z"),
        ("2027-04-30T23:00:00.000Z", "3600", "2027-05-01T00:00:00.000Z"),
    ];
    for (before, seconds, after) in ends {
        server.database.set_clock(before).await.unwrap();
        for remaining in [1, 0] {
            let response = server.get(Key::MAIN, PATH).expect(200).await;
            assert_eq!(response.credits_remaining(), Some(remaining));
        }
        let rejected = server.get(Key::MAIN, PATH).expect(402).await;
        assert_eq!(rejected.header("retry-after"), Some(seconds), "{before}");
        server.database.set_clock(after).await.unwrap();
        let response = server.get(Key::MAIN, PATH).expect(200).await;
        assert_eq!(response.credits_remaining(), Some(1), "{after}");
    }
}
