//! Requests that wait for another transaction see all that it did. The tests hold a lock, poll
//! PostgreSQL until the request waits for it, and commit.

use std::future::Future;

use serde_json::{Value, json};
use sqlx::{PgPool, Postgres, Transaction};

use crate::support::{
    TestResponse, TestServer,
    commission::{assert_consistent, get, line, may, patch, post},
    dataset::*,
    operator,
};

/// The only line of [`TO_EMPTY`].
const LAST_LINE: &str = "cln_01JV3N8Q5R0000000000000040";
/// A payout in `APPROVED`.
const TO_EMPTY: &str = "pay_01JV3N8Q5R000000000000000E";
/// A payout that only the held transaction knows.
const NEW_PAYOUT: &str = "pay_01JV3N8Q5R00000000000000ZZ";

/// A transaction that has run these statements.
async fn held(superuser: &PgPool, statements: &[String]) -> Transaction<'static, Postgres> {
    let mut transaction = superuser.begin().await.unwrap();
    for statement in statements {
        let statement = sqlx::AssertSqlSafe(statement.as_str());
        sqlx::raw_sql(statement).execute(&mut *transaction).await.unwrap();
    }
    transaction
}

/// Sends a request that waits for the transaction, and commits that one meanwhile.
async fn waits_for(
    superuser: &PgPool,
    held: Transaction<'static, Postgres>,
    request: impl Future<Output = TestResponse> + Send + 'static,
) -> TestResponse {
    let request = tokio::spawn(request);
    let waits = "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database()
                   AND wait_event_type = 'Lock')";
    while !sqlx::query_scalar::<_, bool>(waits).fetch_one(superuser).await.unwrap() {
        assert!(!request.is_finished(), "the request does not wait");
        tokio::task::yield_now().await;
    }
    held.commit().await.unwrap();
    request.await.unwrap()
}

/// Attaches [`PENDING_LINE`] to a payout that is created with it.
async fn attaching(superuser: &PgPool) -> Transaction<'static, Postgres> {
    let payout = format!(
        "INSERT INTO payouts (organization_id, id, partner_id, batch_id, period_start, period_end,
                              amount, currency, stage)
         SELECT organization_id, '{NEW_PAYOUT}', partner_id, batch_id, period_start, period_end,
                5.05, currency, 'DRAFT'
           FROM payouts WHERE id = '{ONE_LINE}'"
    );
    let line = format!(
        "UPDATE commission_lines SET status = 'IN_PAYOUT', payout_id = '{NEW_PAYOUT}'
          WHERE id = '{PENDING_LINE}'"
    );
    held(superuser, &[payout, line]).await
}

async fn amount_and_stage(server: &TestServer, payout: &str) -> (Value, Value) {
    let payout = get(server, &format!("payouts/{payout}")).await;
    (payout["amount"]["value"].clone(), payout["stage"].clone())
}

#[tokio::test]
async fn detach_lowers_a_payout_that_was_created_while_it_waited() {
    let server = TestServer::start().await;
    let superuser = server.superuser().await;
    let request = server.detach(PENDING_LINE).expect(200);
    let response = waits_for(&superuser, attaching(&superuser).await, request).await;
    assert_eq!(response.body["data"]["payoutId"], Value::Null);
    let expected = (json!("0.00"), json!("DRAFT"));
    assert_eq!(amount_and_stage(&server, NEW_PAYOUT).await, expected);
    assert_consistent(&server).await;
}

#[tokio::test]
async fn decline_declines_a_payout_that_was_created_while_it_waited() {
    let server = TestServer::start().await;
    let superuser = server.superuser().await;
    let path = format!("commission-lines/{PENDING_LINE}/decline");
    let request = post(&server, &path, &json!({ "reason": "DISPUTED" })).expect(200);
    waits_for(&superuser, attaching(&superuser).await, request).await;
    let expected = (json!("0.00"), json!("DECLINED"));
    assert_eq!(amount_and_stage(&server, NEW_PAYOUT).await, expected);
    assert_consistent(&server).await;
}

