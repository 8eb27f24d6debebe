//! The history: one row per mutation with actor, request id, and the state before and after; none
//! where nothing changed. No operation shows it, so the suite cannot see it.

use serde_json::{Value, json};

use crate::support::{
    Key, TestServer,
    commission::{get, id, line, may, new_partner, new_payout, patch, post},
    dataset::*,
    operator::{self, HistoryRow},
};

async fn history(server: &TestServer, resource: &str) -> Vec<HistoryRow> {
    operator::history(&server.superuser().await, resource).await
}

/// The only row of a resource.
async fn only_row(server: &TestServer, resource: &str) -> HistoryRow {
    let mut rows = history(server, resource).await;
    assert_eq!(rows.len(), 1, "{rows:?}");
    rows.remove(0)
}

fn actions(rows: &[HistoryRow]) -> Vec<&str> {
    rows.iter().map(|row| row.action.as_str()).collect()
}

#[tokio::test]
async fn update_of_a_partner_leaves_one_row_with_actor_request_and_both_states() {
    let server = TestServer::start().await;
    let request = server.update(NORDWIND_EXTERNAL, json!({"name": "Renamed", "domain": null}));
    request.header("x-request-id", "update-1").expect(200).await;
    let row = only_row(&server, NORDWIND).await;
    assert_eq!(row.actor, operator::key_id(&server.superuser().await, MAIN, "all").await);
    assert_eq!(row.request_id.as_deref(), Some("update-1"));
    assert_eq!(row.action, "update_partner");
    let (mut before, after) = (row.before.unwrap(), row.after.unwrap());
    assert_eq!(before["name"], "Nordwind Handels GmbH");
    assert_eq!(before["domain"], "nordwind.example");
    before["name"] = json!("Renamed");
    before["domain"] = Value::Null;
    assert_eq!(before, after, "nothing else differs");
}

#[tokio::test]
async fn detach_leaves_one_row_with_actor_request_and_both_states() {
    let server = TestServer::start().await;
    let path = format!("/api/v1/commission-lines/{ITS_LINE}/detach");
    let response = server.post(Key("main", "commissions-write"), &path).expect(200).await;
    let row = only_row(&server, ITS_LINE).await;
    let superuser = server.superuser().await;
    assert_eq!(row.actor, operator::key_id(&superuser, MAIN, "commissions-write").await);
    assert_eq!(row.request_id.as_deref(), response.header("x-request-id"));
    assert_eq!(row.action, "detach_commission_line");
    assert_eq!(row.before, Some(json!({"status": "IN_PAYOUT", "payoutId": ONE_LINE})));
    assert_eq!(row.after, Some(json!({"status": "PENDING", "payoutId": null})));
    assert_eq!(history(&server, ONE_LINE).await, [], "its empty payout keeps its stage");
}

#[tokio::test]
async fn line_has_a_row_for_its_creation_attachment_and_change() {
    let server = TestServer::start().await;
    let partner = new_partner(&server).await;
    let payout = new_payout(&server, &partner).await;
    let mut body = line(&partner, "4.00");
    body["sourceAmount"] = json!("40.00");
    let line = id(&post(&server, "commission-lines", &body).expect(201).await.body);
    let path = format!("commission-lines/{line}");
    post(&server, &format!("{path}/attach"), &json!({ "payoutId": payout })).expect(200).await;
    patch(&server, &path, json!({ "amount": "2.00" })).expect(200).await;
    let rows = history(&server, &line).await;
    let expected = ["create_commission_line", "attach_commission_line", "update_commission_line"];
    assert_eq!(actions(&rows), expected);
    assert_eq!(rows[1].before, Some(json!({ "status": "PENDING", "payoutId": null })));
    assert_eq!(rows[1].after, Some(json!({ "status": "IN_PAYOUT", "payoutId": payout })));
    let mut fields = json!({
        "amount": "4.00", "currency": "EUR", "description": "Commission", "sourceAmount": "40.00",
        "planName": "", "periodEnd": "2026-05-31T23:59:59.999Z",
    });
    assert_eq!(rows[2].before.as_ref(), Some(&fields));
    fields["amount"] = json!("2.00");
    assert_eq!(rows[2].after.as_ref(), Some(&fields));
}

