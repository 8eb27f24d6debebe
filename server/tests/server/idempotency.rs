//! X9: idempotency keys over a day, across an upgrade and beside failures, and requests in another
//! spelling. The suite sees neither clock nor failure, and writes each body in one way.

use serde_json::Value;

use crate::support::{
    Key, TestResponse, TestServer,
    commission::{id, line, new_partner, post},
    dataset::*,
    operator,
};

const LINES: &str = "commission-lines";

/// Creates a line with the key `k`.
async fn keyed(server: &TestServer, body: &Value) -> TestResponse {
    post(server, LINES, body).header("idempotency-key", "k").send().await
}

fn is_repeated(response: &TestResponse) -> bool {
    response.header("idempotent-replayed") == Some("true")
}

#[tokio::test]
async fn request_that_is_not_admitted_changes_nothing_and_keeps_nothing() {
    let server = TestServer::start().await;
    let partner = new_partner(&server).await;
    let body = line(&partner, "4.00");
    for (minute, credits, status) in [(1000, Some(0), 402), (1, None, 429), (1000, None, 201)] {
        operator::set_limits(&server, MAIN, minute, credits).await;
        let response = keyed(&server, &body).await;
        assert_eq!(response.status, status);
        assert!(!is_repeated(&response));
    }
    let path = format!("/api/v1/{LINES}?partnerId={partner}");
    assert_eq!(server.get(Key::MAIN, &path).expect(200).await.ids().len(), 1);
}

#[tokio::test]
async fn response_is_repeated_for_24_hours() {
    let server = TestServer::start().await;
    server.database.set_clock("2026-06-10T12:00:00.000Z").await.unwrap();
    let body = line(NORDWIND, "4.00");
    let first = id(&keyed(&server, &body).await.body);
    server.database.set_clock("2026-06-11T11:59:59.999Z").await.unwrap();
    assert_eq!(id(&keyed(&server, &body).await.body), first);
    server.database.set_clock("2026-06-11T12:00:00.000Z").await.unwrap();
    let new = keyed(&server, &line(NORDWIND, "5.00")).await;
    assert_eq!((new.status.as_u16(), is_repeated(&new)), (201, false));
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
    assert_eq!(keyed(&server, &body).await.status, 500);
    let repaired = "DROP TRIGGER fail ON payout.commission_lines";
    sqlx::raw_sql(repaired).execute(&superuser).await.unwrap();
    let again = keyed(&server, &body).await;
    assert_eq!((again.status.as_u16(), is_repeated(&again)), (201, false));
}

#[tokio::test]
async fn response_that_a_server_of_the_version_before_kept_is_repeated() {
    let server = TestServer::start().await;
    let body = line(NORDWIND, "4.00");
    let first = keyed(&server, &body).await;
    let before = "UPDATE payout.idempotent_requests SET value_hash = NULL";
    sqlx::query(before).execute(&server.superuser().await).await.unwrap();
    let again = keyed(&server, &body).await;
    assert_eq!((is_repeated(&again), &again.text), (true, &first.text));
    let other = keyed(&server, &line(NORDWIND, "5.00")).await;
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
    let path = format!("/api/v1/{LINES}/{PENDING_LINE}/decline");
    let encoded = path.replace("cln", "%63ln");
    let reason = r#"{"reason": "DUPLICATE"}"#;
    for [(path, body), (other_path, other_body)] in [
        [("/api/v1/partners", escaped), ("/api/v1/partners", plain)],
        [(&path, reason), (&encoded, reason)],
    ] {
        let response = send(path, body).await;
        let again = send(other_path, other_body).await;
        assert_eq!((is_repeated(&again), &again.text), (true, &response.text), "{other_path}");
    }
}
