//! §4.3, §8, R2–R4: the form of an update, to its bounds.

use payout_server::contract::Operation;
use serde_json::{Value, json};

use crate::support::{Key, TestServer, dataset::*, snapshot};

fn fields() -> impl Iterator<Item = &'static str> {
    Operation::UpdatePartner.info().body_fields.iter().copied()
}

/// Without `portalAccess`, which has a value.
fn text_fields() -> impl Iterator<Item = &'static str> {
    fields().filter(|field| *field != "portalAccess")
}

async fn issues(server: &TestServer, body: Value) -> Vec<String> {
    let response = server.update(BARE, body).expect(422).await;
    assert_eq!(response.code(), "VALIDATION_FAILED");
    response.issues()
}

#[tokio::test]
async fn lengths_count_unicode_scalar_values() {
    let server = TestServer::start().await;
    // One scalar each: four bytes and two UTF-16 units; two bytes; one byte; a base with a
    // combining mark is two.
    for character in ["🚀", "é", "a"] {
        for (field, longest) in [("name", 200), ("domain", 255)] {
            let whole = character.repeat(longest);
            let response = server.update(BARE, json!({ field: whole })).expect(200).await;
            assert_eq!(response.body["data"][field], whole);
            let beyond = json!({ field: character.repeat(longest + 1) });
            assert_eq!(issues(&server, beyond).await, [format!("body /{field} TOO_LONG")]);
        }
    }
    let combined = json!({"name": "e\u{301}".repeat(101)});
    assert_eq!(issues(&server, combined).await, ["body /name TOO_LONG"]);
}

#[tokio::test]
async fn one_character_is_enough_and_none_is_not() {
    let server = TestServer::start().await;
    for field in ["name", "domain"] {
        server.update(BARE, json!({ field: "x" })).expect(200).await;
        server.update(BARE, json!({ field: " " })).expect(200).await;
    }
    for field in text_fields() {
        let empty = json!({ field: "" });
        assert_eq!(issues(&server, empty).await, [format!("body /{field} TOO_SHORT")]);
    }
    let long = json!({"tierId": "x".repeat(10_000)});
    let response = server.update(BARE, long).expect(422).await;
    assert_eq!(response.code(), "INVALID_REFERENCE", "an id has no longest form");
}

#[tokio::test]
async fn null_is_for_the_domain_alone() {
    let server = TestServer::start().await;
    for field in fields().filter(|field| *field != "domain") {
        let null = json!({ field: null });
        assert_eq!(issues(&server, null).await, [format!("body /{field} NOT_NULLABLE")]);
    }
    server.update(BARE, json!({"domain": null})).expect(200).await;
}

#[tokio::test]
async fn strings_alone_are_strings() {
    let server = TestServer::start().await;
    for value in [json!(5), json!(1.5), json!(true), json!(["x"]), json!({"x": "y"})] {
        for field in fields() {
            let body = json!({ field: value });
            assert_eq!(
                issues(&server, body).await,
                [format!("body /{field} WRONG_TYPE")],
                "{value}"
            );
        }
    }
}

#[tokio::test]
async fn zero_character_is_rejected_in_every_string() {
    let server = TestServer::start().await;
    for field in text_fields() {
        let body = json!({ field: "a\0b" });
        assert_eq!(issues(&server, body).await, [format!("body /{field} BAD_FORMAT")]);
    }
}

#[tokio::test]
async fn portal_access_is_one_of_two_words() {
    let server = TestServer::start().await;
    for word in ["RESTRICTED_USERS", "RESTRICTED_DOMAINS"] {
        server.update(BARE, json!({"portalAccess": word})).expect(200).await;
    }
    for word in ["", "restricted_users", "PUBLIC", "RESTRICTED_USERS "] {
        let body = json!({"portalAccess": word});
        assert_eq!(issues(&server, body).await, ["body /portalAccess NOT_IN_ENUM"], "{word:?}");
    }
}

#[tokio::test]
async fn body_is_an_object() {
    let server = TestServer::start().await;
    for body in [json!([]), json!("x"), json!(1), json!(true)] {
        assert_eq!(issues(&server, body.clone()).await, ["body  WRONG_TYPE"], "{body}");
    }
    assert_eq!(issues(&server, Value::Null).await, ["body  NOT_NULLABLE"]);
}

#[tokio::test]
async fn fields_that_a_partner_has_and_an_update_does_not_are_unknown() {
    let server = TestServer::start().await;
    let shown = server.get(Key::MAIN, &format!("/api/v1/partners/{BARE}")).expect(200).await;
    let settable = ["name", "domain", "tierId", "phaseId", "experienceTemplateId"];
    for (field, value) in shown.body["data"].as_object().unwrap() {
        if !settable.contains(&field.as_str()) {
            let body = json!({ field: value });
            assert_eq!(issues(&server, body).await, [format!("body /{field} UNKNOWN_FIELD")]);
        }
    }
    let body = json!({"Name": "x", "": 1, "a/b~c": 2});
    let expected =
        ["body /Name UNKNOWN_FIELD", "body / UNKNOWN_FIELD", "body /a~1b~0c UNKNOWN_FIELD"];
    assert_eq!(issues(&server, body).await, expected);
}

#[tokio::test]
async fn all_violations_of_a_request_are_named_at_once() {
    let server = TestServer::start().await;
    let body = json!({
        "nickname": "x",
        "partnerOwnerId": "",
        "tierId": 7,
        "portalAccess": "PUBLIC",
        "domain": "d".repeat(256),
        "name": null,
    });
    let request = server.patch(Key::MAIN, &format!("/api/v1/partners/{BARE}?dryRun=1"), body);
    let response = request.expect(422).await;
    snapshot("update_partner", "many_violations", &response);
    let kept = server.get(Key::MAIN, &format!("/api/v1/partners/{BARE}")).expect(200).await;
    assert_eq!(kept.body["data"]["updatedAt"], "2026-01-11T09:10:00.000Z");
}

#[tokio::test]
async fn form_is_answered_before_resource_and_references() {
    let server = TestServer::start().await;
    server.update(NO_PARTNER, json!({"name": ""})).expect(422).await;
    let response =
        server.update(BARE, json!({"name": "", "tierId": "tier_none"})).expect(422).await;
    assert_eq!(response.issues(), ["body /name TOO_SHORT"]);
}
