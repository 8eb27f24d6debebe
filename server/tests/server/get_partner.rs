//! §4.2, R1: get a partner, by either of its two ids.

use crate::support::{Key, TestResponse, TestServer, dataset::*, snapshot};

async fn get(server: &TestServer, key: Key, reference: &str) -> TestResponse {
    server.get(key, &format!("/api/v1/partners/{reference}")).send().await
}

#[tokio::test]
async fn get_partner_answers_every_field() {
    let server = TestServer::start().await;
    let response = get(&server, Key::MAIN, NORDWIND).await;
    snapshot("get_partner", "with_every_field", &response);
    let response = get(&server, Key::MAIN, BARE).await;
    snapshot("get_partner", "with_a_name_alone", &response);
}

#[tokio::test]
async fn get_partner_accepts_the_external_id_of_its_own_organisation() {
    let server = TestServer::start().await;
    let by_external_id = get(&server, Key::MAIN, NORDWIND_EXTERNAL).await;
    assert_eq!(by_external_id.text, get(&server, Key::MAIN, NORDWIND).await.text);
    let other = get(&server, Key::OTHER, NORDWIND_EXTERNAL).await;
    assert_eq!(other.body["data"]["id"], FOREIGN_PARTNER);
}

#[tokio::test]
async fn get_partner_takes_a_reference_as_service_id_first() {
    let server = TestServer::start().await;
    let response = get(&server, Key::MAIN, SHADOW).await;
    assert_eq!(response.body["data"]["externalId"], NORDWIND);
    let response = get(&server, Key::MAIN, NORDWIND).await;
    assert_eq!(response.body["data"]["id"], NORDWIND);
    // The other tenant has no partner with this service id, and must not find main's by its CRM id.
    assert_eq!(get(&server, Key::OTHER, NORDWIND).await.status, 404);
}

#[tokio::test]
async fn get_partner_decodes_the_reference_once() {
    let server = TestServer::start().await;
    let response = get(&server, Key::MAIN, "a%2Fb%20c%2520d").await;
    assert_eq!(response.body["data"]["externalId"], "a/b c%20d");
    assert_eq!(get(&server, Key::MAIN, "a%2Fb%20c%20d").await.status, 404);
    assert_eq!(get(&server, Key::MAIN, "a%2Fb+c%2520d").await.status, 404, "a plus is a plus");
}

#[tokio::test]
async fn get_partner_compares_references_by_character() {
    let server = TestServer::start().await;
    let lower = NORDWIND.to_lowercase();
    for reference in [&*lower, "JP-5021", "jp-5021%20", "%20jp-5021", "jp_5021", "jp-502_", "%25"] {
        assert_eq!(get(&server, Key::MAIN, reference).await.status, 404, "{reference}");
    }
    assert_eq!(get(&server, Key::MAIN, "jp-5021").await.status, 200);
}

#[tokio::test]
async fn get_partner_answers_a_foreign_partner_like_an_absent_one() {
    let server = TestServer::start().await;
    let foreign = get(&server, Key::MAIN, FOREIGN_PARTNER).await;
    let absent = get(&server, Key::MAIN, NO_PARTNER).await;
    assert_eq!(foreign.text, absent.text);
    snapshot("get_partner", "absent", &absent);
}

#[tokio::test]
async fn get_partner_overlays_company_properties_by_the_partner_objects() {
    let server = TestServer::start().await;
    let response = get(&server, Key::MAIN, NORDWIND).await;
    let data = &response.body["data"];
    let combined = data["crmProperties"].as_object().unwrap();
    for (name, value) in combined {
        let own = data["partnerObjectCrmProperties"].get(name);
        assert_eq!(Some(value), own.or_else(|| data["companyCrmProperties"].get(name)), "{name}");
    }
    assert_eq!(combined.len(), 6);
    assert_eq!(combined["region"], "DACH");
    assert_eq!(data["managerEmail"], data["manager"]["email"]);
}

#[tokio::test]
async fn get_partner_shows_names_of_all_scripts_to_the_character() {
    let server = TestServer::start().await;
    let names = [
        ("3", "ООО «Ромашка»"),
        ("4", "株式会社さくら商事"),
        ("6", "한빛 파트너스 주식회사"),
        ("7", "شركة النور للتجارة"),
        ("8", "🚀 Rocket & Co 👩‍🚀"),
        ("C", "O'Reilly \"Quotes\" \\ <b>& Sons</b>; DROP TABLE partners; --"),
    ];
    for (last, name) in names {
        let id = format!("ptn_01JV3N8Q5R000000000000000{last}");
        assert_eq!(get(&server, Key::MAIN, &id).await.body["data"]["name"], name);
    }
}
