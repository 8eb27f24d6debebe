//! X8: which lines can be declined, and which payouts their last line declines.

use serde_json::{Value, json};

use super::{assert_consistent, get, line, may, new_partner, post};
use crate::support::{TestServer, dataset::*, operator};

fn decline(server: &TestServer, line: &str) -> crate::support::TestRequest {
    let path = format!("commission-lines/{line}/decline");
    post(server, &path, &json!({ "reason": "DUPLICATE" }))
}

#[tokio::test]
async fn line_in_no_payout_cannot_be_declined() {
    let server = TestServer::start().await;
    for (line, status) in
        [(PENDING_LINE, "PENDING"), (EXPECTED_LINE, "EXPECTED"), (VOIDED_LINE, "VOIDED")]
    {
        let rejected = decline(&server, line).expect(422).await;
        assert_eq!(rejected.code(), "LINE_NOT_IN_PAYOUT");
        assert_eq!(rejected.body["error"]["details"], json!({ "status": status }));
        let path = format!("commission-lines/{line}");
        assert_eq!(get(&server, &path).await["status"], status);
    }
}

#[tokio::test]
async fn last_line_declines_its_payout_exactly_where_the_stage_allows_that() {
    let server = TestServer::start().await;
    let superuser = server.superuser().await;
    let last_lines = [
        ("1", ONE_LINE, "PENDING_REVIEW", "DECLINED"),
        ("1K", "pay_01JV3N8Q5R0000000000000008", "DECLINED", "DECLINED"),
        ("1M", "pay_01JV3N8Q5R0000000000000009", "POSTPONED", "POSTPONED"),
        ("1N", "pay_01JV3N8Q5R000000000000000A", "BLOCKED", "DECLINED"),
        ("1P", "pay_01JV3N8Q5R000000000000000B", "FAILED", "DECLINED"),
        ("40", "pay_01JV3N8Q5R000000000000000E", "APPROVED", "DECLINED"),
    ];
    for (line, payout, before, after) in last_lines {
        let path = format!("payouts/{payout}");
        assert_eq!(get(&server, &path).await["stage"], before);
        decline(&server, &format!("cln_01JV3N8Q5R{line:0>16}")).expect(200).await;
        let now = get(&server, &path).await;
        assert_eq!((&now["stage"], &now["amount"]["value"]), (&json!(after), &json!("0.00")));
        let rows = operator::history(&superuser, payout).await;
        let changes: Vec<_> = rows.iter().map(|row| (&row.before, &row.after)).collect();
        let change = (Some(json!({ "stage": before })), Some(json!({ "stage": after })));
        let expected = if before == after { vec![] } else { vec![(&change.0, &change.1)] };
        assert_eq!(changes, expected, "{before}");
    }
    let locked = decline(&server, "cln_01JV3N8Q5R000000000000001D").expect(422).await;
    assert_eq!(locked.code(), "LINE_LOCKED", "it is SCHEDULED");
    assert_consistent(&server).await;
}

#[tokio::test]
async fn declined_line_leaves_one_row_with_reason_and_note() {
    let server = TestServer::start().await;
    let superuser = server.superuser().await;
    let response = decline(&server, CLAW_BACK).expect(200).await;
    let rows = operator::history(&superuser, CLAW_BACK).await;
    let [row] = rows.as_slice() else {
        panic!("one row: {rows:?}");
    };
    assert_eq!(row.request_id.as_deref(), response.header("x-request-id"));
    assert_eq!(row.action, "decline_commission_line");
    assert_eq!(row.before, Some(json!({ "status": "IN_PAYOUT", "payoutId": NEGATIVE })));
    let after =
        json!({ "status": "VOIDED", "payoutId": null, "reason": "DUPLICATE", "note": null });
    assert_eq!(row.after, Some(after));
    let payout = get(&server, &format!("payouts/{NEGATIVE}")).await;
    assert_eq!(payout["amount"]["value"], "50.00");
    assert_eq!(payout["stage"], "PENDING_INVOICE", "it has another line");
}

#[tokio::test]
async fn line_that_a_payout_took_from_the_pool_can_be_declined() {
    let server = TestServer::start().await;
    let partner = new_partner(&server).await;
    let made = post(&server, "commission-lines", &line(&partner, "4.00")).expect(201).await;
    let mut body = may(Some(&partner));
    body["attachPendingLines"] = json!(true);
    let payout = post(&server, "payouts", &body).expect(201).await;
    assert_eq!(payout.body["data"]["amount"]["value"], "4.00");
    let declined = decline(&server, &super::id(&made.body)).expect(200).await;
    assert_eq!(declined.body["data"]["payoutId"], Value::Null);
    assert_consistent(&server).await;
}
