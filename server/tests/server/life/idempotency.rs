//! X9: a request with an idempotency key is done once.

use serde_json::{Value, json};

use super::{id, line, may, new_partner, post};
use crate::support::{Key, TestResponse, TestServer, dataset::*, operator};

const KEY: &str = "idempotency-key";

/// Only main's key of all scopes sends it.
async fn keyed(server: &TestServer, key: &str, path: &str, body: &Value) -> TestResponse {
    post(server, path, body).header(KEY, key).send().await
}

async fn lines_of(server: &TestServer, partner: &str) -> usize {
    let path = format!("/api/v1/commission-lines?partnerId={partner}");
    server.get(Key::MAIN, &path).expect(200).await.ids().len()
}

#[tokio::test]
async fn repeated_request_gets_the_first_response_byte_for_byte() {
    let server = TestServer::start().await;
    let partner = new_partner(&server).await;
    let body = line(&partner, "4.00");
    let first = keyed(&server, "k", "commission-lines", &body).await;
    assert_eq!(first.status, 201);
    assert_eq!(first.header("idempotent-replayed"), None);
    let again = keyed(&server, "k", "commission-lines", &body).await;
    assert_eq!((again.status, &again.text), (first.status, &first.text));
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
    let spent = |response: &TestResponse| response.number("x-service-credits-remaining-month");
    assert_eq!(spent(&first).unwrap() - spent(&again).unwrap(), 1, "a replay is metered");
    assert_eq!(lines_of(&server, &partner).await, 1);
}

#[tokio::test]
async fn key_with_another_body_or_path_is_rejected() {
    let server = TestServer::start().await;
    let body = line(NORDWIND, "4.00");
    assert_eq!(keyed(&server, "k", "commission-lines", &body).await.status, 201);
    let other = keyed(&server, "k", "commission-lines", &line(NORDWIND, "5.00")).await;
    assert_eq!(other.status, 422);
    assert_eq!(other.code(), "IDEMPOTENCY_KEY_REUSED");
    let decline = json!({ "reason": "DUPLICATE" });
    for (line, code) in
        [(PENDING_LINE, "LINE_NOT_IN_PAYOUT"), (EXPECTED_LINE, "IDEMPOTENCY_KEY_REUSED")]
    {
        let path = format!("commission-lines/{line}/decline");
        assert_eq!(keyed(&server, "d", &path, &decline).await.code(), code);
    }
    // Another operation has keys of its own.
    assert_eq!(keyed(&server, "k", "payout-batches", &may(None)).await.status, 201);
}

#[tokio::test]
async fn refusals_of_the_work_are_kept_and_those_before_it_are_not() {
    let server = TestServer::start().await;
    let unknown = line(NO_PARTNER, "4.00");
    let first = keyed(&server, "k", "commission-lines", &unknown).await;
    assert_eq!(first.code(), "INVALID_REFERENCE");
    let again = keyed(&server, "k", "commission-lines", &unknown).await;
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
    assert_eq!(again.text, first.text);
    let zero = line(NORDWIND, "0.00");
    assert_eq!(keyed(&server, "z", "commission-lines", &zero).await.code(), "VALIDATION_FAILED");
    let sound = line(NORDWIND, "1.00");
    assert_eq!(keyed(&server, "z", "commission-lines", &sound).await.status, 201);
    let decline = json!({ "reason": "DUPLICATE" });
    let path = format!("commission-lines/{NO_LINE}/decline");
    assert_eq!(keyed(&server, "n", &path, &decline).await.status, 404);
    let again = keyed(&server, "n", &path, &decline).await;
    assert_eq!((again.status.as_u16(), again.header("idempotent-replayed")), (404, Some("true")));
}

#[tokio::test]
async fn request_that_is_not_admitted_changes_nothing_and_keeps_nothing() {
    let server = TestServer::start().await;
    let partner = new_partner(&server).await;
    let body = line(&partner, "4.00");
    for (minute, credits, status) in [(1000, Some(0), 402), (1, None, 429), (1000, None, 201)] {
        operator::set_limits(&server, MAIN, minute, credits).await;
        let response = keyed(&server, "k", "commission-lines", &body).await;
        assert_eq!(response.status, status);
        assert_eq!(response.header("idempotent-replayed"), None);
    }
    assert_eq!(lines_of(&server, &partner).await, 1);
}

#[tokio::test]
async fn response_is_repeated_for_24_hours() {
    let server = TestServer::start().await;
    server.database.set_clock("2026-06-10T12:00:00.000Z").await.unwrap();
    let body = line(NORDWIND, "4.00");
    let first = id(&keyed(&server, "k", "commission-lines", &body).await.body);
    server.database.set_clock("2026-06-11T11:59:59.999Z").await.unwrap();
    assert_eq!(id(&keyed(&server, "k", "commission-lines", &body).await.body), first);
    server.database.set_clock("2026-06-11T12:00:00.000Z").await.unwrap();
    let new = keyed(&server, "k", "commission-lines", &line(NORDWIND, "5.00")).await;
    assert_eq!((new.status.as_u16(), new.header("idempotent-replayed")), (201, None));
}

