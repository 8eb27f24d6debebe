//! X6–X8: lines are created, read, changed and declined, and their payout's amount follows.

use serde_json::{Value, json};

use super::{assert_consistent, get, id, line, may, new_partner, patch, post};
use crate::support::{TestServer, dataset::*, operator};

/// A draft of a new partner with lines of these amounts, and the lines' ids.
async fn draft(server: &TestServer, amounts: &[&str]) -> (String, String, Vec<String>) {
    let partner = new_partner(server).await;
    let payout = id(&post(server, "payouts", &may(Some(&partner))).expect(201).await.body);
    let mut lines = Vec::new();
    for amount in amounts {
        let mut body = line(&partner, amount);
        body["payoutId"] = json!(payout);
        let made = post(server, "commission-lines", &body).expect(201).await;
        assert_eq!(made.body["data"]["status"], "IN_PAYOUT");
        lines.push(id(&made.body));
    }
    (partner, payout, lines)
}

async fn payout_of(server: &TestServer, payout: &str) -> (String, String) {
    let payout = get(server, &format!("payouts/{payout}")).await;
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    (text(&payout["amount"]["value"]), text(&payout["stage"]))
}

#[tokio::test]
async fn new_line_waits_in_the_pending_pool_with_its_defaults() {
    let server = TestServer::start().await;
    let body = json!({
        "partnerId": NORDWIND, "amount": "-1.50", "currency": "EUR", "description": "Claw-back",
    });
    let made = post(&server, "commission-lines", &body).expect(201).await;
    let data = &made.body["data"];
    assert_eq!(data["status"], "PENDING");
    assert_eq!(data["payoutId"], Value::Null);
    assert_eq!((&data["sourceAmount"], &data["planName"]), (&json!("0.00"), &json!("")));
    assert_eq!(data["periodEnd"], data["createdAt"]);
    assert_eq!(get(&server, &format!("commission-lines/{}", id(&made.body))).await, *data);
    let rows = operator::history(&server.superuser().await, &id(&made.body)).await;
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0].action, "create_commission_line");
}

#[tokio::test]
async fn known_idempotency_key_gets_the_line_as_it_is_now() {
    let server = TestServer::start().await;
    let mut body = line(NORDWIND, "9.00");
    body["idempotencyKey"] = json!("order-9");
    let made = post(&server, "commission-lines", &body).expect(201).await;
    let path = format!("commission-lines/{}", id(&made.body));
    let changed = patch(&server, &path, json!({ "amount": "8.00" })).expect(200).await;
    body["partnerId"] = json!(NO_PARTNER);
    let again = post(&server, "commission-lines", &body).expect(200).await;
    assert_eq!(again.body, changed.body);
}

#[tokio::test]
async fn line_cannot_be_created_where_it_does_not_belong() {
    let server = TestServer::start().await;
    let (partner, payout, _) = draft(&server, &["1.00"]).await;
    let rejected = |changes: Value| {
        let mut body = line(&partner, "2.00");
        body["payoutId"] = json!(payout);
        for (name, value) in changes.as_object().unwrap() {
            body[name] = value.clone();
        }
        let request = post(&server, "commission-lines", &body);
        async move { request.expect(422).await }
    };
    let unknown = rejected(json!({ "partnerId": NO_PARTNER, "payoutId": FOREIGN_PAYOUT })).await;
    let both = ["body /partnerId INVALID_REFERENCE", "body /payoutId INVALID_REFERENCE"];
    assert_eq!(unknown.issues(), both);
    assert_eq!(rejected(json!({ "partnerId": NORDWIND })).await.code(), "PARTNER_MISMATCH");
    assert_eq!(rejected(json!({ "currency": "USD" })).await.code(), "CURRENCY_MISMATCH");
    assert_eq!(rejected(json!({ "amount": "0.00" })).await.issues(), ["body /amount ZERO"]);
    patch(&server, &format!("payouts/{payout}"), json!({ "stage": "POSTPONED" })).expect(200).await;
    let locked = rejected(json!({})).await;
    assert_eq!(locked.code(), "PAYOUT_LOCKED");
    assert_eq!(locked.body["error"]["details"], json!({ "stage": "POSTPONED" }));
    assert_eq!(payout_of(&server, &payout).await.0, "1.00");
}

#[tokio::test]
async fn changed_line_changes_its_payout_and_its_statement() {
    let server = TestServer::start().await;
    let (_, payout, lines) = draft(&server, &["10.00", "0.50"]).await;
    let first = server.statement(&payout).expect(200).await;
    let path = format!("commission-lines/{}", lines[0]);
    let changed = patch(&server, &path, json!({ "amount": "-4.25" })).expect(200).await;
    assert_eq!(changed.body["data"]["amount"], "-4.25");
    assert_eq!(payout_of(&server, &payout).await.0, "-3.75");
    let second = server.statement(&payout).expect(200).await;
    assert_ne!(second.body["data"]["assetId"], first.body["data"]["assetId"]);
    patch(&server, &path, json!({ "amount": "10.00" })).expect(200).await;
    let third = server.statement(&payout).expect(200).await;
    assert_eq!(third.body["data"]["assetId"], first.body["data"]["assetId"]);
    assert_consistent(&server).await;
}

