//! X1: a partner is created, or matched by its domain.

use serde_json::{Value, json};

use super::{get, id, post};
use crate::support::{TestServer, dataset::*, operator};

#[tokio::test]
async fn new_partner_has_its_fields_and_nothing_else() {
    let server = TestServer::start().await;
    let made = post(&server, "partners", &json!({ "name": "Südwind" })).expect(201).await;
    let data = made.body["data"].as_object().unwrap();
    assert_eq!((&data["name"], &data["status"]), (&json!("Südwind"), &json!("pending")));
    for name in ["domain", "externalId", "externalCompanyId", "tierId", "owner", "manager"] {
        assert_eq!(data[name], Value::Null, "{name}");
    }
    assert_eq!((&data["categories"], &data["crmProperties"]), (&json!([]), &json!({})));
    assert_eq!(get(&server, &format!("partners/{}", id(&made.body))).await, made.body["data"]);
    let rows = operator::history(&server.superuser().await, &id(&made.body)).await;
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0].action, "create_partner");
    let another = post(&server, "partners", &json!({ "name": "Südwind" })).expect(201).await;
    assert_ne!(id(&another.body), id(&made.body), "a name identifies nobody");
}

#[tokio::test]
async fn partner_with_a_published_portal_is_active() {
    let server = TestServer::start().await;
    let template = "tmpl_01JV3N8Q5R0000000000000002";
    let body = json!({ "name": "x", "experienceTemplateId": template });
    let made = post(&server, "partners", &body).expect(201).await;
    assert_eq!(made.body["data"]["status"], "active");
    assert_eq!(made.body["data"]["experienceTemplateId"], template);
}

#[tokio::test]
async fn partner_is_matched_by_its_domain_without_ascii_case() {
    let server = TestServer::start().await;
    let before = get(&server, &format!("partners/{NORDWIND}")).await;
    let body = json!({ "name": "Nordwind neu", "domain": "NordWind.example" });
    let matched = post(&server, "partners", &body).expect(200).await;
    let data = &matched.body["data"];
    assert_eq!(data["id"], NORDWIND);
    assert_eq!((&data["name"], &data["domain"]), (&body["name"], &body["domain"]));
    assert_eq!((&data["tierId"], &data["externalId"]), (&before["tierId"], &before["externalId"]));
    let again = post(&server, "partners", &body).expect(200).await;
    assert_eq!(again.body, matched.body, "equal values change nothing, not even updatedAt");
}

#[tokio::test]
async fn unknown_references_of_a_new_partner_are_reported_together() {
    let server = TestServer::start().await;
    let body = json!({ "name": "x", "tierId": "no", "phaseId": "no", "partnerOwnerId": "no" });
    let rejected = post(&server, "partners", &body).expect(422).await;
    assert_eq!(rejected.code(), "INVALID_REFERENCE");
    assert_eq!(rejected.issues().len(), 3);
}
