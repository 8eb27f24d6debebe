//! No response leaves before its charge is durable, and every charge is counted.

use payout_server::{config::ServeOptions, gate::ApiKey, gate::Environment};
use poem::http::Method;
use sqlx::PgPool;

use crate::support::{Key, TestServer, dataset::*, operator};

const PATH: &str = "/api/v1/partners?limit=1";

#[tokio::test]
async fn verdict_that_cannot_be_made_durable_is_not_told() {
    let server = TestServer::start_with(shares_flushes).await;
    let behind = server.superuser().await;
    server.get(Key::MAIN, PATH).expect(200).await;
    let flushing = |may: &'static str| execute(&behind, may);
    flushing("REVOKE EXECUTE ON FUNCTION pg_logical_emit_message(boolean, text, text) FROM PUBLIC")
        .await;
    let answer = server.get(Key::MAIN, PATH).expect(503).await;
    assert_eq!(answer.header("x-service-credits-remaining-month"), None);
    // What says nothing of a meter waits for no flush.
    server.ask(Method::GET, PATH).expect(401).await;
    let stranger = ApiKey::generate(Environment::Test);
    let stranger = server
        .ask(Method::GET, PATH)
        .header("x-api-key", stranger.reveal());
    stranger.expect(401).await;
    flushing("GRANT EXECUTE ON FUNCTION pg_logical_emit_message(boolean, text, text) TO PUBLIC")
        .await;
    let answer = server.get(Key::MAIN, PATH).expect(200).await;
    let told = answer.number("x-service-credits-remaining-month").unwrap();
    let used = operator::meter(&behind, MAIN).await.month_used;
    assert_eq!(
        told,
        10_000_000 - used,
        "each charge is counted, told or not"
    );
}

/// A refusal that writes nothing says what another batch may have written, and waits for the flusher all the same.
#[tokio::test]
async fn small_batch_is_durable_by_its_own_commit_and_a_refused_minute_by_the_flusher() {
    let server = TestServer::start().await;
    let behind = server.superuser().await;
    for _ in 0..5 {
        server.get(Key("tight", "all"), PATH).expect(200).await;
    }
    server.get(Key("tight", "all"), PATH).expect(429).await;
    execute(
        &behind,
        "REVOKE EXECUTE ON FUNCTION pg_logical_emit_message(boolean, text, text) FROM PUBLIC",
    )
    .await;
    server.get(Key::MAIN, PATH).expect(200).await;
    server.get(Key("tight", "all"), PATH).expect(503).await;
}

/// The charge may be lost, and what goes back would be another's.
#[tokio::test]
async fn credit_whose_charge_may_be_forgotten_is_not_given_back() {
    let server = TestServer::start_with(shares_flushes).await;
    let behind = server.superuser().await;
    let path = format!("/api/v1/payouts/{ONE_LINE}");
    server.get(Key::MAIN, &path).expect(200).await;
    execute(&behind, "ALTER TABLE payouts RENAME TO payouts_away").await;
    server.get(Key::MAIN, &path).expect(500).await;
    assert_eq!(operator::meter(&behind, MAIN).await.month_used, 1);
    execute(
        &behind,
        "REVOKE EXECUTE ON FUNCTION pg_logical_emit_message(boolean, text, text) FROM PUBLIC",
    )
    .await;
    server.get(Key::MAIN, &path).expect(503).await;
    assert_eq!(operator::meter(&behind, MAIN).await.month_used, 2);
}

#[tokio::test]
async fn connections_that_ended_while_idle_are_made_anew_before_a_request_needs_them() {
    let server = TestServer::start_with(|options| options.admission_lanes = 1).await;
    let behind = server.superuser().await;
    let path = "/api/v1/payouts/none";
    server.get(Key::MAIN, path).expect(404).await;
    let ended: Vec<i32> = sqlx::query_scalar(
        "SELECT pid FROM pg_stat_activity, LATERAL pg_terminate_backend(pid)
          WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name = 'payout-server'",
    )
    .fetch_all(&behind)
    .await
    .unwrap();
    assert!(ended.len() >= 3, "a lane, a reader, the flusher: {ended:?}");
    // The flusher looks after its connection once a second; a new one tells that it has noticed.
    let made_anew = "SELECT EXISTS (SELECT FROM pg_stat_activity
          WHERE datname = current_database() AND application_name = 'payout-server' AND pid <> ALL ($1))";
    let made_anew = || sqlx::query_scalar::<_, bool>(made_anew).bind(&ended);
    while !made_anew().fetch_one(&behind).await.unwrap() {}
    let answer = server.get(Key::MAIN, path).expect(404).await;
    assert_eq!(
        answer.number("x-service-credits-remaining-month"),
        Some(9_999_998)
    );
}

/// Every commit waits for the flusher, as those of large batches do.
fn shares_flushes(options: &mut ServeOptions) {
    options.admission_at_once = 0;
}

async fn execute(behind: &PgPool, statement: &'static str) {
    sqlx::raw_sql(statement).execute(behind).await.unwrap();
}
