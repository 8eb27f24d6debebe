//! One valid, repeatable request for each operation: it always gets the same response and changes
//! nothing. An operation without one fails its tests.

use openapi_document::Operation;
use poem::http::Method;

use crate::support::{TestRequest, TestServer};

/// The requests of one operation, on the data set's organisation main.
pub(super) struct Fixture {
    /// The path of the repeatable request.
    pub path: &'static str,
    /// Its body.
    pub body: Option<&'static str>,
    /// A path that returns 200 at least once, where the operation has one.
    pub success_path: &'static str,
    /// A body that returns 201, where the operation has one.
    pub created: Option<&'static str>,
    /// The path with an unknown id, where it has one.
    pub absent_path: Option<String>,
}

/// The requests of `operation`.
pub(super) fn fixture(operation: &Operation) -> Fixture {
    match operation.id.as_str() {
        "listPartners" => read("/api/v1/partners"),
        "getPartner" => read("/api/v1/partners/ptn_01JV3N8Q5R0000000000000001"),
        "updatePartner" => update("/api/v1/partners/ptn_01JV3N8Q5R0000000000000001"),
        // Matched by its domain, and equal.
        "createPartner" => create(
            "/api/v1/partners",
            r#"{"name": "Nordwind Handels GmbH", "domain": "nordwind.example"}"#,
            r#"{"name": "A new partner"}"#,
        ),
        "listCommissionLines" => read("/api/v1/commission-lines"),
        "getCommissionLine" => read("/api/v1/commission-lines/cln_01JV3N8Q5R0000000000000001"),
        "updateCommissionLine" => update("/api/v1/commission-lines/cln_01JV3N8Q5R0000000000000001"),
        // A line has the key already.
        "createCommissionLine" => create(
            "/api/v1/commission-lines",
            r#"{"partnerId": "ptn_01JV3N8Q5R0000000000000001", "amount": "1.00", "currency": "EUR",
                "description": "x", "idempotencyKey": "order-1001"}"#,
            r#"{"partnerId": "ptn_01JV3N8Q5R0000000000000001", "amount": "1.00", "currency": "EUR",
                "description": "x"}"#,
        ),
        // Lines of the pending pool: they are rejected each time, whereas an attached one would be
        // taken out of its payout once.
        "declineCommissionLine" => Fixture {
            body: Some(r#"{"reason": "DUPLICATE"}"#),
            success_path: "/api/v1/commission-lines/cln_01JV3N8Q5R000000000000001B/decline",
            ..read("/api/v1/commission-lines/cln_01JV3N8Q5R0000000000000032/decline")
        },
        "detachCommissionLine" => Fixture {
            success_path: "/api/v1/commission-lines/cln_01JV3N8Q5R000000000000001Q/detach",
            ..read("/api/v1/commission-lines/cln_01JV3N8Q5R0000000000000032/detach")
        },
        "attachCommissionLine" => Fixture {
            body: Some(r#"{"payoutId": "pay_01JV3N8Q5R0000000000000001"}"#),
            success_path: "/api/v1/commission-lines/cln_01JV3N8Q5R0000000000000001/attach",
            ..read("/api/v1/commission-lines/cln_01JV3N8Q5R000000000000003D/attach")
        },
        "listPayouts" => read("/api/v1/payouts"),
        "getPayout" => read("/api/v1/payouts/pay_01JV3N8Q5R0000000000000001"),
        "updatePayout" => update("/api/v1/payouts/pay_01JV3N8Q5R0000000000000001"),
        // The batch has this payout already.
        "createPayout" => create(
            "/api/v1/payouts",
            r#"{"partnerId": "ptn_01JV3N8Q5R0000000000000001", "currency": "EUR",
                "periodStart": "2026-05-01T00:00:00.000Z", "periodEnd": "2026-05-31T23:59:59.999Z",
                "batchId": "pbt_01JV3N8Q5R0000000000000005"}"#,
            r#"{"partnerId": "ptn_01JV3N8Q5R0000000000000001", "currency": "EUR",
                "periodStart": "2026-05-01T00:00:00.000Z",
                "periodEnd": "2026-05-31T23:59:59.999Z"}"#,
        ),
        // The one operation whose every success makes something: an empty batch.
        "createPayoutBatch" => create("/api/v1/payout-batches", EMPTY_BATCH, EMPTY_BATCH),
        "listPayoutBatches" => read("/api/v1/payout-batches"),
        "getPayoutBatch" => read("/api/v1/payout-batches/pbt_01JV3N8Q5R0000000000000005"),
        // Generated once; then the same document each time.
        "generateStatement" => read("/api/v1/payouts/pay_01JV3N8Q5R0000000000000001/statement"),
        other => panic!("give the operation {other} a fixture here"),
    }
}

/// A request without a key to `path`, with the operation's method and the fixture's body.
pub(super) fn request(server: &TestServer, operation: &Operation, path: &str) -> TestRequest {
    let method = Method::from_bytes(operation.method.as_str().as_bytes()).unwrap();
    let request = server.request(method, path);
    match fixture(operation).body {
        Some(body) => request.header("content-type", "application/json").body(body),
        None => request,
    }
}

const EMPTY_BATCH: &str = r#"{"periodStart": "2026-05-01T00:00:00.000Z",
    "periodEnd": "2026-05-31T23:59:59.999Z", "attachPendingLines": false}"#;

fn create(path: &'static str, body: &'static str, created: &'static str) -> Fixture {
    Fixture { body: Some(body), created: Some(created), ..read(path) }
}

/// A change of nothing.
fn update(path: &'static str) -> Fixture {
    Fixture { body: Some("{}"), ..read(path) }
}

fn read(path: &'static str) -> Fixture {
    // An id of the data set has 16 digits behind this text.
    let absent_path = path
        .split_once("_01JV3N8Q5R")
        .map(|(kind, id)| format!("{kind}_01JV3N8Q5R{}{}", "Z".repeat(16), &id[16..]));
    Fixture { path, body: None, success_path: path, created: None, absent_path }
}