#[tokio::test]
async fn update_of_a_line_follows_a_payout_that_was_created_while_it_waited() {
    let server = TestServer::start().await;
    let superuser = server.superuser().await;
    let path = format!("commission-lines/{PENDING_LINE}");
    let dollars = patch(&server, &path, json!({ "currency": "USD" })).expect(422);
    let response = waits_for(&superuser, attaching(&superuser).await, dollars).await;
    assert_eq!(response.code(), "CURRENCY_MISMATCH");
    patch(&server, &path, json!({ "amount": "6.00" })).expect(200).await;
    assert_eq!(amount_and_stage(&server, NEW_PAYOUT).await.0, "6.00");
    assert_consistent(&server).await;
}

#[tokio::test]
async fn line_is_not_added_to_a_payout_that_was_paid_while_it_waited() {
    let server = TestServer::start().await;
    let superuser = server.superuser().await;
    let paid = format!("UPDATE payouts SET stage = 'PAID' WHERE id = '{ONE_LINE}'");
    let held = held(&superuser, &[paid]).await;
    let mut body = line(NORDWIND, "1.00");
    body["payoutId"] = json!(ONE_LINE);
    let request = post(&server, "commission-lines", &body).expect(422);
    let response = waits_for(&superuser, held, request).await;
    assert_eq!(response.code(), "PAYOUT_LOCKED");
    assert_eq!(amount_and_stage(&server, ONE_LINE).await.0, "1234.50");
}

#[tokio::test]
async fn line_of_a_payout_that_was_paid_meanwhile_is_neither_changed_nor_declined() {
    let server = TestServer::start().await;
    let superuser = server.superuser().await;
    let path = format!("commission-lines/{LAST_LINE}");
    let stage = |stage| format!("UPDATE payouts SET stage = '{stage}' WHERE id = '{TO_EMPTY}'");
    let paid = held(&superuser, &[stage("PAID")]).await;
    let request = patch(&server, &path, json!({ "amount": "1.00" })).expect(422);
    assert_eq!(waits_for(&superuser, paid, request).await.code(), "LINE_LOCKED");
    sqlx::raw_sql(sqlx::AssertSqlSafe(stage("APPROVED"))).execute(&superuser).await.unwrap();
    let paid = held(&superuser, &[stage("PAID")]).await;
    let decline = post(&server, &format!("{path}/decline"), &json!({ "reason": "DUPLICATE" }));
    assert_eq!(waits_for(&superuser, paid, decline.expect(422)).await.code(), "LINE_LOCKED");
    assert_eq!(amount_and_stage(&server, TO_EMPTY).await, (json!("64.20"), json!("PAID")));
}

#[tokio::test]
async fn decline_of_the_line_that_is_left_over_declines_the_payout() {
    let server = TestServer::start().await;
    let superuser = server.superuser().await;
    let statements = [
        format!(
            "UPDATE commission_lines SET status = 'PENDING', payout_id = NULL
              WHERE id = '{CLAW_BACK}'"
        ),
        format!("UPDATE payouts SET amount = 50 WHERE id = '{NEGATIVE}'"),
    ];
    let held = held(&superuser, &statements).await;
    let path = "commission-lines/cln_01JV3N8Q5R000000000000001B/decline";
    let request = post(&server, path, &json!({ "reason": "INELIGIBLE" })).expect(200);
    waits_for(&superuser, held, request).await;
    let expected = (json!("0.00"), json!("DECLINED"));
    assert_eq!(amount_and_stage(&server, NEGATIVE).await, expected);
}

