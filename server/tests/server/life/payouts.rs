//! X2, X3: payouts are created and listed.

use serde_json::{Value, json};

use super::{assert_consistent, get, id, line, may, new_partner, post};
use crate::support::{Key, TestServer, dataset::*, operator};

#[tokio::test]
async fn new_payout_is_an_empty_draft_in_a_batch_of_its_own() {
    let server = TestServer::start().await;
    let mut body = may(Some(NORDWIND));
    body["poNumber"] = json!("PO-7");
    body["metadata"] = json!({ "statementNote": "Thank you." });
    let made = post(&server, "payouts", &body).expect(201).await;
    let data = &made.body["data"];
    assert_eq!(data["partner"]["id"], NORDWIND);
    assert_eq!(data["stage"], "DRAFT");
    assert_eq!(data["amount"], json!({ "value": "0.00", "currency": "EUR" }));
    assert_eq!((&data["poNumber"], &data["metadata"]), (&body["poNumber"], &body["metadata"]));
    assert_eq!(get(&server, &format!("payouts/{}", id(&made.body))).await, *data);
    let another = post(&server, "payouts", &body).expect(201).await;
    assert_ne!(another.body["data"]["batchId"], data["batchId"]);
    let rows = operator::history(&server.superuser().await, &id(&made.body)).await;
    assert_eq!(rows.len(), 1, "{rows:?}");
    assert_eq!(rows[0].action, "create_payout");
}

#[tokio::test]
async fn payout_takes_the_pending_lines_of_its_partner_currency_and_period() {
    let server = TestServer::start().await;
    let partner = new_partner(&server).await;
    let mut dollars = line(&partner, "5.00");
    dollars["currency"] = json!("USD");
    let mut june = line(&partner, "6.00");
    june["periodEnd"] = json!("2026-06-01T00:00:00.000Z");
    for body in [line(&partner, "10.00"), line(&partner, "-2.50"), dollars, june] {
        post(&server, "commission-lines", &body).expect(201).await;
    }
    let mut body = may(Some(&partner));
    body["attachPendingLines"] = json!(true);
    let made = post(&server, "payouts", &body).expect(201).await;
    assert_eq!(made.body["data"]["amount"]["value"], "7.50");
    let path = format!("commission-lines?payoutId={}", id(&made.body));
    let taken = get(&server, &path).await;
    let amounts: Vec<&Value> =
        taken.as_array().unwrap().iter().map(|line| &line["amount"]).collect();
    assert_eq!(amounts, ["-2.50", "10.00"]);
    let left = get(&server, &format!("commission-lines?partnerId={partner}&status=PENDING")).await;
    assert_eq!(left.as_array().unwrap().len(), 2);
    assert_consistent(&server).await;
}

#[tokio::test]
async fn batch_has_one_payout_for_each_partner_and_currency() {
    let server = TestServer::start().await;
    let batch = id(&post(&server, "payout-batches", &may(None)).expect(201).await.body);
    let partner = new_partner(&server).await;
    let mut body = may(Some(&partner));
    body["batchId"] = json!(batch);
    let made = post(&server, "payouts", &body).expect(201).await;
    assert_eq!(made.body["data"]["batchId"], json!(batch));
    post(&server, "commission-lines", &line(&partner, "1.00")).expect(201).await;
    body["attachPendingLines"] = json!(true);
    let again = post(&server, "payouts", &body).expect(200).await;
    assert_eq!(again.body, made.body, "unchanged, and it takes no line");
    body["currency"] = json!("USD");
    post(&server, "payouts", &body).expect(201).await;
}

#[tokio::test]
async fn history_has_all_of_a_new_payout_and_of_its_own_batch() {
    let server = TestServer::start().await;
    let superuser = server.superuser().await;
    let mut body = may(Some(NORDWIND));
    body["poNumber"] = json!("PO-1");
    body["metadata"] = json!({ "statementNote": "Thank you." });
    let made = post(&server, "payouts", &body).expect(201).await;
    let data = &made.body["data"];
    let rows = operator::history(&superuser, data["id"].as_str().unwrap()).await;
    let after = json!({
        "partnerId": NORDWIND, "batchId": data["batchId"], "periodStart": body["periodStart"],
        "periodEnd": body["periodEnd"], "amount": "0.00", "currency": "EUR", "stage": "DRAFT",
        "poNumber": "PO-1", "metadata": body["metadata"],
    });
    assert_eq!(rows.last().unwrap().after, Some(after));
    let rows = operator::history(&superuser, data["batchId"].as_str().unwrap()).await;
    let [row] = rows.as_slice() else {
        panic!("one row: {rows:?}");
    };
    assert_eq!((row.action.as_str(), &row.before), ("create_payout_batch", &None));
    let after = json!({
        "periodStart": body["periodStart"], "periodEnd": body["periodEnd"],
        "payoutCount": 1, "lineCount": 0,
    });
    assert_eq!(row.after, Some(after));
}

