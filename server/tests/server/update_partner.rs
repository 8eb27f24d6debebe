//! §4.3, R2: what an update changes, and what it leaves alone.

use serde_json::{Value, json};

use crate::support::{Key, NOON, TestResponse, TestServer, dataset::*, snapshot};

async fn get(server: &TestServer, id: &str) -> Value {
    let response = server.get(Key::MAIN, &format!("/api/v1/partners/{id}")).expect(200).await;
    response.body["data"].clone()
}

async fn update(server: &TestServer, id: &str, body: Value) -> TestResponse {
    server.update(id, body).expect(200).await
}

#[tokio::test]
async fn update_partner_changes_every_field_that_it_can() {
    let server = TestServer::start().await;
    let body = json!({
        "name": "Nordwind Logistik GmbH",
        "domain": "nordwind-logistik.example",
        "portalAccess": "RESTRICTED_DOMAINS",
        "tierId": "tier_01JV3N8Q5R0000000000000002",
        "experienceTemplateId": "tmpl_01JV3N8Q5R0000000000000002",
        "phaseId": "phase_01JV3N8Q5R0000000000000001",
        "partnerOwnerId": "user_01JV3N8Q5R0000000000000002",
    });
    let response = update(&server, NORDWIND, body).await;
    snapshot("update_partner", "every_field", &response);
    assert_eq!(get(&server, NORDWIND).await, response.body["data"]);
}

#[tokio::test]
async fn update_partner_keeps_what_the_body_does_not_name() {
    let server = TestServer::start().await;
    let changes = [
        ("name", json!("Other name"), "name"),
        ("domain", json!("other.example"), "domain"),
        ("tierId", json!("tier_01JV3N8Q5R0000000000000002"), "tierId"),
        ("phaseId", json!("phase_01JV3N8Q5R0000000000000001"), "phaseId"),
        ("experienceTemplateId", json!("tmpl_01JV3N8Q5R0000000000000002"), "experienceTemplateId"),
        ("partnerOwnerId", json!("user_01JV3N8Q5R0000000000000003"), "owner"),
    ];
    for (field, value, shown) in changes {
        let before = get(&server, NORDWIND).await;
        let after = update(&server, NORDWIND, json!({ field: value })).await;
        for (name, value) in before.as_object().unwrap() {
            let changed = name == shown || name == "updatedAt";
            assert_eq!(&after.body["data"][name] != value, changed, "{field}: {name}");
        }
    }
}

#[tokio::test]
async fn update_partner_clears_the_domain_by_null() {
    let server = TestServer::start().await;
    let response = update(&server, NORDWIND, json!({"domain": null})).await;
    snapshot("update_partner", "domain_cleared", &response);
    let again = update(&server, NORDWIND, json!({"domain": null})).await;
    assert_eq!(again.text, response.text, "clearing what is clear changes nothing");
    let response = update(&server, NORDWIND, json!({"domain": "nordwind.example"})).await;
    assert_eq!(response.body["data"]["domain"], "nordwind.example");
}

#[tokio::test]
async fn update_partner_without_a_difference_moves_no_time() {
    let server = TestServer::start().await;
    let before = get(&server, NORDWIND).await;
    let bodies = [
        json!({}),
        json!({"name": before["name"], "domain": before["domain"], "tierId": before["tierId"]}),
        json!({"phaseId": before["phaseId"], "partnerOwnerId": before["owner"]["id"]}),
        json!({
            "experienceTemplateId": before["experienceTemplateId"],
            "portalAccess": "RESTRICTED_USERS",
        }),
        json!({"portalAccess": "RESTRICTED_DOMAINS"}),
        json!({"name": before["name"], "portalAccess": "RESTRICTED_DOMAINS"}),
    ];
    for body in bodies {
        let response = update(&server, NORDWIND, body.clone()).await;
        assert_eq!(response.body["data"], before, "{body}");
    }
    let response = update(&server, NORDWIND, json!({})).await;
    snapshot("update_partner", "no_difference", &response);
}

