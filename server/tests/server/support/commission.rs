//! Partners, lines, payouts and batches that tests create over the API, and the database's
//! invariants.

use serde_json::{Value, json};

use super::{Key, TestRequest, TestServer};
use crate::state_invariants::broken;

/// A POST with a JSON body, with main's key of all scopes.
pub fn post(server: &TestServer, path: &str, body: &Value) -> TestRequest {
    server.post(Key::MAIN, &format!("/api/v1/{path}")).json(body)
}

/// Reads a resource; returns its `data`.
pub async fn get(server: &TestServer, path: &str) -> Value {
    let response = server.get(Key::MAIN, &format!("/api/v1/{path}")).expect(200).await;
    response.body["data"].clone()
}

/// A line of the partner in euro, up to the end of May.
pub fn line(partner: &str, amount: &str) -> Value {
    json!({
        "partnerId": partner, "amount": amount, "currency": "EUR",
        "description": "Commission", "periodEnd": "2026-05-31T23:59:59.999Z",
    })
}

/// May as the period of a batch or, with a partner, of a payout in euro.
pub fn may(partner: Option<&str>) -> Value {
    let mut body = json!({
        "periodStart": "2026-05-01T00:00:00.000Z", "periodEnd": "2026-05-31T23:59:59.999Z",
    });
    if let Some(partner) = partner {
        body["partnerId"] = json!(partner);
        body["currency"] = json!("EUR");
    }
    body
}

/// Requires every invariant of the database.
pub async fn assert_consistent(server: &TestServer) {
    assert_eq!(broken(&server.superuser).await, [""; 0]);
}