#[tokio::test]
async fn currency_is_a_current_code_of_iso_4217_and_a_period_any_time_of_rfc_3339() {
    let server = TestServer::start().await;
    let mut body = may(Some(NORDWIND));
    for currency in ["ABC", "DEM", "XXX", "XTS", "eur", "EURO"] {
        body["currency"] = json!(currency);
        let rejected = post(&server, "payouts", &body).expect(422).await;
        assert_eq!(rejected.issues(), ["body /currency BAD_FORMAT"], "{currency}");
        assert!(
            rejected.text.contains("ISO 4217") && !rejected.text.contains("AED|"),
            "{currency}"
        );
    }
    body["currency"] = json!("CHF");
    body["periodStart"] = json!("2026-05-01T00:00:00+02:00");
    body["periodEnd"] = json!("2026-05-31T23:59:59.9999999Z");
    let made = post(&server, "payouts", &body).expect(201).await;
    assert_eq!(made.body["data"]["periodStart"], "2026-04-30T22:00:00.000Z");
    assert_eq!(made.body["data"]["periodEnd"], "2026-05-31T23:59:59.999Z");
    // 23 and 22 o'clock in UTC.
    body["periodStart"] = json!("2026-05-31T23:00:00Z");
    body["periodEnd"] = json!("2026-06-01T00:00:00+02:00");
    let rejected = post(&server, "payouts", &body).expect(422).await;
    assert_eq!(rejected.issues(), ["body /periodEnd TOO_SMALL"]);
}

#[tokio::test]
async fn all_unknown_references_of_a_payout_are_reported() {
    let server = TestServer::start().await;
    let mut body = may(Some(FOREIGN_PARTNER));
    body["batchId"] = json!("pbt_01JV3N8Q5RZZZZZZZZZZZZZZZZ");
    let rejected = post(&server, "payouts", &body).expect(422).await;
    assert_eq!(rejected.code(), "INVALID_REFERENCE");
    let both = ["body /partnerId INVALID_REFERENCE", "body /batchId INVALID_REFERENCE"];
    assert_eq!(rejected.issues(), both);
}

#[tokio::test]
async fn period_must_end_after_its_start() {
    let server = TestServer::start().await;
    for (path, partner) in [("payouts", Some(NORDWIND)), ("payout-batches", None)] {
        let mut body = may(partner);
        body["periodEnd"] = body["periodStart"].clone();
        let rejected = post(&server, path, &body).expect(422).await;
        assert_eq!(rejected.code(), "VALIDATION_FAILED");
        assert_eq!(rejected.issues(), ["body /periodEnd TOO_SMALL"]);
    }
}

#[tokio::test]
async fn payouts_are_filtered_by_partner_batch_and_stage() {
    let server = TestServer::start().await;
    let all = get(&server, "payouts?limit=100").await;
    let all = all.as_array().unwrap();
    assert!(all.len() > 10);
    let filters = [("partnerId", "/partner/id"), ("batchId", "/batchId"), ("stage", "/stage")];
    let sample = &get(&server, &format!("payouts/{FORTY_ONE}")).await;
    for chosen in 1..8 {
        let chosen = filters.iter().enumerate().filter(|(bit, _)| chosen & (1 << bit) != 0);
        let chosen: Vec<_> = chosen.map(|(_, filter)| filter).collect();
        let query = chosen
            .iter()
            .map(|(name, at)| format!("&{name}={}", sample.pointer(at).unwrap().as_str().unwrap()));
        let listed = get(&server, &format!("payouts?limit=100{}", query.collect::<String>())).await;
        let expected = all
            .iter()
            .filter(|payout| chosen.iter().all(|(_, at)| payout.pointer(at) == sample.pointer(at)));
        assert_eq!(
            listed.as_array().unwrap().iter().collect::<Vec<_>>(),
            expected.collect::<Vec<_>>()
        );
    }
    for nothing in ["stage=UNKNOWN", "batchId=x", &format!("partnerId={FOREIGN_PARTNER}")] {
        let listed = server.get(Key::MAIN, &format!("/api/v1/payouts?{nothing}")).expect(200).await;
        assert!(listed.ids().is_empty(), "{nothing}");
    }
}