#[tokio::test]
async fn line_whose_currency_changed_while_the_batch_waited_is_in_its_payout_of_the_new_one() {
    let server = TestServer::start().await;
    let superuser = server.superuser().await;
    let change =
        format!("UPDATE commission_lines SET currency = 'CHF' WHERE id = '{PENDING_LINE}'");
    let held = held(&superuser, &[change]).await;
    let request = post(&server, "payout-batches", &may(None)).expect(201);
    waits_for(&superuser, held, request).await;
    let moved = get(&server, &format!("commission-lines/{PENDING_LINE}")).await;
    let payout = format!("payouts/{}", moved["payoutId"].as_str().expect("it is in a payout"));
    assert_eq!(get(&server, &payout).await["amount"]["currency"], "CHF");
    assert_consistent(&server).await;
}

#[tokio::test]
async fn key_of_a_line_that_was_created_while_the_request_waited_gets_that_line() {
    let server = TestServer::start().await;
    let superuser = server.superuser().await;
    let first = format!(
        "INSERT INTO commission_lines
                (organization_id, id, partner_id, description, amount, source_amount, currency,
                 status, plan_name, period_end, idempotency_key)
         SELECT organization_id, '{NO_LINE}', partner_id, 'The first', 1, 0, currency, 'PENDING',
                plan_name, period_end, 'raced'
           FROM commission_lines WHERE id = '{PENDING_LINE}'"
    );
    let held = held(&superuser, &[first]).await;
    let mut body = line(NORDWIND, "1.00");
    body["idempotencyKey"] = json!("raced");
    body["payoutId"] = json!(ONE_LINE);
    let request = post(&server, "commission-lines", &body).expect(200);
    let response = waits_for(&superuser, held, request).await;
    assert_eq!(response.body["data"]["id"], NO_LINE);
    assert_eq!(amount_and_stage(&server, ONE_LINE).await.0, "1234.50");
    assert_consistent(&server).await;
}

#[tokio::test]
async fn partner_that_lost_the_domain_while_the_request_waited_is_not_matched() {
    let server = TestServer::start().await;
    let superuser = server.superuser().await;
    let moved = format!("UPDATE partners SET domain = 'moved.example' WHERE id = '{NORDWIND}'");
    let held = held(&superuser, &[moved]).await;
    let body = json!({ "name": "Successor", "domain": "nordwind.example" });
    let request = post(&server, "partners", &body).expect(201);
    waits_for(&superuser, held, request).await;
    let kept = get(&server, &format!("partners/{NORDWIND}")).await;
    assert_eq!(kept["domain"], "moved.example");
    assert!(operator::history(&superuser, NORDWIND).await.is_empty());
}

#[tokio::test]
async fn request_whose_idempotency_key_was_used_while_it_waited_is_undone() {
    let server = TestServer::start().await;
    let superuser = server.superuser().await;
    let first = format!(
        "INSERT INTO idempotent_requests
                (organization_id, operation, key, request_hash, status, body)
         SELECT organization_id, 'createCommissionLine', 'used', sha256('another'), 201, '{{}}'
           FROM partners WHERE id = '{NORDWIND}' FOR UPDATE"
    );
    let held = held(&superuser, &[first]).await;
    let request = post(&server, "commission-lines", &line(NORDWIND, "4.00"));
    let request = request.header("idempotency-key", "used").expect(422);
    let response = waits_for(&superuser, held, request).await;
    assert_eq!(response.code(), "IDEMPOTENCY_KEY_REUSED");
    let lines = "SELECT count(*) FROM payout.commission_lines WHERE amount = 4";
    let lines: i64 = sqlx::query_scalar(lines).fetch_one(&superuser).await.unwrap();
    assert_eq!(lines, 0);
}

#[tokio::test]
async fn update_of_a_partner_returns_the_owner_that_was_set_while_it_waited() {
    let server = TestServer::start().await;
    let superuser = server.superuser().await;
    let owner = "user_01JV3N8Q5R0000000000000002";
    let change = format!("UPDATE partners SET owner_id = '{owner}' WHERE id = '{NORDWIND}'");
    let held = held(&superuser, &[change]).await;
    let request = server.update(NORDWIND, json!({})).expect(200);
    let response = waits_for(&superuser, held, request).await;
    assert_eq!(response.body["data"]["owner"]["id"], owner);
}
