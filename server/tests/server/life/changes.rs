//! X7, R2: what an update of a line changes and what it leaves alone, and how a line is read.

use serde_json::{Value, json};

use super::{assert_consistent, get, patch, post};
use crate::support::{Key, NOON, TestServer, dataset::*, operator};

/// The line of [`ONE_LINE`].
const PATH: &str = "commission-lines/cln_01JV3N8Q5R0000000000000001";

#[tokio::test]
async fn line_is_read_in_its_single_form_by_its_organisation_alone() {
    let server = TestServer::start().await;
    let line = get(&server, PATH).await;
    assert_eq!(line["idempotencyKey"], "order-1001");
    let listed = get(&server, &format!("commission-lines?payoutId={ONE_LINE}")).await;
    for (name, value) in listed[0].as_object().unwrap() {
        assert_eq!(&line[name], value, "{name}");
    }
    let read = |key, id| server.get(key, &format!("/api/v1/commission-lines/{id}"));
    let foreign = read(Key::MAIN, FOREIGN_LINE).expect(404).await;
    let absent = read(Key::MAIN, NO_LINE).expect(404).await;
    assert_eq!(foreign.text, absent.text);
    read(Key::OTHER, FOREIGN_LINE).expect(200).await;
    read(Key::OTHER, ITS_LINE).expect(404).await;
}

#[tokio::test]
async fn update_of_a_line_changes_each_field_and_keeps_the_others() {
    let server = TestServer::start().await;
    let changes = [
        ("amount", json!("-0.01")),
        ("description", json!("Corrected 🚀")),
        ("sourceAmount", json!("0.00")),
        ("planName", json!("")),
        ("periodEnd", json!("2026-04-30T23:59:59.999Z")),
    ];
    for (field, value) in changes {
        let before = get(&server, PATH).await;
        let after = patch(&server, PATH, json!({ field: value })).expect(200).await;
        assert_eq!(after.body["data"][field], value);
        for (name, value) in before.as_object().unwrap() {
            let is_changed = name == field || name == "updatedAt";
            assert_eq!(&after.body["data"][name] != value, is_changed, "{field}: {name}");
        }
        assert_eq!(get(&server, PATH).await, after.body["data"]);
    }
    let payout = get(&server, &format!("payouts/{ONE_LINE}")).await;
    assert_eq!(payout["amount"]["value"], "-0.01");
    assert_consistent(&server).await;
}

#[tokio::test]
async fn line_in_no_payout_changes_its_currency() {
    let server = TestServer::start().await;
    for line in [PENDING_LINE, EXPECTED_LINE] {
        let path = format!("commission-lines/{line}");
        let changed = patch(&server, &path, json!({ "currency": "USD" })).expect(200).await;
        assert_eq!(changed.body["data"]["currency"], "USD");
        assert_eq!(changed.body["data"]["payoutId"], Value::Null);
    }
}

#[tokio::test]
async fn update_of_a_line_without_a_difference_moves_no_time_and_leaves_no_history() {
    let server = TestServer::start().await;
    let before = get(&server, PATH).await;
    let payout = get(&server, &format!("payouts/{ONE_LINE}")).await;
    let fields = ["amount", "currency", "description", "sourceAmount", "planName", "periodEnd"];
    let equal = fields.map(|name| (name.to_owned(), before[name].clone()));
    for body in [json!({}), Value::Object(equal.into_iter().collect())] {
        let updated = patch(&server, PATH, body).expect(200).await;
        assert_eq!(updated.body["data"], before);
    }
    assert_eq!(get(&server, &format!("payouts/{ONE_LINE}")).await, payout);
    assert!(operator::history(&server.superuser().await, ITS_LINE).await.is_empty());
}

