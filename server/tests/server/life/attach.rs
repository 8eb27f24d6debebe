//! X23: a pending line is attached to an existing payout.

use serde_json::{Value, json};

use super::{assert_consistent, get, id, line, may, new_partner, patch, post};
use crate::support::{Key, TestRequest, TestServer, dataset::*, operator};

fn attach(server: &TestServer, line: &str, payout: &str) -> TestRequest {
    let path = format!("commission-lines/{line}/attach");
    post(server, &path, &json!({ "payoutId": payout }))
}

/// A pending line and an empty payout of a new partner, in euro.
async fn pending_line_and_payout(server: &TestServer) -> (String, String) {
    let partner = new_partner(server).await;
    let made = post(server, "commission-lines", &line(&partner, "4.00")).expect(201).await;
    let payout = post(server, "payouts", &may(Some(&partner))).expect(201).await;
    (id(&made.body), id(&payout.body))
}

#[tokio::test]
async fn pending_line_is_attached_and_raises_the_payout_and_detach_is_the_opposite() {
    let server = TestServer::start().await;
    let superuser = server.superuser().await;
    let (line, payout) = pending_line_and_payout(&server).await;
    let path = format!("commission-lines/{line}");
    let before = get(&server, &path).await;
    let attached = attach(&server, &line, &payout).expect(200).await;
    let data = &attached.body["data"];
    assert_eq!((&data["status"], &data["payoutId"]), (&json!("IN_PAYOUT"), &json!(payout)));
    for (name, value) in before.as_object().unwrap() {
        let is_changed = ["status", "payoutId", "updatedAt"].contains(&&**name);
        assert_eq!(&data[name] != value, is_changed, "{name}");
    }
    assert_eq!(get(&server, &path).await, *data);
    let raised = get(&server, &format!("payouts/{payout}")).await;
    assert_eq!(raised["amount"]["value"], "4.00");
    let rows = operator::history(&superuser, &line).await;
    let row = rows.last().unwrap();
    assert_eq!(row.action, "attach_commission_line");
    assert_eq!(row.request_id.as_deref(), attached.header("x-request-id"));
    assert_eq!(row.before, Some(json!({ "status": "PENDING", "payoutId": null })));
    assert_eq!(row.after, Some(json!({ "status": "IN_PAYOUT", "payoutId": payout })));
    server.detach(&line).expect(200).await;
    let lowered = get(&server, &format!("payouts/{payout}")).await;
    assert_eq!(lowered["amount"]["value"], "0.00");
    attach(&server, &line, &payout).expect(200).await;
    assert_consistent(&server).await;
}

#[tokio::test]
async fn line_that_is_in_the_payout_already_stays_as_it_is_in_every_stage() {
    let server = TestServer::start().await;
    let before = get(&server, &format!("commission-lines/{DETACHABLE}")).await;
    let payout = get(&server, &format!("payouts/{TO_DETACH}")).await;
    assert_eq!(payout["stage"], "PAID");
    let attached = attach(&server, DETACHABLE, TO_DETACH).expect(200).await;
    assert_eq!(attached.body["data"], before);
    assert_eq!(get(&server, &format!("payouts/{TO_DETACH}")).await, payout);
    assert!(operator::history(&server.superuser().await, DETACHABLE).await.is_empty());
}

#[tokio::test]
async fn line_that_is_not_pending_or_in_another_payout_is_not_attached() {
    let server = TestServer::start().await;
    for (line, status) in [(EXPECTED_LINE, "EXPECTED"), (VOIDED_LINE, "VOIDED")] {
        let rejected = attach(&server, line, ONE_LINE).expect(422).await;
        assert_eq!(rejected.code(), "LINE_NOT_PENDING");
        assert_eq!(rejected.body["error"]["details"], json!({ "status": status }));
    }
    let rejected = attach(&server, ITS_LINE, FORTY_ONE).expect(422).await;
    assert_eq!(rejected.code(), "LINE_IN_PAYOUT");
    assert_eq!(rejected.body["error"]["details"], json!({ "payoutId": ONE_LINE }));
    assert_consistent(&server).await;
}

