//! §5, §7, §8, A1–A7: keys, minutes and months by the clock, on other replicas and environments,
//! and what is counted in a meter. The suite meets neither the end of a month nor a clock that
//! steps back, and cannot read a meter; `admission` compares decisions at all times with a model.

use chrono::{SecondsFormat, TimeDelta};
use payout_server::gate::Environment;
use poem::http::Method;

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
    until(async || lines().iter().filter(|line| of_meter(line)).count() == 2).await;
}
