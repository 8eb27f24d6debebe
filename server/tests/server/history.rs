//! One row of history per mutation: who, what, before, after, request id; none where nothing
//! changed.

use serde_json::json;

use crate::support::{Key, TestServer, dataset::*, operator};

#[tokio::test]
async fn update_leaves_one_row_with_actor_request_and_both_states() {
    let server = TestServer::start().await;
    let superuser_pool = server.superuser().await;
    let request = server.update(NORDWIND_EXTERNAL, json!({"name": "Renamed", "domain": null}));
    request.header("x-request-id", "update-1").expect(200).await;
    let rows = operator::history(&superuser_pool, NORDWIND).await;
    let [row] = rows.as_slice() else {
        panic!("one row: {rows:?}");
    };
    assert_eq!(row.actor, operator::key_id(&superuser_pool, MAIN, "all").await);
    assert_eq!(row.request_id.as_deref(), Some("update-1"));
    assert_eq!(row.action, "update_partner");
    let before = row.before.as_ref().unwrap();
    assert_eq!(
        (&before["name"], &before["domain"]),
        (&json!("Nordwind Handels GmbH"), &json!("nordwind.example"))
    );
    let after = row.after.as_ref().unwrap();
    assert_eq!((&after["name"], &after["domain"]), (&json!("Renamed"), &json!(null)));
    assert_eq!(before["tierId"], after["tierId"]);
}

#[tokio::test]
async fn detach_leaves_one_row_with_actor_request_and_both_states() {
    let server = TestServer::start().await;
    let superuser_pool = server.superuser().await;
    let path = format!("/api/v1/commission-lines/{ITS_LINE}/detach");
    let request = server.post(Key("main", "commissions-write"), &path);
    let response = request.expect(200).await;
    let rows = operator::history(&superuser_pool, ITS_LINE).await;
    let [row] = rows.as_slice() else {
        panic!("one row: {rows:?}");
    };
    assert_eq!(row.actor, operator::key_id(&superuser_pool, MAIN, "commissions-write").await);
    assert_eq!(row.request_id.as_deref(), response.header("x-request-id"));
    assert_eq!(row.action, "detach_commission_line");
    assert_eq!(row.before, Some(json!({"status": "IN_PAYOUT", "payoutId": ONE_LINE})));
    assert_eq!(row.after, Some(json!({"status": "PENDING", "payoutId": null})));
}

#[tokio::test]
async fn nothing_changed_leaves_no_row() {
    let server = TestServer::start().await;
    let superuser_pool = server.superuser().await;
    let rows = async || -> i64 {
        sqlx::query_scalar("SELECT count(*) FROM history").fetch_one(&superuser_pool).await.unwrap()
    };
    let before = rows().await;
    server.update(BARE, json!({})).expect(200).await;
    server.update(BARE, json!({"name": "Bare Minimum Ltd"})).expect(200).await;
    server.update(BARE, json!({"portalAccess": "RESTRICTED_USERS"})).expect(200).await;
    server.update(BARE, json!({"name": "x", "tierId": "tier_none"})).expect(422).await;
    server.update(NO_PARTNER, json!({"name": "x"})).expect(404).await;
    server.detach(PENDING_LINE).expect(422).await;
    server.detach(FOREIGN_LINE).expect(404).await;
    server.get(Key::MAIN, "/api/v1/partners").expect(200).await;
    assert_eq!(rows().await, before);
}

#[tokio::test]
async fn each_of_several_updates_leaves_its_row() {
    let server = TestServer::start().await;
    let superuser_pool = server.superuser().await;
    for name in ["One", "Two", "Two", "Three"] {
        server.update(BARE, json!({ "name": name })).expect(200).await;
    }
    let rows = operator::history(&superuser_pool, BARE).await;
    let names: Vec<_> =
        rows.iter().map(|row| row.after.as_ref().unwrap()["name"].clone()).collect();
    assert_eq!(names, ["One", "Two", "Three"]);
    let chained = rows.windows(2).all(|pair| pair[0].after == pair[1].before);
    assert!(chained, "each begins where the former ended");
}