#[tokio::test]
async fn times_of_line_and_payout_move_forward_with_each_change_of_the_amount() {
    let server = TestServer::start().await;
    let first = patch(&server, PATH, json!({ "amount": "1.00" })).expect(200).await;
    assert_eq!(first.body["data"]["updatedAt"], NOON);
    let second = patch(&server, PATH, json!({ "planName": "Other" })).expect(200).await;
    assert_eq!(second.body["data"]["updatedAt"], "2026-06-15T12:00:00.001Z");
    let payout = get(&server, &format!("payouts/{ONE_LINE}")).await;
    assert_eq!(payout["updatedAt"], NOON, "the second change left its amount");
}

#[tokio::test]
async fn update_of_a_line_leaves_one_row_with_both_states() {
    let server = TestServer::start().await;
    let superuser = server.superuser().await;
    let request = patch(&server, PATH, json!({ "amount": "2.00" }));
    request.header("x-request-id", "update-line-1").expect(200).await;
    let rows = operator::history(&superuser, ITS_LINE).await;
    let [row] = rows.as_slice() else {
        panic!("one row: {rows:?}");
    };
    assert_eq!(row.actor, operator::key_id(&superuser, MAIN, "all").await);
    assert_eq!(row.request_id.as_deref(), Some("update-line-1"));
    assert_eq!(row.action, "update_commission_line");
    let before = json!({
        "amount": "1234.50", "currency": "EUR", "description": "Commission on order 1001",
        "sourceAmount": "12345.00", "planName": "Standard 10 %",
        "periodEnd": "2026-05-28T23:59:59.999Z",
    });
    assert_eq!(row.before, Some(before.clone()));
    let mut after = before;
    after["amount"] = json!("2.00");
    assert_eq!(row.after, Some(after));
}

#[tokio::test]
async fn foreign_line_is_neither_changed_nor_declined() {
    let server = TestServer::start().await;
    let decline = json!({ "reason": "DUPLICATE" });
    let mut responses = Vec::new();
    for line in [FOREIGN_LINE, NO_LINE] {
        let path = format!("commission-lines/{line}");
        let update = patch(&server, &path, json!({ "amount": "1.00" })).expect(404).await;
        let decline = post(&server, &format!("{path}/decline"), &decline).expect(404).await;
        responses.push((update.text, decline.text));
    }
    assert_eq!(responses[0], responses[1]);
}

#[tokio::test]
async fn sum_of_lines_has_more_digits_than_a_line() {
    let server = TestServer::start().await;
    let partner = super::new_partner(&server).await;
    let largest = super::line(&partner, "999999999999999999.99");
    let mut lines = Vec::new();
    for _ in 0..2 {
        let made = post(&server, "commission-lines", &largest).expect(201).await;
        lines.push(super::id(&made.body));
    }
    let made = post(&server, "payout-batches", &super::may(None)).expect(201).await;
    let listed = get(&server, &format!("payouts?partnerId={partner}")).await;
    let payout = &listed[0];
    assert_eq!(payout["amount"]["value"], "1999999999999999999.98");
    let path = format!("payouts/{}", payout["id"].as_str().unwrap());
    assert_eq!(get(&server, &path).await["amount"]["value"], "1999999999999999999.98");
    let totals = made.body["data"]["totals"].as_array().unwrap();
    assert!(totals.iter().any(|total| total["currency"] == "EUR"
        && total["value"].as_str().is_some_and(|value| value.len() > 21)));
    // A third one, of another way into the payout; then each way out.
    let mut attached = largest.clone();
    attached["payoutId"] = payout["id"].clone();
    let third = super::id(&post(&server, "commission-lines", &attached).expect(201).await.body);
    assert_eq!(get(&server, &path).await["amount"]["value"], "2999999999999999999.97");
    let change = json!({ "amount": "-999999999999999999.99" });
    patch(&server, &format!("commission-lines/{third}"), change).expect(200).await;
    server.detach(&third).expect(200).await;
    let decline = json!({ "reason": "DUPLICATE" });
    post(&server, &format!("commission-lines/{}/decline", lines[0]), &decline).expect(200).await;
    server.detach(&lines[1]).expect(200).await;
    assert_eq!(get(&server, &path).await["amount"]["value"], "0.00");
    assert_consistent(&server).await;
}
