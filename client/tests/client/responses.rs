//! Responses: what is read exactly, and what a newer server may add without breaking a client.

use payout_client::types::{CommissionLineStatus, PartnerStatus, PayoutStage};

use crate::stub::Stub;

/// A payout of a newer server: an unknown stage, unknown fields, and an amount that no float
/// represents.
pub(crate) const PAYOUT: &str = r#"{
    "data": {
        "id": "pay_1", "batchId": "pbt_1",
        "partner": {"id": "ptn_1", "name": "Nordwind", "newField": 1},
        "periodStart": "2026-05-01T00:00:00.000Z", "periodEnd": "2026-05-31T23:59:59.999Z",
        "amount": {"value": "90071992547409.93", "currency": "EUR"}, "stage": "ON_HOLD",
        "poNumber": null, "newField": {},
        "createdAt": "2026-06-01T08:00:00.000Z", "updatedAt": "2026-06-01T08:00:00.250Z"
    },
    "newField": []
}"#;

/// A partner of a newer server: an unknown status.
pub(crate) const PARTNER: &str = r#"{
    "data": {
        "id": "ptn_1", "name": "Nordwind", "domain": null, "externalCompanyId": null,
        "externalId": null, "externalIdType": "TEAM", "managerEmail": null, "categories": [],
        "tierId": null, "phaseId": null, "experienceTemplateId": null, "owner": null,
        "manager": null, "partnerObjectCrmProperties": {}, "companyCrmProperties": {},
        "crmProperties": {"employees": 240}, "status": "dormant",
        "createdAt": "2026-05-20T09:30:00.000Z", "updatedAt": "2026-05-20T09:30:00.000Z"
    }
}"#;

#[tokio::test]
async fn unknown_fields_and_unknown_stage_survive() {
    let stub = Stub::responding_json(PAYOUT).await;
    let payout = stub.client().get_payout("pay_1").send().await.unwrap();
    assert_eq!(payout.data.stage, PayoutStage::Unknown("ON_HOLD".to_owned()));
    assert_eq!(payout.data.metadata, None);
    assert_eq!(payout.request_id(), Some("r-1"));
    assert_eq!(payout.status(), 200);
}

#[tokio::test]
async fn money_and_time_are_read_exactly() {
    let stub = Stub::responding_json(PAYOUT).await;
    let payout = stub.client().get_payout("pay_1").send().await.unwrap().into_inner().data;
    assert_eq!(payout.amount.value.to_string(), "90071992547409.93");
    assert_eq!(payout.amount.value.value().mantissa(), 9_007_199_254_740_993);
    assert_eq!(payout.updated_at.to_string(), "2026-06-01T08:00:00.250Z");
}

#[tokio::test]
async fn id_from_a_response_requests_its_resource() {
    let stub = Stub::responding_json(PAYOUT).await;
    let client = stub.client();
    let payout = client.get_payout("pay_1").send().await.unwrap();
    client.get_payout(&payout.data.id).send().await.unwrap();
    client.get_partner(&payout.data.partner.id).send().await.unwrap_err();
    assert!(stub.requests()[2].starts_with("GET /api/v1/partners/ptn_1 "));
}

#[tokio::test]
async fn requests_run_on_any_thread() {
    let stub = Stub::responding_json(PAYOUT).await;
    let client = stub.client();
    let task = tokio::spawn(async move { client.get_payout("pay_1").send().await });
    assert_eq!(task.await.unwrap().unwrap().data.id.as_str(), "pay_1");
}

#[test]
fn known_values_read_and_write_as_the_document_spells_them() {
    for stage in PayoutStage::KNOWN {
        let text = serde_json::to_string(stage).unwrap();
        assert_eq!(text, format!("\"{stage}\""));
        assert_eq!(serde_json::from_str::<PayoutStage>(&text).unwrap(), *stage);
    }
    assert_eq!(PartnerStatus::from("active"), PartnerStatus::Active);
}

#[test]
fn unknown_value_survives_reading_and_writing() {
    let status: CommissionLineStatus = serde_json::from_str("\"DISPUTED\"").unwrap();
    assert_eq!(status, CommissionLineStatus::Unknown("DISPUTED".to_owned()));
    assert_eq!(serde_json::to_string(&status).unwrap(), "\"DISPUTED\"");
}
