//! What a request for a sync queues, and what a sync changes.

use serde_json::json;

use super::{stub::Answer, *};
use crate::{
    client_examples::run,
    support::dataset::{NORDWIND, NORDWIND_EXTERNAL},
};

/// The partner as text, so that digits are seen.
async fn partner(server: &TestServer, id: &str) -> String {
    server.get(Key::MAIN, &format!("/api/v1/partners/{id}")).expect(200).await.text
}

async fn partner_syncs_in_history(server: &TestServer) -> i64 {
    server.value("SELECT count(*) FROM history WHERE action = 'sync_partner'").await
}

#[tokio::test]
async fn sync_of_a_partner_replaces_its_map_and_keeps_every_digit() {
    let (server, crm) = start().await;
    let before = server.get(Key::MAIN, &format!("/api/v1/partners/{NORDWIND}")).expect(200).await;
    let number = "90071992547409931234567890.10";
    crm.answer([Answer::Object(format!(
        r#"{{"region":"EMEA","deals":1.50,"credit":{number},"industry":null}}"#
    ))]);
    let sync = synced(&server, "PARTNER", NORDWIND_EXTERNAL).await;
    assert_eq!(sync["status"], "SUCCEEDED", "{sync}");
    assert_eq!((&sync["partnerId"], &sync["changed"]), (&json!(NORDWIND), &json!(true)));
    let seen = &crm.seen()[0];
    assert_eq!((&*seen.object_type, &*seen.object_id), ("p_partners", NORDWIND_EXTERNAL));
    assert_eq!(seen.properties, "region,deals,credit,industry");
    let text = partner(&server, NORDWIND).await;
    let after: Value = serde_json::from_str(&text).unwrap();
    let map = &after["data"]["partnerObjectCrmProperties"];
    let names: Vec<&String> = map.as_object().unwrap().keys().collect();
    assert_eq!(names.len(), 4, "what nobody asked for is not stored: {map}");
    assert!(text.contains("1.50") && text.contains(number), "{text}");
    assert!(after["data"]["updatedAt"].as_str() > before.body["data"]["updatedAt"].as_str());
    // The map of its company stays.
    assert_eq!(after["data"]["companyCrmProperties"], before.body["data"]["companyCrmProperties"]);
    let row: Value = server
        .value(
            "SELECT jsonb_build_object('actor', actor LIKE 'key_%', 'request', request_id <> '',
                                       'resource', resource_id, 'before', before ? \
             'partnerObjectCrmProperties', 'after', after #> '{partnerObjectCrmProperties,deals}')
               FROM history WHERE action = 'sync_partner'",
        )
        .await;
    assert_eq!(row["resource"], NORDWIND);
    assert_eq!([&row["actor"], &row["request"], &row["before"]], [true, true, true]);
    assert_eq!(row["after"].to_string(), "1.50");
}

#[tokio::test]
async fn sync_that_finds_the_same_changes_nothing() {
    let (server, _) = start().await;
    assert_eq!(synced(&server, "PARTNER", NORDWIND_EXTERNAL).await["changed"], true);
    let before = partner(&server, NORDWIND).await;
    let again = synced(&server, "PARTNER", NORDWIND_EXTERNAL).await;
    assert_eq!((&again["status"], &again["changed"]), (&json!("SUCCEEDED"), &json!(false)));
    assert_eq!(again["partnerId"], NORDWIND);
    assert_eq!(partner(&server, NORDWIND).await, before);
    assert_eq!(partner_syncs_in_history(&server).await, 1);
}

