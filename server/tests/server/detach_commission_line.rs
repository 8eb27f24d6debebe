//! §3.1, §4.5, R11: detach a commission line from its payout.

use crate::support::{Key, TestServer, dataset::*, snapshot};

async fn amount(server: &TestServer, payout: &str) -> String {
    let response = server.get(Key::MAIN, &format!("/api/v1/payouts/{payout}")).expect(200).await;
    response.body["data"]["amount"]["value"].as_str().unwrap().to_owned()
}

async fn lines(server: &TestServer, query: &str) -> Vec<String> {
    let path = format!("/api/v1/commission-lines?limit=100&{query}");
    server.get(Key::MAIN, &path).expect(200).await.ids()
}

#[tokio::test]
async fn detach_returns_the_line_to_the_pending_pool() {
    let server = TestServer::start().await;
    let response = server.detach(ITS_LINE).expect(200).await;
    snapshot("detach_commission_line", "with_idempotency_key", &response);
    assert!(lines(&server, "status=PENDING").await.contains(&ITS_LINE.to_owned()));
    assert!(lines(&server, &format!("payoutId={ONE_LINE}")).await.is_empty());
    let response = server.detach(CLAW_BACK).expect(200).await;
    snapshot("detach_commission_line", "without_idempotency_key", &response);
}

#[tokio::test]
async fn detach_lowers_the_payout_by_the_line() {
    let server = TestServer::start().await;
    server.detach(DETACHABLE).expect(200).await;
    assert_eq!(amount(&server, TO_DETACH).await, "72.15");
    server.detach(ITS_LINE).expect(200).await;
    assert_eq!(amount(&server, ONE_LINE).await, "0.00");
    server.detach(CLAW_BACK).expect(200).await;
    assert_eq!(amount(&server, NEGATIVE).await, "50.00", "without its claw-back it is more");
    server.detach("cln_01JV3N8Q5R000000000000001D").expect(200).await;
    assert_eq!(amount(&server, HUGE).await, "0.00");
}

#[tokio::test]
async fn detach_moves_the_times_of_line_and_payout() {
    let server = TestServer::start().await;
    let response = server.detach(ITS_LINE).expect(200).await;
    assert_eq!(response.body["data"]["updatedAt"], "2026-06-15T12:00:00.000Z");
    assert_eq!(response.body["data"]["createdAt"], "2026-05-20T09:00:00.000Z");
    let payout = server.get(Key::MAIN, &format!("/api/v1/payouts/{ONE_LINE}")).expect(200).await;
    assert_eq!(payout.body["data"]["updatedAt"], "2026-06-15T12:00:00.000Z");
    assert_eq!(payout.body["data"]["stage"], "PENDING_REVIEW", "the stage stays");
}

#[tokio::test]
async fn detach_rejects_a_line_that_is_detached_already() {
    let server = TestServer::start().await;
    server.detach(DETACHABLE).expect(200).await;
    let response = server.detach(DETACHABLE).expect(422).await;
    snapshot("detach_commission_line", "not_in_payout", &response);
    assert_eq!(amount(&server, TO_DETACH).await, "72.15", "once is enough");
}

#[tokio::test]
async fn detach_rejects_a_line_of_every_other_status_and_leaves_it() {
    let server = TestServer::start().await;
    for (line, status) in
        [(PENDING_LINE, "PENDING"), (EXPECTED_LINE, "EXPECTED"), (VOIDED_LINE, "VOIDED")]
    {
        let before = lines(&server, &format!("status={status}")).await;
        let response = server.detach(line).expect(422).await;
        assert_eq!(response.code(), "LINE_NOT_IN_PAYOUT");
        assert_eq!(lines(&server, &format!("status={status}")).await, before);
    }
}

#[tokio::test]
async fn detach_asks_for_no_stage_of_the_payout() {
    let server = TestServer::start().await;
    for last in "EGKMNP".chars() {
        let line = format!("cln_01JV3N8Q5R000000000000001{last}");
        let response = server.detach(&line).expect(200).await;
        assert_eq!(response.body["data"]["status"], "PENDING");
        assert!(response.body["data"]["payoutId"].is_null());
    }
}

#[tokio::test]
async fn detach_answers_a_foreign_line_like_an_absent_one() {
    let server = TestServer::start().await;
    let foreign = server.detach(FOREIGN_LINE).expect(404).await;
    let absent = server.detach(NO_LINE).expect(404).await;
    assert_eq!(foreign.text, absent.text);
    snapshot("detach_commission_line", "absent", &absent);
    let path = format!("/api/v1/commission-lines/{FOREIGN_LINE}/detach");
    server.post(Key::OTHER, &path).expect(200).await;
}

#[tokio::test]
async fn detach_knows_no_other_name_of_a_line() {
    let server = TestServer::start().await;
    server.detach("order-1001").expect(404).await;
    server.detach(ONE_LINE).expect(404).await;
    server.detach(&ITS_LINE.to_lowercase()).expect(404).await;
    assert_eq!(amount(&server, ONE_LINE).await, "1234.50");
}

#[tokio::test]
async fn detach_ignores_a_body() {
    let server = TestServer::start().await;
    let bodies = ["{}", "{\"status\":\"VOIDED\"}", "{broken", "\0", "[[[[[[[[[[[[[[[[[[[["];
    for (last, body) in "QRSTV".chars().zip(bodies) {
        let line = format!("cln_01JV3N8Q5R000000000000001{last}");
        let response = server.detach(&line).body(body).expect(200).await;
        assert_eq!(response.body["data"]["status"], "PENDING");
    }
    let whole = server.detach("cln_01JV3N8Q5R000000000000001W").body("x".repeat(64 * 1024));
    whole.expect(200).await;
    let beyond = server.detach("cln_01JV3N8Q5R000000000000001X").body("x".repeat(64 * 1024 + 1));
    beyond.expect(413).await;
}
