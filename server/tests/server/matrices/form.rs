//! §4.3: a PATCH changes the fields that the document lists, each by its own name, and nothing
//! else. Changes are read back and compared with the tables.

use serde_json::{Value, json};

use super::{database::checksum, document::properties};
use crate::support::{Key, TestServer};

const PARTNER: &str = "/api/v1/partners/ptn_01JV3N8Q5R0000000000000001";

/// Names that could have a meaning elsewhere: columns, prototypes, other spellings, other
/// operations' fields.
const HOSTILE_NAMES: [&str; 50] = [
    "",
    " ",
    "Name",
    "NAME",
    "name ",
    " name",
    "na\u{6d}e\u{200b}",
    "nаme",
    "name[]",
    "name.first",
    "name/first",
    "name~1",
    "/name",
    "data",
    "data.name",
    "partner",
    "$set",
    "$where",
    "$ref",
    "@id",
    "_id",
    "__proto__",
    "constructor",
    "prototype",
    "toString",
    "hasOwnProperty",
    "organization_id",
    "organizationId",
    "organisation",
    "tenantId",
    "tier_id",
    "tier",
    "phase_id",
    "portal_access",
    "owner_id",
    "ownerId",
    "partnerOwner",
    "managerId",
    "manager_email",
    "created_at",
    "updated_at",
    "external_id",
    "scopes",
    "role",
    "isAdmin",
    "requestId",
    "limit",
    "'; DROP TABLE partners; --",
    "../id",
    "\u{1F680}",
];

#[tokio::test]
async fn a_patch_rejects_every_readable_and_every_hostile_field_and_changes_nothing() {
    let server = TestServer::start().await;
    let superuser = server.superuser().await;
    let before = checksum(&superuser).await;
    let listed = properties("/components/schemas/UpdatePartnerRequest");
    assert_eq!(listed.len(), 7);
    let readable = properties("/components/schemas/Partner");
    let readable = readable
        .iter()
        .map(String::as_str)
        .filter(|name| !listed.iter().any(|known| known == name));
    let names: Vec<&str> = readable.chain(HOSTILE_NAMES).collect();
    assert!(names.len() > HOSTILE_NAMES.len(), "{names:?}");
    for name in &names {
        let tier = "tier_01JV3N8Q5R0000000000000002";
        let mut body = json!({ "name": "Taken over", "domain": null, "tierId": tier });
        body[*name] = json!("org_01JV3N8Q5R0000000000000002");
        let response = server.patch(Key::MAIN, PARTNER, body).expect(422).await;
        assert_eq!(response.issues(), [unknown_field(name)], "{name:?}");
    }
    let every: Value = names
        .iter()
        .map(|name| ((*name).to_owned(), json!(1)))
        .collect::<serde_json::Map<_, _>>()
        .into();
    let response = server.patch(Key::MAIN, PARTNER, every).expect(422).await;
    let mut expected: Vec<String> = names.iter().map(|name| unknown_field(name)).collect();
    let mut issues = response.issues();
    expected.sort();
    issues.sort();
    assert_eq!(issues, expected);
    assert_eq!(checksum(&superuser).await, before);
}

#[tokio::test]
async fn each_listed_field_changes_what_it_names_and_nothing_else() {
    let cases = [
        (json!({ "name": "Nordwind AG" }), vec!["name"]),
        (json!({ "domain": "nordwind-ag.example" }), vec!["domain"]),
        (json!({ "domain": null }), vec!["domain"]),
        (json!({ "portalAccess": "RESTRICTED_DOMAINS" }), vec![]),
        (json!({ "tierId": "tier_01JV3N8Q5R0000000000000002" }), vec!["tierId"]),
        (
            json!({ "experienceTemplateId": "tmpl_01JV3N8Q5R0000000000000002" }),
            vec!["experienceTemplateId"],
        ),
        (json!({ "phaseId": "phase_01JV3N8Q5R0000000000000001" }), vec!["phaseId"]),
        (json!({ "partnerOwnerId": "user_01JV3N8Q5R0000000000000003" }), vec!["owner"]),
    ];
    let mut named: Vec<&String> =
        cases.iter().flat_map(|(body, _)| body.as_object().unwrap().keys()).collect();
    named.sort();
    named.dedup();
    let mut listed = properties("/components/schemas/UpdatePartnerRequest");
    listed.sort();
    assert_eq!(named, listed.iter().collect::<Vec<_>>(), "each listed field has a case");
    let server = TestServer::start().await;
    for (body, mut expected) in cases {
        let before = server.get(Key::MAIN, PARTNER).expect(200).await.body;
        let response = server.patch(Key::MAIN, PARTNER, body.clone()).expect(200).await;
        let after = server.get(Key::MAIN, PARTNER).expect(200).await.body;
        assert_eq!(response.body, after, "{body}");
        if !expected.is_empty() {
            expected.push("updatedAt");
        }
        let changed = before["data"].as_object().unwrap().iter();
        let changed: Vec<&str> = changed
            .filter(|(name, value)| after["data"][name.as_str()] != **value)
            .map(|(name, _)| name.as_str())
            .collect();
        expected.sort_unstable();
        let mut changed = changed;
        changed.sort_unstable();
        assert_eq!(changed, expected, "{body}");
    }
}

fn unknown_field(name: &str) -> String {
    format!("body /{} UNKNOWN_FIELD", name.replace('~', "~0").replace('/', "~1"))
}
