//! §4.6: get a payout.

use insta::assert_json_snapshot;

use crate::support::{Key, TestServer};

/// The payout with a note and a PO number.
const PAYOUT: &str = "pay_01JV3N8Q5R0000000000000001";

#[tokio::test]
async fn get_payout_answers_every_field() {
    let server = TestServer::start().await;
    let answer = server
        .get(Key::MAIN, &format!("/api/v1/payouts/{PAYOUT}"))
        .expect(200)
        .await;
    assert_json_snapshot!("get_payout_answers_every_field", answer.body);
}

#[tokio::test]
async fn get_payout_answers_a_foreign_payout_like_an_absent_one() {
    let server = TestServer::start().await;
    let foreign = server
        .get(Key::OTHER, &format!("/api/v1/payouts/{PAYOUT}"))
        .expect(404)
        .await;
    let absent = server
        .get(Key::OTHER, "/api/v1/payouts/pay_01JV3N8Q5RZZZZZZZZZZZZZZZZ")
        .expect(404)
        .await;
    assert_eq!(foreign.text, absent.text);
    assert_eq!(foreign.code(), "NOT_FOUND");
}
