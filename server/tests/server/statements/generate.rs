//! Calls that read no lines, make no document or have too many lines (§4.7, S1–S3). The suite sees
//! no tables, and no payout of 20,000 lines.

use sqlx::AssertSqlSafe;

use super::generate;
use crate::support::{Key, TestServer, dataset::*, operator};

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
    assert_eq!(rejected.code(), "STATEMENT_TOO_LARGE");
    server.detach(ITS_LINE).expect(200).await;
    generate(&server, ONE_LINE).await;
}
