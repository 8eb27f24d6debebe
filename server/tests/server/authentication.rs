//! §5, A1, A3: which keys are accepted, and the responses to all others.

use payout_server::gate::{ApiKey, Environment};
use poem::http::Method;

use crate::support::{Key, TestServer, dataset::*, operator, raw, snapshot};

const PATH: &str = "/api/v1/partners";

#[tokio::test]
async fn request_without_a_key_is_rejected_with_the_way_to_send_one() {
    let server = TestServer::start().await;
    let response = server.request(Method::GET, PATH).expect(401).await;
    snapshot("list_partners", "missing_key", &response);
}

#[tokio::test]
async fn key_that_was_never_valid_is_rejected_alike_whatever_is_wrong_with_it() {
    let server = TestServer::start().await;
    let valid = server.key(Key::MAIN).to_owned();
    let mut typing_error = valid.clone();
    let last = if typing_error.pop() == Some('x') { 'y' } else { 'x' };
    typing_error.push(last);
    let unknown = ApiKey::generate(Environment::Test);
    let other_environment = ApiKey::generate(Environment::Live);
    let wrong = [
        "",
        "pcp_test_",
        &valid[..valid.len() - 1],
        &format!("{valid}0"),
        &valid.to_uppercase(),
        &typing_error,
        unknown.reveal(),
        other_environment.reveal(),
    ];
    let mut texts = Vec::new();
    for key in wrong {
        let response = server.request(Method::GET, PATH).header("x-api-key", key);
        texts.push(response.expect(401).await.text);
    }
    texts.dedup();
    assert_eq!(texts.len(), 1, "{texts:?}");
    let request = server.request(Method::GET, PATH).header("x-api-key", "é");
    let response = request.expect(401).await;
    snapshot("list_partners", "invalid_key", &response);
}

#[tokio::test]
async fn two_key_headers_are_rejected_although_both_are_valid() {
    let server = TestServer::start().await;
    let key = server.key(Key::MAIN);
    let request = server.get(Key::MAIN, PATH).header("x-api-key", key);
    let response = request.expect(401).await;
    snapshot("list_partners", "repeated_key", &response);
    let request = server.get(Key::MAIN, PATH).header("x-api-key", "");
    assert_eq!(request.expect(401).await.text, response.text);
}

#[tokio::test]
async fn key_counts_in_the_header_x_api_key_alone() {
    let server = TestServer::start().await;
    let key = server.key(Key::MAIN);
    for name in ["x-api-key", "api_key", "apiKey", "key"] {
        let path = format!("{PATH}?{name}={key}");
        let response = server.request(Method::GET, &path).expect(401).await;
        assert!(!response.text.contains(key));
    }
    let bearer = server.request(Method::GET, PATH).header("authorization", format!("Bearer {key}"));
    bearer.expect(401).await;
    let cookie = server.request(Method::GET, PATH).header("cookie", format!("x-api-key={key}"));
    cookie.expect(401).await;
}

#[tokio::test]
async fn header_name_is_read_in_any_case() {
    let server = TestServer::start().await;
    let key = server.key(Key::MAIN);
    let request = format!(
        "GET {PATH} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nX-API-Key: {key}\r\n\r\n"
    );
    let response = raw::exchange(&server, request.as_bytes()).await;
    assert_eq!(response.status, 200, "{}", response.text);
}

#[tokio::test]
async fn holder_of_a_dead_key_learns_how_and_when_it_ended() {
    let server = TestServer::start().await;
    let expired = server.get(Key("main", "expired"), PATH).expect(401).await;
    snapshot("list_partners", "expired_key", &expired);
    let revoked = server.get(Key("main", "revoked"), PATH).expect(401).await;
    snapshot("list_partners", "revoked_key", &revoked);
    let message = "2026-01-31T12:00:00.000Z";
    assert!(expired.text.contains(message) && revoked.text.contains(message));
}

#[tokio::test]
async fn rejected_key_takes_nothing_from_the_meter_of_its_organisation() {
    let server = TestServer::start().await;
    let superuser_pool = server.superuser().await;
    let before = operator::meter(&superuser_pool, MAIN).await;
    for name in ["expired", "revoked"] {
        server.get(Key("main", name), PATH).expect(401).await;
    }
    assert_eq!(operator::meter(&superuser_pool, MAIN).await, before);
}

#[tokio::test]
async fn server_of_the_live_environment_takes_live_keys_alone() {
    let server = TestServer::start_with(|options| options.environment = Environment::Live).await;
    server.get(Key::MAIN, PATH).expect(401).await;
    let life = (Environment::Live, 365);
    let (_, live, _) = operator::create_key(&server, MAIN, &["partners:read"], life).await;
    let request = server.request(Method::GET, PATH).header("x-api-key", &live);
    request.expect(200).await;
}

#[tokio::test]
async fn key_is_checked_before_form_and_resource() {
    let server = TestServer::start().await;
    let path = format!("/api/v1/payouts/{NO_PAYOUT}?unknown=1");
    server.request(Method::GET, &path).expect(401).await;
    let patch = server.request(Method::PATCH, "/api/v1/partners/x").body("{broken");
    patch.expect(401).await;
}