#[tokio::test]
async fn key_must_be_of_visible_characters_and_not_too_long() {
    let server = TestServer::start().await;
    let body = line(NORDWIND, "4.00");
    for (key, code) in [("", "TOO_SHORT"), ("a b", "BAD_FORMAT"), (&*"k".repeat(256), "TOO_LONG")] {
        let rejected = keyed(&server, key, "commission-lines", &body).await;
        assert_eq!(rejected.issues(), [format!("header /idempotency-key {code}")]);
    }
    assert_eq!(keyed(&server, &"k".repeat(255), "commission-lines", &body).await.status, 201);
}

#[tokio::test]
async fn failure_of_the_server_is_not_kept() {
    let server = TestServer::start().await;
    let superuser = server.superuser().await;
    let trigger = "CREATE FUNCTION payout.fail() RETURNS trigger LANGUAGE plpgsql
                   AS $$ BEGIN RAISE EXCEPTION 'a defect'; END $$;
                   CREATE TRIGGER fail BEFORE INSERT ON payout.commission_lines
                   FOR EACH ROW EXECUTE FUNCTION payout.fail()";
    sqlx::raw_sql(trigger).execute(&superuser).await.unwrap();
    let body = line(NORDWIND, "4.00");
    assert_eq!(keyed(&server, "k", "commission-lines", &body).await.status, 500);
    let repaired = "DROP TRIGGER fail ON payout.commission_lines";
    sqlx::raw_sql(repaired).execute(&superuser).await.unwrap();
    let again = keyed(&server, "k", "commission-lines", &body).await;
    assert_eq!((again.status.as_u16(), again.header("idempotent-replayed")), (201, None));
}

#[tokio::test]
async fn body_is_the_same_where_it_is_the_same_json_value() {
    let server = TestServer::start().await;
    let send = |body: &str| {
        let request = server.post(Key::MAIN, "/api/v1/partners").header(KEY, "k");
        request.header("content-type", "application/json").body(body.to_owned()).send()
    };
    let first = send(r#"{"name": "Caf\u00e9", "domain": "cafe.example"}"#).await;
    assert_eq!(first.status, 201);
    let again = send("{ \"domain\":\"cafe.example\",\n\"name\":\"Caf\u{e9}\" }").await;
    assert_eq!((again.header("idempotent-replayed"), &again.text), (Some("true"), &first.text));
    let other = send(r#"{"name": "Cafe", "domain": "cafe.example"}"#).await;
    assert_eq!(other.code(), "IDEMPOTENCY_KEY_REUSED");
}

#[tokio::test]
async fn response_that_a_server_of_the_version_before_kept_is_repeated() {
    let server = TestServer::start().await;
    let body = line(NORDWIND, "4.00");
    let first = keyed(&server, "k", "commission-lines", &body).await;
    let before = "UPDATE payout.idempotent_requests SET value_hash = NULL";
    sqlx::query(before).execute(&server.superuser().await).await.unwrap();
    let again = keyed(&server, "k", "commission-lines", &body).await;
    assert_eq!((again.header("idempotent-replayed"), &again.text), (Some("true"), &first.text));
    let other = keyed(&server, "k", "commission-lines", &line(NORDWIND, "5.00")).await;
    assert_eq!(other.code(), "IDEMPOTENCY_KEY_REUSED");
}

#[tokio::test]
async fn path_is_the_same_after_decoding() {
    let server = TestServer::start().await;
    let body = json!({ "reason": "DUPLICATE" });
    let path = format!("commission-lines/{PENDING_LINE}/decline");
    let first = keyed(&server, "k", &path, &body).await;
    assert_eq!(first.code(), "LINE_NOT_IN_PAYOUT");
    let again = keyed(&server, "k", &path.replace("cln", "%63ln"), &body).await;
    assert_eq!((again.header("idempotent-replayed"), &again.text), (Some("true"), &first.text));
}

#[tokio::test]
async fn detach_is_done_once_for_a_key_and_ignores_the_body() {
    let server = TestServer::start().await;
    let detach = |line: &str, body: &'static str| {
        server.detach(line).header(KEY, "k").header("content-type", "text/plain").body(body).send()
    };
    let first = detach(DETACHABLE, "").await;
    assert_eq!((first.status.as_u16(), first.header("idempotent-replayed")), (200, None));
    let again = detach(DETACHABLE, "ignored").await;
    assert_eq!((again.header("idempotent-replayed"), &again.text), (Some("true"), &first.text));
    let without_key = server.detach(DETACHABLE).expect(422).await;
    assert_eq!(without_key.code(), "LINE_NOT_IN_PAYOUT");
    assert_eq!(detach(CLAW_BACK, "").await.code(), "IDEMPOTENCY_KEY_REUSED");
}