#[tokio::test]
async fn declined_last_line_leaves_its_reason_and_a_row_of_its_payout() {
    let server = TestServer::start().await;
    let body = json!({ "reason": "CUSTOM", "note": "Returned." });
    post(&server, &format!("commission-lines/{ITS_LINE}/decline"), &body).expect(200).await;
    let row = only_row(&server, ITS_LINE).await;
    assert_eq!(row.action, "decline_commission_line");
    assert_eq!(row.before, Some(json!({ "status": "IN_PAYOUT", "payoutId": ONE_LINE })));
    let after =
        json!({ "status": "VOIDED", "payoutId": null, "reason": "CUSTOM", "note": "Returned." });
    assert_eq!(row.after, Some(after));
    let row = only_row(&server, ONE_LINE).await;
    assert_eq!(row.action, "update_payout");
    assert_eq!(row.before, Some(json!({ "stage": "PENDING_REVIEW" })));
    assert_eq!(row.after, Some(json!({ "stage": "DECLINED" })));
}

#[tokio::test]
async fn new_payout_has_a_row_with_all_of_it_and_one_of_its_own_batch() {
    let server = TestServer::start().await;
    let mut body = may(Some(NORDWIND));
    body["poNumber"] = json!("PO-1");
    body["metadata"] = json!({ "statementNote": "Thank you." });
    let made = post(&server, "payouts", &body).expect(201).await;
    let data = &made.body["data"];
    let row = only_row(&server, data["id"].as_str().unwrap()).await;
    let after = json!({
        "partnerId": NORDWIND, "batchId": data["batchId"], "periodStart": body["periodStart"],
        "periodEnd": body["periodEnd"], "amount": "0.00", "currency": "EUR", "stage": "DRAFT",
        "poNumber": "PO-1", "metadata": body["metadata"],
    });
    assert_eq!((row.action.as_str(), row.after), ("create_payout", Some(after)));
    let row = only_row(&server, data["batchId"].as_str().unwrap()).await;
    assert_eq!((row.action.as_str(), &row.before), ("create_payout_batch", &None));
    let after = json!({
        "periodStart": body["periodStart"], "periodEnd": body["periodEnd"],
        "payoutCount": 1, "lineCount": 0,
    });
    assert_eq!(row.after, Some(after));
}

#[tokio::test]
async fn batch_has_rows_of_itself_its_payouts_and_their_lines() {
    let server = TestServer::start().await;
    let batch = id(&post(&server, "payout-batches", &may(None)).expect(201).await.body);
    let after = only_row(&server, &batch).await.after.unwrap();
    assert_eq!((&after["payoutCount"], &after["lineCount"]), (&json!(4), &json!(33)));
    let payouts = get(&server, &format!("payouts?batchId={batch}")).await;
    let row = only_row(&server, payouts[0]["id"].as_str().unwrap()).await;
    assert_eq!(row.after.unwrap()["batchId"], json!(batch));
    assert_eq!(actions(&history(&server, PENDING_LINE).await), ["attach_commission_line"]);
}

#[tokio::test]
async fn update_of_a_payout_leaves_a_row_with_what_differs() {
    let server = TestServer::start().await;
    let path = format!("payouts/{ONE_LINE}");
    let body = json!({ "poNumber": "PO-8", "stage": "APPROVED" });
    patch(&server, &path, body.clone()).expect(200).await;
    patch(&server, &path, body.clone()).expect(200).await;
    let row = only_row(&server, ONE_LINE).await;
    assert_eq!(row.action, "update_payout");
    assert_eq!(row.before.unwrap()["stage"], "PENDING_REVIEW");
    assert_eq!(row.after, Some(body));
}