#[tokio::test]
async fn payout_takes_only_lines_of_its_partner_and_currency_and_only_in_some_stages() {
    let server = TestServer::start().await;
    let rejected = attach(&server, PENDING_LINE, EMPTY).expect(422).await;
    assert_eq!(rejected.code(), "PARTNER_MISMATCH");
    let in_dollars = "cln_01JV3N8Q5R0000000000000031";
    let rejected = attach(&server, in_dollars, ONE_LINE).expect(422).await;
    assert_eq!(rejected.code(), "CURRENCY_MISMATCH");
    let (line, payout) = pending_line_and_payout(&server).await;
    let path = format!("payouts/{payout}");
    for (stage, is_open) in [
        ("PENDING_REVIEW", true),
        ("APPROVED", true),
        ("PENDING_INVOICE", true),
        ("SCHEDULED", false),
        ("PENDING_PAYMENT", false),
        ("FAILED", false),
        ("BLOCKED", false),
        ("DECLINED", false),
        ("DRAFT", true),
        ("POSTPONED", false),
    ] {
        patch(&server, &path, json!({ "stage": stage })).expect(200).await;
        let response = attach(&server, &line, &payout).send().await;
        assert_eq!(response.status, if is_open { 200 } else { 422 }, "{stage}");
        match is_open {
            true => drop(server.detach(&line).expect(200).await),
            false => {
                assert_eq!(response.code(), "PAYOUT_LOCKED", "{stage}");
                assert_eq!(response.body["error"]["details"], json!({ "stage": stage }));
            }
        }
    }
    assert_consistent(&server).await;
}

#[tokio::test]
async fn foreign_or_unknown_line_is_404_and_such_a_payout_is_an_unknown_reference() {
    let server = TestServer::start().await;
    let foreign = attach(&server, FOREIGN_LINE, ONE_LINE).expect(404).await;
    let absent = attach(&server, NO_LINE, ONE_LINE).expect(404).await;
    assert_eq!(foreign.text, absent.text);
    // The state of the line makes no difference.
    for line in [PENDING_LINE, VOIDED_LINE, ITS_LINE] {
        for payout in [FOREIGN_PAYOUT, NO_PAYOUT] {
            let rejected = attach(&server, line, payout).expect(422).await;
            assert_eq!(rejected.issues(), ["body /payoutId INVALID_REFERENCE"]);
        }
    }
}

#[tokio::test]
async fn attachment_is_repeated_by_its_idempotency_key() {
    let server = TestServer::start().await;
    let (line, payout) = pending_line_and_payout(&server).await;
    let keyed = || attach(&server, &line, &payout).header("idempotency-key", "attach-1");
    let first = keyed().expect(200).await;
    server.detach(&line).expect(200).await;
    let again = keyed().expect(200).await;
    assert_eq!((again.header("idempotent-replayed"), &again.text), (Some("true"), &first.text));
    let now = get(&server, &format!("commission-lines/{line}")).await;
    assert_eq!(now["payoutId"], Value::Null, "a repetition changes nothing");
}

#[tokio::test]
async fn two_lines_that_change_places_do_not_wait_for_each_other() {
    let server = TestServer::start().await;
    let forward = attach(&server, ITS_LINE, FORTY_ONE).send();
    let back = attach(&server, "cln_01JV3N8Q5R0000000000000002", ONE_LINE).send();
    let (forward, back) = tokio::join!(forward, back);
    assert_eq!((forward.code(), back.code()), ("LINE_IN_PAYOUT", "LINE_IN_PAYOUT"));
    assert_eq!(server.get(Key::MAIN, "/api/v1/payouts").expect(200).await.status, 200);
}