#[tokio::test]
async fn update_partner_publishes_a_portal_access_together_with_its_template_alone() {
    let server = TestServer::start().await;
    let superuser_pool = server.superuser().await;
    let access = async || -> Option<String> {
        sqlx::query_scalar("SELECT portal_access FROM partners WHERE id = $1")
            .bind(BARE)
            .fetch_one(&superuser_pool)
            .await
            .unwrap()
    };
    update(&server, BARE, json!({"portalAccess": "RESTRICTED_USERS"})).await;
    assert_eq!(access().await, None);
    let template = "tmpl_01JV3N8Q5R0000000000000001";
    let body = json!({"portalAccess": "RESTRICTED_USERS", "experienceTemplateId": template});
    let response = update(&server, BARE, body).await;
    assert_eq!(response.body["data"]["experienceTemplateId"], template);
    assert_eq!(access().await.as_deref(), Some("RESTRICTED_USERS"));
    let body = json!({"portalAccess": "RESTRICTED_DOMAINS", "experienceTemplateId": template});
    let later = update(&server, BARE, body).await;
    assert_eq!(access().await.as_deref(), Some("RESTRICTED_DOMAINS"));
    assert_ne!(later.body["data"]["updatedAt"], response.body["data"]["updatedAt"]);
}

#[tokio::test]
async fn update_partner_moves_updated_at_to_now_and_always_forward() {
    let server = TestServer::start().await;
    let first = update(&server, BARE, json!({"name": "One"})).await;
    assert_eq!(first.body["data"]["updatedAt"], NOON);
    let second = update(&server, BARE, json!({"name": "Two"})).await;
    assert_eq!(second.body["data"]["updatedAt"], "2026-06-15T12:00:00.001Z");
    assert_eq!(second.body["data"]["createdAt"], "2026-01-11T09:10:00.000Z");
    server.database.set_clock("2026-06-15T13:00:00.5Z").await.unwrap();
    let third = update(&server, BARE, json!({"name": "Three"})).await;
    assert_eq!(third.body["data"]["updatedAt"], "2026-06-15T13:00:00.500Z");
}

#[tokio::test]
async fn update_partner_accepts_the_external_id_and_takes_the_service_id_first() {
    let server = TestServer::start().await;
    let response = update(&server, NORDWIND_EXTERNAL, json!({"name": "By external id"})).await;
    assert_eq!(response.body["data"]["id"], NORDWIND);
    update(&server, NORDWIND, json!({"name": "By service id"})).await;
    assert_eq!(get(&server, NORDWIND).await["name"], "By service id");
    assert_eq!(get(&server, SHADOW).await["name"], "Shadow of Nordwind");
    let other = server.get(Key::OTHER, &format!("/api/v1/partners/{NORDWIND_EXTERNAL}"));
    assert_eq!(other.expect(200).await.body["data"]["name"], "First partner of other");
}

#[tokio::test]
async fn update_partner_answers_a_foreign_partner_like_an_absent_one() {
    let server = TestServer::start().await;
    let body = json!({"name": "Taken over", "tierId": "tier_none"});
    let foreign = server.update(FOREIGN_PARTNER, body.clone()).expect(404).await;
    let absent = server.update(NO_PARTNER, body).expect(404).await;
    assert_eq!(foreign.text, absent.text);
    snapshot("update_partner", "absent", &absent);
    let kept = server.get(Key::OTHER, &format!("/api/v1/partners/{FOREIGN_PARTNER}"));
    assert_eq!(kept.expect(200).await.body["data"]["name"], "First partner of other");
}

#[tokio::test]
async fn update_partner_names_all_unknown_references_and_changes_nothing() {
    let server = TestServer::start().await;
    let before = get(&server, BARE).await;
    let body = json!({
        "name": "Not kept",
        "tierId": "tier_01JV3N8Q5R0200000000000001",
        "phaseId": "phase_none",
        "experienceTemplateId": "tmpl_none",
        "partnerOwnerId": "user_01JV3N8Q5R0200000000000001",
    });
    let response = server.update(BARE, body).expect(422).await;
    snapshot("update_partner", "unknown_references", &response);
    assert_eq!(get(&server, BARE).await, before);
    let body = json!({"tierId": "tier_01JV3N8Q5R0000000000000001", "phaseId": "phase_none"});
    let response = server.update(BARE, body).expect(422).await;
    assert_eq!(response.issues(), ["body /phaseId INVALID_REFERENCE"]);
}
