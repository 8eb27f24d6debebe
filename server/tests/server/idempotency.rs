//! R3, R4, R9, X9: requests in spellings that the suite does not send, and idempotency keys over a
//! day and across an upgrade. The suite sees no clock, and writes each request in one way.

use poem::http::Method;
use serde_json::Value;

use crate::support::{
    Key, TestResponse, TestServer,
    commission::{line, new_partner, post},
    dataset::*,
};

/// Creates a line with the key `k`; returns the response, and whether it repeats another.
async fn keyed(server: &TestServer, body: &Value) -> (TestResponse, bool) {
    let response = post(server, "commission-lines", body).header("idempotency-key", "k").send();
    let response = response.await;
    let is_repeated = response.header("idempotent-replayed") == Some("true");
    (response, is_repeated)
}

#[tokio::test]
async fn request_that_is_not_admitted_changes_nothing_and_keeps_nothing() {
    let server = TestServer::start().await;
    let partner = new_partner(&server).await;
    let body = line(&partner, "4.00");
    for (minute, credits, status) in [(1000, Some(0), 402), (1, None, 429), (1000, None, 201)] {
        server.set_limits(MAIN, minute, credits).await;
        let (response, is_repeated) = keyed(&server, &body).await;
        assert_eq!((response.status.as_u16(), is_repeated), (status, false));
    }
    let path = format!("/api/v1/commission-lines?partnerId={partner}");
    assert_eq!(server.get(Key::MAIN, &path).expect(200).await.ids().len(), 1);
}

#[tokio::test]
async fn response_is_repeated_for_24_hours() {
    let server = TestServer::start().await;
    let body = line(NORDWIND, "4.00");
    let first = keyed(&server, &body).await.0.text;
    server.database.set_clock("2026-06-16T11:59:59.999Z").await.unwrap();
    assert_eq!(keyed(&server, &body).await.0.text, first);
    server.database.set_clock("2026-06-16T12:00:00.000Z").await.unwrap();
    let (new, is_repeated) = keyed(&server, &line(NORDWIND, "5.00")).await;
    assert_eq!((new.status.as_u16(), is_repeated), (201, false));
}

#[tokio::test]
async fn response_that_a_server_of_the_version_before_kept_is_repeated() {
    let server = TestServer::start().await;
    let body = line(NORDWIND, "4.00");
    let first = keyed(&server, &body).await.0.text;
    server.execute("UPDATE idempotent_requests SET value_hash = NULL").await;
    let (again, is_repeated) = keyed(&server, &body).await;
    assert_eq!((is_repeated, &again.text), (true, &first));
    let (other, _) = keyed(&server, &line(NORDWIND, "5.00")).await;
    assert_eq!(other.code(), "IDEMPOTENCY_KEY_REUSED");
}

#[tokio::test]
async fn request_is_the_same_with_an_equal_json_value_and_an_equal_decoded_path() {
    let server = TestServer::start().await;
    let send = |path: &str, body: &str| {
        let request = server.post(Key::MAIN, path).header("idempotency-key", "k");
        request.header("content-type", "application/json").body(body.to_owned()).send()
    };
    let escaped = r#"{"name": "Caf\u00e9", "domain": null}"#;
    let plain = "{ \"domain\":null,\n\"name\":\"Café\" }";
    let path = format!("/api/v1/commission-lines/{PENDING_LINE}/decline");
    let encoded = path.replace("cln", "%63ln");
    let reason = r#"{"reason": "DUPLICATE"}"#;
    for [(path, body), (other_path, other_body)] in [
        [("/api/v1/partners", escaped), ("/api/v1/partners", plain)],
        [(&path, reason), (&encoded, reason)],
    ] {
        let response = send(path, body).await;
        let again = send(other_path, other_body).await;
        assert_eq!(again.header("idempotent-replayed"), Some("true"), "{other_path}");
        assert_eq!(again.text, response.text, "{other_path}");
    }
}

#[tokio::test]
async fn query_that_is_not_percent_encoded_utf_8_is_a_422() {
    let server = TestServer::start().await;
    for value in ["%", "%4", "%zz", "%ff", "a%C3"] {
        let path = format!("/api/v1/commission-lines?partnerId={value}");
        let response = server.get(Key::MAIN, &path).expect(422).await;
        assert_eq!(response.text_at("/error/details/issues/0/path"), "/partnerId");
        assert_eq!(response.text_at("/error/details/issues/0/code"), "BAD_FORMAT");
    }
}

#[tokio::test]
async fn response_lists_the_first_hundred_issues_and_counts_them_all() {
    let server = TestServer::start().await;
    let unknown: Vec<String> = (0..500).map(|number| format!("p{number}=1")).collect();
    let path = format!("/api/v1/partners?{}", unknown.join("&"));
    let response = server.get(Key::MAIN, &path).expect(422).await;
    assert_eq!(response.body["error"]["details"]["issues"].as_array().unwrap().len(), 100);
    let message = "500 values of the request break a rule; details.issues lists the first 100.";
    assert_eq!(response.message(), message);
}

#[tokio::test]
async fn second_content_type_and_a_key_in_a_cookie_are_rejected() {
    let server = TestServer::start().await;
    let request = server.patch(Key::MAIN, "/api/v1/partners/x", Value::Null);
    request.header("content-type", "application/json").expect(415).await;
    let request = server.request(Method::GET, "/api/v1/partners");
    request.header("cookie", format!("x-api-key={}", server.key(Key::MAIN))).expect(401).await;
}
