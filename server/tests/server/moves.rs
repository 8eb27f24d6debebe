//! An organisation that is stopped, because it moves to another cell: nothing of it changes, and
//! nothing is charged. The faults move one under load.

use serde_json::json;

use crate::support::{Key, TestServer, dataset::*};

const STOP_KEYS: &str = "UPDATE api_keys SET stopped_at = now(), moved_to = $1
                          WHERE organization_id = '{main}'";
/// The second step of a stop, which is in force when requests that were admitted before go on.
const STOP: &str = "UPDATE organizations SET stopped_at = now() WHERE id = '{main}'";

fn of_main(statement: &str, moved_to: &str) -> String {
    statement.replace("{main}", MAIN).replace("$1", moved_to)
}

#[tokio::test]
async fn request_with_a_key_of_a_stopped_organization_is_503_and_costs_nothing() {
    let server = TestServer::start().await;
    for (moved_to, state) in [("NULL", "stopped"), ("'bb'", "moved-to-bb")] {
        server.execute(of_main(STOP_KEYS, moved_to)).await;
        let before = server.meter(MAIN).await;
        for _ in 0..2 {
            let response = server.get(Key::MAIN, "/api/v1/partners").expect(503).await;
            let message = response.text_at("/error/message");
            assert!(message.starts_with("The organisation is being moved"), "{message}");
            assert_eq!(response.header("x-payout-organization"), Some(state));
            assert_eq!(response.header("retry-after"), None, "§8 has it on 402 alone");
        }
        let after = server.meter(MAIN).await;
        assert_eq!(before.minute_used, after.minute_used);
        assert_eq!(before.month_used, after.month_used);
    }
    server.get(Key::OTHER, "/api/v1/partners").expect(200).await;
    let metrics = server.metrics();
    assert!(metrics.contains("payout_requests_unavailable_total{cause=\"moving\"} 4"), "{metrics}");
}

#[tokio::test]
async fn expired_and_revoked_keys_of_a_stopped_organization_are_still_401() {
    let server = TestServer::start().await;
    server.execute(of_main(STOP_KEYS, "NULL")).await;
    for name in ["expired", "revoked"] {
        server.get(Key("main", name), "/api/v1/partners").expect(401).await;
    }
}

#[tokio::test]
async fn admitted_change_of_a_stopped_organization_is_503_changes_nothing_and_is_refunded() {
    let server = TestServer::start().await;
    server.execute(of_main(STOP, "")).await;
    let before = server.meter(MAIN).await.month_used;
    let state = "SELECT md5(string_agg(t::text, ',' ORDER BY id)) FROM partners AS t";
    let partners: String = server.value(state).await;
    let update = server.update(NORDWIND, json!({ "name": "Renamed" }));
    let response = update.expect(503).await;
    assert!(response.text_at("/error/message").starts_with("The organisation is being moved"));
    // A first response is not kept either, such as that to a reference that does not exist.
    let line = json!({
        "partnerId": "absent", "description": "d", "amount": "1.00", "sourceAmount": "1.00",
        "currency": "EUR", "planName": "p", "periodEnd": "2026-06-30T23:59:59.999Z",
    });
    let create = server.post(Key::MAIN, "/api/v1/commission-lines");
    create.header("idempotency-key", "moving").json(&line).expect(503).await;
    assert_eq!(server.value::<i64>("SELECT count(*) FROM idempotent_requests").await, 0);
    assert_eq!(server.value::<String>(state).await, partners);
    assert_eq!(server.meter(MAIN).await.month_used, before);
}