#[tokio::test]
async fn match_by_domain_is_an_update_and_continues_the_creation() {
    let server = TestServer::start().await;
    let mut body = json!({ "name": "Later active", "domain": "later.example" });
    let made = post(&server, "partners", &body).expect(201).await;
    body["experienceTemplateId"] = json!("tmpl_01JV3N8Q5R0000000000000001");
    post(&server, "partners", &body).expect(200).await;
    let rows = history(&server, &id(&made.body)).await;
    assert_eq!(actions(&rows), ["create_partner", "update_partner"]);
    assert_eq!(rows[0].before, None);
    assert_eq!(rows[0].after, rows[1].before);
    let after = rows[1].after.as_ref().unwrap();
    assert_eq!(after["experienceTemplateId"], body["experienceTemplateId"]);
}

/// No operation shows the access mode of a portal.
#[tokio::test]
async fn portal_access_takes_effect_only_together_with_a_template() {
    let server = TestServer::start().await;
    let mut body = json!({ "name": "x", "portalAccess": "RESTRICTED_USERS" });
    for has_template in [false, true] {
        if has_template {
            body["experienceTemplateId"] = json!("tmpl_01JV3N8Q5R0000000000000001");
        }
        let published = if has_template { body["portalAccess"].clone() } else { Value::Null };
        let made = post(&server, "partners", &body).expect(201).await;
        let row = only_row(&server, &id(&made.body)).await;
        assert_eq!(row.after.unwrap()["portalAccess"], published);
        server.update(BARE, body.clone()).expect(200).await;
        let rows = history(&server, BARE).await;
        assert_eq!(rows.last().unwrap().after.as_ref().unwrap()["portalAccess"], published);
    }
}

#[tokio::test]
async fn request_that_changes_nothing_leaves_no_row() {
    let server = TestServer::start().await;
    let superuser = server.superuser().await;
    let rows = async || -> i64 {
        sqlx::query_scalar("SELECT count(*) FROM history").fetch_one(&superuser).await.unwrap()
    };
    let before = rows().await;
    server.update(BARE, json!({})).expect(200).await;
    server.update(BARE, json!({"name": "Bare Minimum Ltd"})).expect(200).await;
    server.update(BARE, json!({"portalAccess": "RESTRICTED_USERS"})).expect(200).await;
    server.update(BARE, json!({"name": "x", "tierId": "tier_none"})).expect(422).await;
    server.update(NO_PARTNER, json!({"name": "x"})).expect(404).await;
    server.detach(PENDING_LINE).expect(422).await;
    server.detach(FOREIGN_LINE).expect(404).await;
    patch(&server, &format!("commission-lines/{ITS_LINE}"), json!({})).expect(200).await;
    let attach = json!({ "payoutId": ONE_LINE });
    post(&server, &format!("commission-lines/{ITS_LINE}/attach"), &attach).expect(200).await;
    server.get(Key::MAIN, "/api/v1/partners").expect(200).await;
    assert_eq!(rows().await, before);
}

#[tokio::test]
async fn each_of_several_updates_leaves_its_row() {
    let server = TestServer::start().await;
    for name in ["One", "Two", "Two", "Three"] {
        server.update(BARE, json!({ "name": name })).expect(200).await;
    }
    let rows = history(&server, BARE).await;
    let names: Vec<_> =
        rows.iter().map(|row| row.after.as_ref().unwrap()["name"].clone()).collect();
    assert_eq!(names, ["One", "Two", "Three"]);
    let is_chained = rows.windows(2).all(|pair| pair[0].after == pair[1].before);
    assert!(is_chained, "each begins where the former ended");
}

#[tokio::test]
async fn statement_leaves_one_row_for_each_document() {
    let server = TestServer::start().await;
    let request = server.statement(ONE_LINE).header("x-request-id", "statement-1");
    let first = request.expect(200).await;
    server.statement(ONE_LINE).expect(200).await;
    let row = only_row(&server, ONE_LINE).await;
    assert_eq!(row.action, "generate_statement");
    assert_eq!(row.request_id.as_deref(), Some("statement-1"));
    assert_eq!(row.actor, operator::key_id(&server.superuser().await, MAIN, "all").await);
    assert_eq!(row.after, Some(json!({ "assetId": first.body["data"]["assetId"] })));
}
