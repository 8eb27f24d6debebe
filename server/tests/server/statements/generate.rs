//! The operation's rules and the order of its checks (§4.7, S1–S3).

use sqlx::AssertSqlSafe;

use super::{Statement, download, generate};
use crate::support::{Key, TestServer, dataset::*, operator, snapshot};

#[tokio::test]
async fn statement_is_rendered_and_linked() {
    let server = TestServer::start().await;
    let response = server.statement(ONE_LINE).expect(200).await;
    let statement = Statement::of(&response);
    assert!(statement.asset_id.starts_with("ast_"));
    assert_eq!(statement.filename, "statement-Nordwind-Handels-GmbH-2026-05.pdf");
    // Noon, the test's clock, and 3,600 seconds.
    assert_eq!(statement.expires_at, "2026-06-15T13:00:00.000Z");
    assert!(!statement.is_uploaded);
    assert!(statement.url.starts_with(&format!("{}/statements/", server.base_url())));
    let fields: Vec<&String> = response.body["data"].as_object().unwrap().keys().collect();
    assert_eq!(fields.len(), 5, "§2.4: no other field: {fields:?}");
    download(&server, &statement.url).await;
}

#[tokio::test]
async fn repeated_call_returns_the_same_document_with_a_new_link() {
    let server = TestServer::start().await;
    let first = generate(&server, ONE_LINE).await;
    server.database.advance_clock(std::time::Duration::from_secs(60)).await.unwrap();
    let second = generate(&server, ONE_LINE).await;
    assert_eq!(second.asset_id, first.asset_id);
    assert_eq!(second.expires_at, "2026-06-15T13:01:00.000Z");
    assert_ne!(second.url, first.url);
    assert_eq!(download(&server, &second.url).await, download(&server, &first.url).await);
}

/// On an idle server the operation begins beside its admission.
#[tokio::test]
async fn rejected_call_makes_no_document() {
    let server = TestServer::start().await;
    server.get(Key::MAIN, "/api/v1/partners").expect(200).await;
    operator::set_limits(&server, MAIN, 1000, Some(0)).await;
    server.statement(ONE_LINE).expect(402).await;
    operator::set_limits(&server, MAIN, 1, None).await;
    server.statement(ONE_LINE).expect(429).await;
    let made = "SELECT (SELECT count(*) FROM payout.asset_intents)
                     + (SELECT count(*) FROM payout.assets WHERE payout_id = $1)";
    let made: i64 =
        sqlx::query_scalar(made).bind(ONE_LINE).fetch_one(&server.superuser().await).await.unwrap();
    assert_eq!(made, 0);
}

#[tokio::test]
async fn repeated_call_reads_no_lines() {
    let server = TestServer::start().await;
    let first = generate(&server, FORTY_ONE).await;
    let superuser_pool = server.superuser().await;
    let revoke = "REVOKE ALL ON payout.commission_lines FROM payout_app";
    let role: String = sqlx::query_scalar(
        "SELECT grantee::text FROM information_schema.role_table_grants
          WHERE table_name = 'commission_lines' AND privilege_type = 'INSERT'
            AND grantee <> grantor LIMIT 1",
    )
    .fetch_one(&superuser_pool)
    .await
    .unwrap();
    let revoke = revoke.replace("payout_app", &format!("\"{role}\""));
    sqlx::query(AssertSqlSafe(revoke)).execute(&superuser_pool).await.unwrap();
    server.get(Key::MAIN, "/api/v1/commission-lines").expect(500).await;
    let second = generate(&server, FORTY_ONE).await;
    assert_eq!(second.asset_id, first.asset_id);
}

#[tokio::test]
async fn stage_and_payout_stay_as_they_are() {
    let server = TestServer::start().await;
    let path = format!("/api/v1/payouts/{ONE_LINE}");
    let before = server.get(Key::MAIN, &path).expect(200).await;
    generate(&server, ONE_LINE).await;
    let after = server.get(Key::MAIN, &path).expect(200).await;
    assert_eq!(before.body, after.body);
}

#[tokio::test]
async fn statement_leaves_one_row_of_history_for_each_document() {
    let server = TestServer::start().await;
    let superuser_pool = server.superuser().await;
    let request = server.statement(ONE_LINE).header("x-request-id", "statement-1");
    let first = Statement::of(&request.expect(200).await);
    generate(&server, ONE_LINE).await;
    let rows = operator::history(&superuser_pool, ONE_LINE).await;
    let [row] = rows.as_slice() else {
        panic!("one row: {rows:?}");
    };
    assert_eq!(row.action, "generate_statement");
    assert_eq!(row.request_id.as_deref(), Some("statement-1"));
    assert_eq!(row.actor, operator::key_id(&superuser_pool, MAIN, "all").await);
    assert_eq!(row.after, Some(serde_json::json!({ "assetId": first.asset_id })));
}