/// `1.0` and `1.00` are equal numbers, and other digits.
#[tokio::test]
async fn sync_that_finds_other_digits_of_an_equal_number_changes_them() {
    let (server, crm) = start().await;
    for digits in ["1.0", "1.00"] {
        crm.answer([Answer::Object(format!(r#"{{"deals":{digits}}}"#))]);
        assert_eq!(synced(&server, "PARTNER", NORDWIND_EXTERNAL).await["changed"], true);
        let text = partner(&server, NORDWIND).await;
        assert!(text.contains(&format!(r#"{{"deals":{digits}}}"#)), "{text}");
    }
}

#[tokio::test]
async fn sync_of_a_company_changes_each_of_its_partners() {
    let (server, crm) = start().await;
    server
        .execute(format!(
            "UPDATE partners SET external_company_id = '{COMPANY}'
              WHERE organization_id = '{MAIN}' AND id = '{NORDWIND}';
             UPDATE partners SET external_company_id = '{COMPANY}'
              WHERE organization_id = '{OTHER}'"
        ))
        .await;
    crm.answer([Answer::object(r#"{"region":"APAC","deals":7}"#)]);
    let sync = synced(&server, "COMPANY", COMPANY).await;
    assert_eq!((&sync["status"], &sync["changed"]), (&json!("SUCCEEDED"), &json!(true)));
    assert_eq!(crm.seen()[0].object_type, "companies");
    let oldest: String = server
        .value(format!(
            "SELECT id FROM partners
              WHERE organization_id = '{MAIN}' AND external_company_id = '{COMPANY}'
              ORDER BY created_at, id LIMIT 1"
        ))
        .await;
    assert_eq!(sync["partnerId"], oldest.as_str());
    // `deals` is a property of partners alone.
    let changed: i64 = server
        .value(
            r#"SELECT count(*) FROM partners WHERE company_crm_properties = '{"region":"APAC"}'"#,
        )
        .await;
    assert_eq!((changed, partner_syncs_in_history(&server).await), (2, 2));
}

#[tokio::test]
async fn sync_of_an_object_without_a_partner_fails() {
    let (server, _) = start().await;
    for (kind, object) in [("PARTNER", "nobody"), ("COMPANY", NORDWIND_EXTERNAL)] {
        let sync = synced(&server, kind, object).await;
        assert_eq!(failure(&sync), "NO_PARTNER");
        assert_eq!((&sync["partnerId"], &sync["changed"]), (&Value::Null, &json!(false)));
    }
}

#[tokio::test]
async fn requests_at_once_queue_one_sync() {
    let (server, _) = start_with(|serve| serve.crm.crm_syncs = 0).await;
    let requests = (0..20).map(|_| sync(&server, Key::MAIN, "PARTNER", NORDWIND_EXTERNAL));
    let queued = futures_util::future::join_all(requests).await;
    let new = queued.iter().filter(|(_, already_queued)| !already_queued).count();
    assert_eq!(new, 1, "{queued:?}");
    assert!(queued.iter().all(|(id, _)| *id == queued[0].0), "{queued:?}");
    // Another kind, another object and another organisation have syncs of their own.
    for (key, kind, object) in [
        (Key::MAIN, "COMPANY", NORDWIND_EXTERNAL),
        (Key::MAIN, "PARTNER", "ru-77"),
        (Key::OTHER, "PARTNER", NORDWIND_EXTERNAL),
    ] {
        assert!(!sync(&server, key, kind, object).await.1);
    }
    let rows: i64 = server.value("SELECT count(*) FROM crm_syncs WHERE status = 'QUEUED'").await;
    let history: i64 =
        server.value("SELECT count(*) FROM history WHERE action = 'sync_crm_object'").await;
    let queue: i64 = server.value("SELECT sum(queued)::bigint FROM crm_queue").await;
    assert_eq!((rows, history, queue), (4, 4, 4));
}

#[tokio::test]
async fn request_about_an_object_that_is_read_queues_another_sync_behind_it() {
    let (server, crm) = start().await;
    crm.answer([Answer::Held(r#"{"region":"OLD"}"#.to_owned())]);
    let (first, _) = sync(&server, Key::MAIN, "PARTNER", NORDWIND_EXTERNAL).await;
    until(async || crm.open() == 1).await;
    assert_eq!(read(&server, Key::MAIN, &first).await["status"], "RUNNING");
    // The CRM has the new value after this sync has read the old one.
    crm.answer([Answer::object(r#"{"region":"NEW"}"#)]);
    let (second, is_first) = sync(&server, Key::MAIN, "PARTNER", NORDWIND_EXTERNAL).await;
    let (same, is_known) = sync(&server, Key::MAIN, "PARTNER", NORDWIND_EXTERNAL).await;
    assert_eq!((first == second, is_first), (false, false));
    assert_eq!((same == second, is_known), (true, true));
    crm.release(1);
    for id in [first, second] {
        assert_eq!(ended(&server, Key::MAIN, &id).await["status"], "SUCCEEDED");
    }
    assert!(partner(&server, NORDWIND).await.contains(r#"{"region":"NEW"}"#));
    assert_eq!(crm.peak(), (1, Vec::new()), "never two of one object at a time");
}

#[tokio::test]
async fn organization_without_a_connection_syncs_nothing() {
    let (server, crm) = start_with(|serve| serve.crm.crm_syncs = 0).await;
    let (queued, _) = sync(&server, Key::MAIN, "PARTNER", NORDWIND_EXTERNAL).await;
    succeed(&server, &["crm", "disconnect", "--organization", MAIN]).await;
    let path = format!("/api/v1/crm/objects/PARTNER/sync/{NORDWIND_EXTERNAL}");
    let refused = server.post(Key::MAIN, &path).expect(422).await;
    assert_eq!(refused.code(), "CRM_NOT_CONNECTED");
    let other = server.replica_with(|serve| serve.crm.crm_syncs = 1).await;
    let sync = ended(&other, Key::MAIN, &queued).await;
    assert_eq!(failure(&sync), "CRM_UNAUTHORIZED");
    assert!(crm.seen().is_empty());
    let sealed: i64 = server
        .value(format!(
            "SELECT count(sealed_token) FROM crm_connections WHERE organization_id = '{MAIN}'"
        ))
        .await;
    assert_eq!(sealed, 0, "the token is gone");
}

#[tokio::test]
async fn sync_of_another_organization_does_not_exist() {
    let (server, _) = start().await;
    let before = partner(&server, NORDWIND).await;
    let (id, _) = sync(&server, Key::OTHER, "PARTNER", NORDWIND_EXTERNAL).await;
    ended(&server, Key::OTHER, &id).await;
    server.get(Key::MAIN, &format!("/api/v1/crm/syncs/{id}")).expect(404).await;
    // The partner of main with this id is as it was.
    assert_eq!(partner(&server, NORDWIND).await, before);
    assert_eq!(partner_syncs_in_history(&server).await, 1);
}

#[tokio::test]
async fn example_of_the_client_waits_for_the_end_of_a_sync() {
    let (server, _) = start().await;
    for (object, said) in [
        (NORDWIND_EXTERNAL, format!("PARTNER {NORDWIND_EXTERNAL} changed {NORDWIND}")),
        (NORDWIND_EXTERNAL, format!("PARTNER {NORDWIND_EXTERNAL} changed nothing of {NORDWIND}")),
        (
            "nobody",
            "PARTNER nobody: No partner of the organisation has this object's id".to_owned(),
        ),
    ] {
        let output = run(&server, "sync_crm_object", &["PARTNER", object]).await;
        let printed = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert!(printed.contains(&said), "{printed}");
    }
}

#[tokio::test]
async fn kind_outside_the_set_and_id_above_its_length_are_violations() {
    let (server, _) = start().await;
    let long = "a".repeat(256);
    let refused = server.post(Key::MAIN, &format!("/api/v1/crm/objects/DEAL/sync/{long}"));
    let refused = refused.expect(422).await;
    let issues = refused.body["error"]["details"]["issues"].as_array().unwrap();
    let issues: Vec<_> =
        issues.iter().map(|issue| (issue["path"].clone(), issue["code"].clone())).collect();
    let expected = [("/type", "NOT_IN_ENUM"), ("/id", "TOO_LONG")];
    assert_eq!(issues, expected.map(|(path, code)| (json!(path), json!(code))));
}