#[tokio::test]
async fn line_that_is_voided_or_paid_or_of_another_currency_cannot_be_changed() {
    let server = TestServer::start().await;
    let (_, payout, lines) = draft(&server, &["10.00"]).await;
    let path = format!("commission-lines/{}", lines[0]);
    let dollars = patch(&server, &path, json!({ "currency": "USD" })).expect(422).await;
    assert_eq!(dollars.code(), "CURRENCY_MISMATCH");
    for stage in ["APPROVED", "PAID"] {
        patch(&server, &format!("payouts/{payout}"), json!({ "stage": stage })).expect(200).await;
    }
    let locked = patch(&server, &path, json!({ "amount": "1.00" })).expect(422).await;
    assert_eq!(locked.code(), "LINE_LOCKED");
    let details = json!({ "status": "IN_PAYOUT", "payoutId": payout, "stage": "PAID" });
    assert_eq!(locked.body["error"]["details"], details);
    let declined = json!({ "reason": "DUPLICATE" });
    let locked = post(&server, &format!("{path}/decline"), &declined).expect(422).await;
    assert_eq!((locked.code(), &locked.body["error"]["details"]), ("LINE_LOCKED", &details));
    assert!(locked.text.contains("cannot be declined"), "{}", locked.text);
    let voided = format!("commission-lines/{VOIDED_LINE}");
    let rejected = patch(&server, &voided, json!({ "planName": "x" })).expect(422).await;
    assert_eq!(rejected.code(), "LINE_VOIDED");
}

#[tokio::test]
async fn update_with_equal_values_is_200_on_a_voided_or_locked_line() {
    let server = TestServer::start().await;
    for line in [VOIDED_LINE, DETACHABLE] {
        let path = format!("commission-lines/{line}");
        let before = super::get(&server, &path).await;
        for body in
            [json!({}), json!({ "amount": before["amount"], "planName": before["planName"] })]
        {
            let updated = patch(&server, &path, body).expect(200).await;
            assert_eq!(updated.body["data"], before);
        }
    }
}

#[tokio::test]
async fn line_of_a_payout_that_is_being_paid_is_locked() {
    let server = TestServer::start().await;
    let (_, payout, lines) = draft(&server, &["10.00"]).await;
    let path = format!("commission-lines/{}", lines[0]);
    for (stage, is_locked) in [
        ("APPROVED", false),
        ("SCHEDULED", true),
        ("PENDING_PAYMENT", true),
        ("PAID", true),
        ("FAILED", false),
    ] {
        patch(&server, &format!("payouts/{payout}"), json!({ "stage": stage })).expect(200).await;
        let changed = patch(&server, &path, json!({ "planName": stage })).send().await;
        assert_eq!(changed.status, if is_locked { 422 } else { 200 }, "{stage}");
        if is_locked {
            assert_eq!(changed.code(), "LINE_LOCKED", "{stage}");
            let decline = json!({ "reason": "DUPLICATE" });
            let declined = post(&server, &format!("{path}/decline"), &decline).expect(422).await;
            assert_eq!(declined.body["error"]["details"]["stage"], stage);
        }
    }
}

#[tokio::test]
async fn declined_line_leaves_its_payout_and_the_last_one_declines_it() {
    let server = TestServer::start().await;
    let (_, payout, lines) = draft(&server, &["10.00", "2.00"]).await;
    let decline =
        |line: &str, body: Value| post(&server, &format!("commission-lines/{line}/decline"), &body);
    let custom = decline(&lines[0], json!({ "reason": "CUSTOM" })).expect(422).await;
    assert_eq!(custom.issues(), ["body /note REQUIRED"]);
    let body = json!({ "reason": "CUSTOM", "note": "Returned." });
    let declined = decline(&lines[0], body.clone()).expect(200).await;
    assert_eq!(declined.body["data"]["status"], "VOIDED");
    assert_eq!(declined.body["data"]["payoutId"], Value::Null);
    assert_eq!(payout_of(&server, &payout).await, ("2.00".to_owned(), "DRAFT".to_owned()));
    let rows = operator::history(&server.superuser().await, &lines[0]).await;
    let after = rows.last().unwrap().after.as_ref().unwrap();
    assert_eq!((&after["reason"], &after["note"]), (&body["reason"], &body["note"]));
    decline(&lines[1], json!({ "reason": "DUPLICATE" })).expect(200).await;
    assert_eq!(payout_of(&server, &payout).await, ("0.00".to_owned(), "DECLINED".to_owned()));
    let rows = operator::history(&server.superuser().await, &payout).await;
    assert_eq!(rows.last().unwrap().action, "update_payout");
    let again = decline(&lines[1], json!({ "reason": "DUPLICATE" })).expect(422).await;
    assert_eq!(again.code(), "LINE_NOT_IN_PAYOUT");
    assert_eq!(again.body["error"]["details"], json!({ "status": "VOIDED" }));
    assert_consistent(&server).await;
}

#[tokio::test]
async fn negative_zero_is_no_amount() {
    let server = TestServer::start().await;
    let mut body = line(NORDWIND, "-0.00");
    body["sourceAmount"] = json!("-0.00");
    let rejected = post(&server, "commission-lines", &body).expect(422).await;
    assert_eq!(rejected.issues(), ["body /amount BAD_FORMAT", "body /sourceAmount BAD_FORMAT"]);
}