#[tokio::test]
async fn rejections_stand_in_their_order() {
    let server = TestServer::start().await;
    let absent = server.statement("pay_01JV3N8Q5RZZZZZZZZZZZZZZZZ").expect(404).await;
    snapshot("generate_statement", "absent", &absent);
    let foreign = server.statement("pay_01JV3N8Q5R0200000000000001").expect(404).await;
    assert_eq!(foreign.body, absent.body);
    let empty = server.statement(EMPTY).expect(422).await;
    snapshot("generate_statement", "no_lines", &empty);
    let no_billing = Key("no_billing", "all");
    let path = "/api/v1/payouts/pay_01JV3N8Q5R0300000000000001/statement";
    let incomplete = server.post(no_billing, path).expect(422).await;
    snapshot("generate_statement", "no_billing", &incomplete);
    let superuser_pool = server.superuser().await;
    let detach = "UPDATE payout.commission_lines SET payout_id = NULL, status = 'PENDING'
                   WHERE organization_id = 'org_01JV3N8Q5R0000000000000003'
                     AND payout_id IS NOT NULL";
    sqlx::query(detach).execute(&superuser_pool).await.unwrap();
    let neither = server.post(no_billing, path).expect(422).await;
    assert_eq!(neither.code(), "NO_COMMISSION_LINES", "lines come before billing");
    let uploaded = generate(&server, UPLOADED).await;
    assert!(uploaded.is_uploaded, "an uploaded PDF needs no lines");
}

#[tokio::test]
async fn incomplete_billing_is_rejected_although_a_document_exists() {
    let server = TestServer::start().await;
    let superuser_pool = server.superuser().await;
    let first = generate(&server, ONE_LINE).await;
    let set = async |value: &str| {
        let statement = format!(
            "UPDATE payout.billing_information SET city = {value} WHERE organization_id = '{MAIN}'"
        );
        sqlx::query(AssertSqlSafe(statement)).execute(&superuser_pool).await.unwrap();
    };
    set("NULL").await;
    let rejected = server.statement(ONE_LINE).expect(422).await;
    assert_eq!(rejected.code(), "NO_BILLING_INFO");
    assert!(rejected.text.contains("incomplete: city."), "{}", rejected.text);
    set("'Hamburg'").await;
    assert_eq!(generate(&server, ONE_LINE).await.asset_id, first.asset_id);
}

#[tokio::test]
async fn payout_of_more_lines_than_a_statement_prints_is_rejected() {
    let server = TestServer::start().await;
    let superuser_pool = server.superuser().await;
    let add = async |lines: u32| {
        let statement = format!(
            "INSERT INTO payout.commission_lines (organization_id, id, partner_id, payout_id,
                                                  description, amount, source_amount, currency,
                                                  status, plan_name, period_end)
             SELECT organization_id, 'cln_many_' || gen_random_uuid(), partner_id, payout_id,
                    'one of many', 0, 0, currency, status, plan_name, period_end
               FROM payout.commission_lines, generate_series(1, {lines})
              WHERE organization_id = '{MAIN}' AND id = '{ITS_LINE}'"
        );
        sqlx::query(AssertSqlSafe(statement)).execute(&superuser_pool).await.unwrap();
    };
    add(20_000).await;
    let rejected = server.statement(ONE_LINE).expect(422).await;
    snapshot("generate_statement", "too_large", &rejected);
    server.detach(ITS_LINE).expect(200).await;
    generate(&server, ONE_LINE).await;
}

#[tokio::test]
async fn every_name_of_the_data_set_gives_a_file() {
    let server = TestServer::start().await;
    let mut names = Vec::new();
    for last in "1245678ABC".chars() {
        let statement = generate(&server, &format!("pay_01JV3N8Q5R000000000000000{last}")).await;
        let response = server.follow(&statement.url).send().await.unwrap();
        let disposition = response.headers()["content-disposition"].to_str().unwrap().to_owned();
        names.push(format!("{}\n  {disposition}", statement.filename));
    }
    insta::assert_snapshot!("filenames", names.join("\n"));
}
