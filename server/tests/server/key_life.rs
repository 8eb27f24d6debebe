//! §5 (4, 6), A2: lifetime, revocation and rotation of keys.

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use payout_server::gate::Environment;
use poem::http::Method;

use crate::support::{Key, TestResponse, TestServer, dataset::*, operator, raw};

const PATH: &str = "/api/v1/partners?limit=1";
const YEAR: (Environment, i32) = (Environment::Test, 365);

async fn list(server: &TestServer, key: &str) -> TestResponse {
    server.request(Method::GET, PATH).header("x-api-key", key).send().await
}

fn text(instant: DateTime<Utc>) -> String {
    instant.to_rfc3339_opts(SecondsFormat::Millis, true)
}

#[tokio::test]
async fn key_is_replaced_by_a_second_live_one_without_a_gap() {
    let server = TestServer::start().await;
    let superuser_pool = server.superuser().await;
    let old = server.key(Key::MAIN).to_owned();
    let scopes = ["partners:read", "partners:write"];
    let (_, new, _) = operator::create_key(&server, MAIN, &scopes, YEAR).await;
    assert_eq!(list(&server, &old).await.status, 200);
    assert_eq!(list(&server, &new).await.status, 200, "both are valid at the same time");
    let old_id = operator::key_id(&superuser_pool, MAIN, "all").await;
    operator::revoke_key(&server, MAIN, &old_id).await;
    assert_eq!(list(&server, &old).await.status, 401);
    assert_eq!(list(&server, &new).await.status, 200);
}

#[tokio::test]
async fn both_keys_of_a_rotation_see_the_same_data_and_share_the_meter() {
    let server = TestServer::start().await;
    let (_, new, _) = operator::create_key(&server, MAIN, &["partners:read"], YEAR).await;
    let first = list(&server, server.key(Key::MAIN)).await;
    let second = list(&server, &new).await;
    assert_eq!(first.text, second.text);
    for name in ["x-ratelimit-remaining-minute", "x-service-credits-remaining-month"] {
        assert_eq!(second.number(name).unwrap(), first.number(name).unwrap() - 1);
    }
}

#[tokio::test]
async fn revocation_holds_at_once_on_every_replica() {
    let server = TestServer::start().await;
    let replica = server.replica().await;
    let (id, key, _) = operator::create_key(&server, MAIN, &["partners:read"], YEAR).await;
    assert_eq!(list(&server, &key).await.status, 200);
    replica.request(Method::GET, PATH, &key).expect(200).await;
    operator::revoke_key(&server, MAIN, &id).await;
    let here = list(&server, &key).await;
    let there = replica.request(Method::GET, PATH, &key).expect(401).await;
    assert_eq!((here.status.as_u16(), here.code()), (401, "UNAUTHORIZED"));
    assert_eq!(here.text, there.text);
    assert!(here.text.contains("was revoked at 2026-06-15T12:00:00.000Z"), "{}", here.text);
}

#[tokio::test]
async fn revocation_holds_on_a_connection_that_is_open_already() {
    let server = TestServer::start().await;
    let (id, key, _) = operator::create_key(&server, MAIN, &["partners:read"], YEAR).await;
    // The client keeps its connection: the second request uses the first one's.
    assert_eq!(list(&server, &key).await.status, 200);
    operator::revoke_key(&server, MAIN, &id).await;
    assert_eq!(list(&server, &key).await.status, 401);
    let response = raw::exchange(&server, &raw::head("GET", PATH, &key, "")).await;
    assert_eq!(response.status, 401);
}

#[tokio::test]
async fn key_is_valid_up_to_its_last_millisecond() {
    let server = TestServer::start().await;
    let life = (Environment::Test, 30);
    let (_, key, ends) = operator::create_key(&server, MAIN, &["partners:read"], life).await;
    assert_eq!(text(ends), "2026-07-15T12:00:00.000Z");
    let last = ends - TimeDelta::milliseconds(1);
    server.database.set_clock(&text(last)).await.unwrap();
    assert_eq!(list(&server, &key).await.status, 200);
    server.database.set_clock(&text(ends)).await.unwrap();
    let response = list(&server, &key).await;
    assert_eq!(response.status, 401);
    assert!(response.text.contains("expired at 2026-07-15T12:00:00.000Z"), "{}", response.text);
}

#[tokio::test]
async fn keys_of_the_data_set_live_for_a_year() {
    let server = TestServer::start().await;
    server.database.set_clock("2027-06-15T11:59:59.999Z").await.unwrap();
    assert_eq!(list(&server, server.key(Key::MAIN)).await.status, 200);
    server.database.set_clock("2027-06-15T12:00:00.000Z").await.unwrap();
    assert_eq!(list(&server, server.key(Key::MAIN)).await.status, 401);
}

#[tokio::test]
async fn revoked_key_stays_revoked_when_it_would_have_expired() {
    let server = TestServer::start().await;
    let superuser_pool = server.superuser().await;
    let id = operator::key_id(&superuser_pool, MAIN, "all").await;
    operator::revoke_key(&server, MAIN, &id).await;
    server.database.set_clock("2029-01-01T00:00:00Z").await.unwrap();
    let response = list(&server, server.key(Key::MAIN)).await;
    assert_eq!(response.status, 401);
    assert!(response.text.contains("was revoked at 2026-06-15"), "{}", response.text);
}
