//! Bodies that bring about the errors of the document's examples.

use openapi_document::Operation;

use super::fixtures::fixture;

/// A body with the violations that the operation's example shows.
pub(super) fn invalid_body(operation: &Operation) -> String {
    let text = match operation.id.as_str() {
        "updatePartner" => {
            let name = "x".repeat(201);
            return format!(r#"{{"name": "{name}", "nickname": "x"}}"#);
        }
        "updatePayout" => r#"{"poNumber": "", "nickname": "x"}"#,
        "updateCommissionLine" => r#"{"amount": "120", "nickname": "x"}"#,
        "declineCommissionLine" => r#"{"reason": "CUSTOM"}"#,
        "attachCommissionLine" => "{}",
        "createCommissionLine" => {
            r#"{"partnerId": "x", "amount": "0.00", "currency": "euro", "description": "x"}"#
        }
        "createPayout" => {
            r#"{"partnerId": "x", "currency": "EUR", "periodStart": "2026-05-01T00:00:00.000Z",
                "periodEnd": "2026-05-01T00:00:00.000Z"}"#
        }
        "createPayoutBatch" => {
            r#"{"periodStart": "2026-05-01T00:00:00.000Z",
                "periodEnd": "2026-05-01T00:00:00.000Z"}"#
        }
        _ => r#"{"nickname": "x"}"#,
    };
    text.to_owned()
}

/// A body that names what the operation's example says is unknown.
pub(super) fn unknown_references(operation: &Operation) -> &'static str {
    match operation.id.as_str() {
        "createPartner" => r#"{"name": "x", "tierId": "absent"}"#,
        "createPayout" => {
            r#"{"partnerId": "absent", "batchId": "absent", "currency": "EUR",
                "periodStart": "2026-05-01T00:00:00.000Z",
                "periodEnd": "2026-05-31T23:59:59.999Z"}"#
        }
        "createCommissionLine" => {
            r#"{"partnerId": "absent", "payoutId": "absent", "amount": "1.00", "currency": "EUR",
                "description": "x"}"#
        }
        "attachCommissionLine" => r#"{"payoutId": "absent"}"#,
        _ => r#"{"tierId": "absent"}"#,
    }
}

/// A valid body other than the fixture's.
pub(super) fn reused_body(operation: &Operation) -> &'static str {
    fixture(operation).created.filter(|body| Some(*body) != fixture(operation).body).unwrap_or(
        match operation.id.as_str() {
            "createPayoutBatch" => {
                r#"{"periodStart": "2026-05-01T00:00:00.000Z",
                    "periodEnd": "2026-05-02T00:00:00.000Z"}"#
            }
            "attachCommissionLine" => r#"{"payoutId": "absent"}"#,
            _ => r#"{"reason": "DISPUTED"}"#,
        },
    )
}

pub(super) fn attach_to(payout: &str) -> String {
    format!(r#"{{"payoutId": "{payout}"}}"#)
}

/// A line for this payout.
pub(super) fn line_in(payout: &str, partner: &str, currency: &str) -> String {
    format!(
        r#"{{"partnerId": "{partner}", "payoutId": "{payout}", "currency": "{currency}",
            "amount": "1.00", "description": "x"}}"#
    )
}
