//! X1: which partner a domain matches, and what a match changes.

use serde_json::{Value, json};

use super::{get, id, patch, post};
use crate::support::{TestServer, dataset::*, operator};

#[tokio::test]
async fn domain_matches_the_oldest_partner_that_has_it() {
    let server = TestServer::start().await;
    let mut ids = Vec::new();
    for minute in 1..=3 {
        let time = format!("2026-06-15T12:0{minute}:00Z");
        server.database.set_clock(&time).await.unwrap();
        let made = post(&server, "partners", &json!({ "name": "Twin" })).expect(201).await;
        ids.push(id(&made.body));
    }
    for id in ids.iter().rev() {
        let path = format!("partners/{id}");
        patch(&server, &path, json!({ "domain": "Twin.Example" })).expect(200).await;
    }
    let body = json!({ "name": "Found", "domain": "twin.example" });
    let matched = post(&server, "partners", &body).expect(200).await;
    assert_eq!(id(&matched.body), ids[0]);
}

#[tokio::test]
async fn letters_beyond_ascii_match_with_their_case_alone() {
    let server = TestServer::start().await;
    let create =
        |domain: &str| post(&server, "partners", &json!({ "name": "x", "domain": domain }));
    let first = create("bücher.example").expect(201).await;
    create("BÜCHER.example").expect(201).await;
    let matched = create("BüCHER.EXAMPLE").expect(200).await;
    assert_eq!(id(&matched.body), id(&first.body));
}

#[tokio::test]
async fn domain_of_another_organisation_and_null_match_nobody() {
    let server = TestServer::start().await;
    let superuser = server.superuser().await;
    sqlx::query("UPDATE partners SET domain = 'theirs.example' WHERE id = $1")
        .bind(FOREIGN_PARTNER)
        .execute(&superuser)
        .await
        .unwrap();
    for domain in [json!("theirs.example"), Value::Null] {
        let body = json!({ "name": "New", "domain": domain });
        let made = post(&server, "partners", &body).expect(201).await;
        assert_eq!(made.body["data"]["domain"], domain);
    }
    assert!(operator::history(&superuser, FOREIGN_PARTNER).await.is_empty());
}

#[tokio::test]
async fn match_with_unknown_references_changes_nothing() {
    let server = TestServer::start().await;
    let path = format!("partners/{NORDWIND}");
    let before = get(&server, &path).await;
    let body = json!({
        "name": "Not kept", "domain": "nordwind.example", "tierId": "no", "phaseId": "no",
    });
    let rejected = post(&server, "partners", &body).expect(422).await;
    let both = ["body /tierId INVALID_REFERENCE", "body /phaseId INVALID_REFERENCE"];
    assert_eq!(rejected.issues(), both);
    assert_eq!(get(&server, &path).await, before);
}

#[tokio::test]
async fn match_is_an_update_in_the_history_and_keeps_the_status() {
    let server = TestServer::start().await;
    let superuser = server.superuser().await;
    let pending = json!({ "name": "Later active", "domain": "later.example" });
    let made = post(&server, "partners", &pending).expect(201).await;
    let template = "tmpl_01JV3N8Q5R0000000000000001";
    let mut body = pending;
    body["experienceTemplateId"] = json!(template);
    let matched = post(&server, "partners", &body).expect(200).await;
    assert_eq!(matched.body["data"]["status"], "pending", "an update changes no status");
    let rows = operator::history(&superuser, &id(&made.body)).await;
    let actions: Vec<&str> = rows.iter().map(|row| row.action.as_str()).collect();
    assert_eq!(actions, ["create_partner", "update_partner"]);
    assert_eq!(rows[0].before, None);
    assert_eq!(rows[0].after, rows[1].before);
    assert_eq!(rows[1].after.as_ref().unwrap()["experienceTemplateId"], template);
}

#[tokio::test]
async fn portal_access_of_a_new_partner_takes_effect_only_with_a_template() {
    let server = TestServer::start().await;
    let superuser = server.superuser().await;
    let access = async |body: Value| -> Option<String> {
        let made = post(&server, "partners", &body).expect(201).await;
        sqlx::query_scalar("SELECT portal_access FROM partners WHERE id = $1")
            .bind(id(&made.body))
            .fetch_one(&superuser)
            .await
            .unwrap()
    };
    let mut body = json!({ "name": "x", "portalAccess": "RESTRICTED_USERS" });
    assert_eq!(access(body.clone()).await, None);
    body["experienceTemplateId"] = json!("tmpl_01JV3N8Q5R0000000000000001");
    assert_eq!(access(body).await.as_deref(), Some("RESTRICTED_USERS"));
}
