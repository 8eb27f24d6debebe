//! §7, A7: failures behind the gate return the envelope without detail, and the credit is refunded.
//! The suite provokes no failure of a server.

use payout_server::{
    contract::Arguments,
    gate::{Caller, Handler},
};
use poem::{Response, http::Method};
use serde_json::json;
use sqlx::{AssertSqlSafe, PgPool};

use crate::support::{Key, TestResponse, TestServer, dataset::*, operator};

const PATH: &str = "/api/v1/partners?limit=1";

async fn execute(superuser_pool: &PgPool, statement: &'static str) {
    sqlx::raw_sql(statement).execute(superuser_pool).await.unwrap();
}

struct Panicking;

impl Handler for Panicking {
    async fn handle(&self, _: &Caller, _: Box<Arguments>) -> Response {
        panic!("a handler gives up")
    }
}

/// Requires a response that reports neither credits nor anything about the cause.
fn assert_reports_nothing(response: &TestResponse) {
    let message = match response.status.as_u16() {
        500 => "The server failed. The request id names this failure in its log.",
        _ => "The service is not available now. Try again later.",
    };
    assert_eq!(response.message(), message);
    assert_eq!(response.header("x-service-credits-remaining-month"), None);
    let error = response.body["error"].as_object().unwrap();
    assert!(!error.contains_key("details"), "{}", response.text);
}

#[tokio::test]
async fn failed_statement_is_a_500_that_costs_no_credit() {
    let server = TestServer::start().await;
    let superuser_pool = server.superuser().await;
    let path = format!("/api/v1/payouts/{ONE_LINE}");
    execute(&superuser_pool, "ALTER TABLE payouts RENAME TO payouts_away").await;
    let response = server.get(Key::MAIN, &path).expect(500).await;
    assert_reports_nothing(&response);
    assert_eq!(response.number("x-ratelimit-remaining-minute"), Some(99_999));
    let meter = operator::meter(&superuser_pool, MAIN).await;
    assert_eq!((meter.month_used, meter.minute_used), (0, 1), "the credit is back, the minute not");
    execute(&superuser_pool, "ALTER TABLE payouts_away RENAME TO payouts").await;
    let response = server.get(Key::MAIN, &path).expect(200).await;
    assert_eq!(response.number("x-service-credits-remaining-month"), Some(9_999_999));
}

#[tokio::test]
async fn locked_row_is_a_503_that_costs_no_credit_and_changes_nothing() {
    let server = TestServer::start().await;
    let superuser_pool = server.superuser().await;
    let mut lock = superuser_pool.begin().await.unwrap();
    sqlx::query("SELECT FROM partners WHERE id = $1 FOR UPDATE")
        .bind(BARE)
        .execute(&mut *lock)
        .await
        .unwrap();
    let response = server.update(BARE, json!({"name": "Never"})).expect(503).await;
    assert_reports_nothing(&response);
    lock.rollback().await.unwrap();
    assert_eq!(operator::meter(&superuser_pool, MAIN).await.month_used, 0);
    assert_eq!(operator::history(&superuser_pool, BARE).await, []);
    let partner = server.get(Key::MAIN, &format!("/api/v1/partners/{BARE}")).expect(200).await;
    assert_eq!(partner.body["data"]["name"], "Bare Minimum Ltd");
}

#[tokio::test]
async fn credit_of_a_month_that_has_ended_is_not_given_to_the_next_one() {
    let server = TestServer::start().await;
    let superuser_pool = server.superuser().await;
    let mut lock = superuser_pool.begin().await.unwrap();
    sqlx::query("SELECT FROM partners WHERE id = $1 FOR UPDATE")
        .bind(BARE)
        .execute(&mut *lock)
        .await
        .unwrap();
    let waiting = server.update(BARE, json!({"name": "Never"}));
    let waiting = tokio::spawn(async move { waiting.expect(503).await });
    // Admitted in June, it waits for the lock; then July begins, and its first credit is spent.
    while operator::meter(&superuser_pool, MAIN).await.month_used == 0 {
        tokio::task::yield_now().await;
    }
    server.database.set_clock("2026-07-01T00:00:00Z").await.unwrap();
    server.get(Key::MAIN, PATH).expect(200).await;
    waiting.await.unwrap();
    lock.rollback().await.unwrap();
    assert_eq!(operator::meter(&superuser_pool, MAIN).await.month_used, 1);
}

#[tokio::test]
async fn database_that_is_away_is_a_503_until_it_is_back() {
    let server = TestServer::start().await;
    let superuser_pool = server.superuser().await;
    server.get(Key::MAIN, PATH).expect(200).await;
    let limit = |connections: &str| {
        let name = server.database.name();
        AssertSqlSafe(format!("ALTER DATABASE {name} CONNECTION LIMIT {connections}"))
    };
    sqlx::raw_sql(limit("0")).execute(&superuser_pool).await.unwrap();
    execute(
        &superuser_pool,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND pid <> pg_backend_pid()
            AND application_name = 'payout-server'",
    )
    .await;
    let response = server.get(Key::MAIN, PATH).expect(503).await;
    assert_reports_nothing(&response);
    // Responses that need no database are the same.
    server.request(Method::GET, PATH).expect(401).await;
    server.get(Key::MAIN, "/nowhere").expect(404).await;
    sqlx::raw_sql(limit("-1")).execute(&superuser_pool).await.unwrap();
    let response = server.get(Key::MAIN, PATH).expect(200).await;
    assert_eq!(response.number("x-service-credits-remaining-month"), Some(9_999_998));
}

#[tokio::test]
async fn panic_of_a_handler_is_a_500_that_costs_no_credit() {
    let server = TestServer::start().await;
    let superuser_pool = server.superuser().await;
    let replica = server.replica_with_handler(Panicking).await;
    let response = replica.request(Method::GET, PATH, server.key(Key::MAIN)).expect(500).await;
    assert_reports_nothing(&response);
    assert_eq!(operator::meter(&superuser_pool, MAIN).await.month_used, 0);
    replica.request(Method::GET, PATH, server.key(Key::MAIN)).expect(500).await;
}
