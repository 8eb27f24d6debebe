//! X4: payouts are updated, and move along the table.

use payout_server::contract::value_sets::PayoutStage;
use serde_json::{Value, json};
use sqlx::PgPool;

use super::{get, patch};
use crate::support::{Key, TestServer, dataset::*, operator};

const PATH: &str = "payouts/pay_01JV3N8Q5R0000000000000003";

async fn set_stage(superuser: &PgPool, stage: PayoutStage) {
    sqlx::query("UPDATE payouts SET stage = $1 WHERE id = $2")
        .bind(stage.as_str())
        .bind(EMPTY)
        .execute(superuser)
        .await
        .unwrap();
}

/// Returns the stages that the document lists after this one.
fn documented(from: PayoutStage) -> Vec<&'static str> {
    from.successors().iter().map(|stage| stage.as_str()).collect()
}

#[tokio::test]
async fn every_cell_of_the_table_of_stages_holds() {
    let server = TestServer::start().await;
    let superuser = server.superuser().await;
    for from in PayoutStage::ALL {
        for to in PayoutStage::ALL {
            set_stage(&superuser, *from).await;
            let moved = patch(&server, PATH, json!({ "stage": to.as_str() })).send().await;
            if from == to || documented(*from).contains(&to.as_str()) {
                assert_eq!(moved.status, 200, "{from} to {to}: {}", moved.text);
                assert_eq!(moved.body["data"]["stage"], to.as_str());
            } else {
                assert_eq!(moved.status, 422, "{from} to {to}: {}", moved.text);
                assert_eq!(moved.code(), "INVALID_STAGE_TRANSITION");
                let details = json!({ "stage": from.as_str(), "allowed": documented(*from) });
                assert_eq!(moved.body["error"]["details"], details);
            }
        }
    }
}

#[tokio::test]
async fn unknown_stage_is_no_transition() {
    let server = TestServer::start().await;
    let rejected = patch(&server, PATH, json!({ "stage": "SOMEDAY" })).expect(422).await;
    assert_eq!(rejected.code(), "INVALID_STAGE_TRANSITION");
}

#[tokio::test]
async fn message_of_an_unknown_stage_shows_its_first_characters() {
    let server = TestServer::start().await;
    let long = "Ж".repeat(10_000);
    let rejected = patch(&server, PATH, json!({ "stage": long })).expect(422).await;
    let message = rejected.body["error"]["message"].as_str().unwrap();
    assert!(message.contains(&format!(" cannot move to {}….", "Ж".repeat(64))), "{message}");
}

#[tokio::test]
async fn update_keeps_what_the_body_does_not_name_and_null_clears() {
    let server = TestServer::start().await;
    let path = format!("payouts/{ONE_LINE}");
    let before = get(&server, &path).await;
    let updated = patch(&server, &path, json!({ "poNumber": null })).expect(200).await;
    for (name, value) in before.as_object().unwrap() {
        let is_changed = ["poNumber", "updatedAt"].contains(&name.as_str());
        assert_eq!(updated.body["data"][name] != *value, is_changed, "{name}");
    }
    let metadata = json!({ "a": "1", "b": "2" });
    let body = json!({ "metadata": metadata, "stage": "APPROVED" });
    let updated = patch(&server, &path, body).expect(200).await;
    assert_eq!(updated.body["data"]["metadata"], metadata, "replaced as a whole");
    let updated = patch(&server, &path, json!({ "metadata": null })).expect(200).await;
    assert_eq!(updated.body["data"]["metadata"], Value::Null);
    let rows = operator::history(&server.superuser().await, ONE_LINE).await;
    let actions: Vec<&str> = rows.iter().map(|row| row.action.as_str()).collect();
    assert_eq!(actions, ["update_payout"; 3]);
    assert_eq!(rows[1].before.as_ref().unwrap()["stage"], "PENDING_REVIEW");
    assert_eq!(rows[1].after.as_ref().unwrap()["stage"], "APPROVED");
}

#[tokio::test]
async fn update_without_a_difference_moves_no_time() {
    let server = TestServer::start().await;
    let path = format!("payouts/{ONE_LINE}");
    let before = get(&server, &path).await;
    let equal = json!({
        "stage": before["stage"], "poNumber": before["poNumber"], "metadata": before["metadata"],
    });
    for body in [json!({}), equal] {
        let updated = patch(&server, &path, body).expect(200).await;
        assert_eq!(updated.body["data"], before);
    }
}

#[tokio::test]
async fn limits_of_metadata_are_checked_all_at_once() {
    let server = TestServer::start().await;
    let mut metadata: serde_json::Map<String, Value> =
        (0..51).map(|number| (format!("name {number}"), json!("x"))).collect();
    metadata.insert("n".repeat(65), json!("x".repeat(2001)));
    let body = json!({ "metadata": metadata, "poNumber": "", "nickname": 1 });
    let rejected = patch(&server, PATH, body).expect(422).await;
    let issues = rejected.issues();
    let long = format!("body /metadata/{} TOO_LONG", "n".repeat(65));
    for issue in [
        "body /metadata TOO_LONG",
        &long,
        "body /poNumber TOO_SHORT",
        "body /nickname UNKNOWN_FIELD",
    ] {
        assert!(issues.contains(&issue.to_owned()), "{issue} is not among {issues:?}");
    }
}

#[tokio::test]
async fn foreign_payout_cannot_be_updated() {
    let server = TestServer::start().await;
    let body = json!({ "stage": "APPROVED" });
    for id in [FOREIGN_PAYOUT, NO_PAYOUT] {
        let path = format!("/api/v1/payouts/{id}");
        let rejected = server.patch(Key::MAIN, &path, body.clone()).expect(404).await;
        assert_eq!(rejected.code(), "NOT_FOUND");
    }
}
