//! The life of a commission (X1–X9): what each operation changes, and what it leaves alone.

mod attach;
mod batches;
mod changes;
mod declines;
mod idempotency;
mod lines;
mod matching;
mod partners;
mod payouts;
mod races;
mod stages;
mod waiting;

use serde_json::{Value, json};

use crate::{
    state_invariants::INVARIANTS,
    support::{Key, TestRequest, TestServer},
};

/// A POST with a JSON body, with main's key of all scopes.
fn post(server: &TestServer, path: &str, body: &Value) -> TestRequest {
    let request = server.post(Key::MAIN, &format!("/api/v1/{path}"));
    request.header("content-type", "application/json").body(body.to_string())
}

/// The same on another path with PATCH.
fn patch(server: &TestServer, path: &str, body: Value) -> TestRequest {
    server.patch(Key::MAIN, &format!("/api/v1/{path}"), body)
}

/// The `data` of a resource.
async fn get(server: &TestServer, path: &str) -> Value {
    let response = server.get(Key::MAIN, &format!("/api/v1/{path}")).expect(200).await;
    response.body["data"].clone()
}

/// The id of a new partner, who has no lines.
async fn new_partner(server: &TestServer) -> String {
    let made = post(server, "partners", &json!({ "name": "A new partner" })).expect(201).await;
    id(&made.body)
}

fn id(body: &Value) -> String {
    body["data"]["id"].as_str().expect("it has an id").to_owned()
}

/// A line of the partner in euro, up to the end of May.
fn line(partner: &str, amount: &str) -> Value {
    json!({
        "partnerId": partner, "amount": amount, "currency": "EUR",
        "description": "Commission", "periodEnd": "2026-05-31T23:59:59.999Z",
    })
}

/// May, as the period of a payout or a batch.
fn may(partner: Option<&str>) -> Value {
    let mut body = json!({
        "periodStart": "2026-05-01T00:00:00.000Z", "periodEnd": "2026-05-31T23:59:59.999Z",
    });
    if let Some(partner) = partner {
        body["partnerId"] = json!(partner);
        body["currency"] = json!("EUR");
    }
    body
}

/// Every invariant of the database holds.
async fn assert_consistent(server: &TestServer) {
    let superuser = server.superuser().await;
    for (sentence, violations) in INVARIANTS {
        let count: i64 = sqlx::query_scalar(violations).fetch_one(&superuser).await.unwrap();
        assert_eq!(count, 0, "{sentence}");
    }
}
