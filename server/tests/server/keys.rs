//! §5 (4, 6), A1, A2: the end of keys by the clock, on other replicas and on open connections, and
//! the environment of a server. The suite has one address, no clock and one environment.

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
    let month = (Environment::Test, 30);
    let (_, key, ends) = operator::create_key(&server, MAIN, &["partners:read"], month).await;
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
async fn keys_of_the_data_set_are_valid_for_a_year() {
    let server = TestServer::start().await;
    server.database.set_clock("2027-06-15T11:59:59.999Z").await.unwrap();
    assert_eq!(list(&server, server.key(Key::MAIN)).await.status, 200);
    server.database.set_clock("2027-06-15T12:00:00.000Z").await.unwrap();
    assert_eq!(list(&server, server.key(Key::MAIN)).await.status, 401);
}

#[tokio::test]
async fn revoked_key_stays_revoked_when_it_would_have_expired() {
    let server = TestServer::start().await;
    let id = operator::key_id(&server.superuser().await, MAIN, "all").await;
    operator::revoke_key(&server, MAIN, &id).await;
    server.database.set_clock("2029-01-01T00:00:00Z").await.unwrap();
    let response = list(&server, server.key(Key::MAIN)).await;
    assert_eq!(response.status, 401);
    assert!(response.text.contains("was revoked at 2026-06-15"), "{}", response.text);
}

#[tokio::test]
async fn server_of_the_live_environment_accepts_live_keys_alone() {
    let server = TestServer::start_with(|options| options.environment = Environment::Live).await;
    server.get(Key::MAIN, PATH).expect(401).await;
    let live = (Environment::Live, 365);
    let (_, key, _) = operator::create_key(&server, MAIN, &["partners:read"], live).await;
    assert_eq!(list(&server, &key).await.status, 200);
}

#[tokio::test]
async fn rejected_key_leaves_the_meter_of_its_organisation() {
    let server = TestServer::start().await;
    let superuser = server.superuser().await;
    let before = operator::meter(&superuser, MAIN).await;
    for name in ["expired", "revoked"] {
        server.get(Key("main", name), PATH).expect(401).await;
    }
    assert_eq!(operator::meter(&superuser, MAIN).await, before);
}
