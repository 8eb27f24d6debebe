//! No response leaves before its charge is durable, and every charge is counted.

use payout_server::{config::ServeOptions, gate::ApiKey, gate::Environment};
use poem::http::Method;

use crate::support::{Key, TestServer, dataset::*, until};

const PATH: &str = "/api/v1/partners?limit=1";
const FORBID_FLUSHES: &str =
    "REVOKE EXECUTE ON FUNCTION pg_logical_emit_message(boolean, text, text) FROM PUBLIC";
const ALLOW_FLUSHES: &str =
    "GRANT EXECUTE ON FUNCTION pg_logical_emit_message(boolean, text, text) TO PUBLIC";

#[tokio::test]
async fn verdict_that_cannot_be_made_durable_is_not_reported() {
    let server = TestServer::start_with(shares_flushes).await;
    server.get(Key::MAIN, PATH).expect(200).await;
    server.execute(FORBID_FLUSHES).await;
    let response = server.get(Key::MAIN, PATH).expect(503).await;
    assert_eq!(response.header("x-service-credits-remaining-month"), None);
    // A response that reports no meter waits for no flush.
    server.request(Method::GET, PATH).expect(401).await;
    let stranger = ApiKey::generate(Environment::Test);
    let stranger = server.request(Method::GET, PATH).header("x-api-key", stranger.reveal());
    stranger.expect(401).await;
    server.execute(ALLOW_FLUSHES).await;
    let response = server.get(Key::MAIN, PATH).expect(200).await;
    let remaining = response.credits_remaining().unwrap();
    let used = server.meter(MAIN).await.month_used;
    assert_eq!(remaining, 10_000_000 - used, "each charge is counted, reported or not");
}

/// A rejection that writes nothing reports what another batch may have written, so it waits for the
/// flusher.
#[tokio::test]
async fn small_batch_is_durable_by_its_own_commit_and_a_full_minute_by_the_flusher() {
    let server = TestServer::start().await;
    for _ in 0..5 {
        server.get(Key("tight", "all"), PATH).expect(200).await;
    }
    server.get(Key("tight", "all"), PATH).expect(429).await;
    server.execute(FORBID_FLUSHES).await;
    server.get(Key::MAIN, PATH).expect(200).await;
    server.get(Key("tight", "all"), PATH).expect(503).await;
}

/// The charge may be lost, and the refund would return another request's credit.
#[tokio::test]
async fn charge_that_may_be_lost_is_not_refunded() {
    let server = TestServer::start_with(shares_flushes).await;
    let path = format!("/api/v1/payouts/{ONE_LINE}");
    server.get(Key::MAIN, &path).expect(200).await;
    server.execute("ALTER TABLE payouts RENAME TO payouts_away").await;
    server.get(Key::MAIN, &path).expect(500).await;
    assert_eq!(server.meter(MAIN).await.month_used, 1);
    server.execute(FORBID_FLUSHES).await;
    server.get(Key::MAIN, &path).expect(503).await;
    assert_eq!(server.meter(MAIN).await.month_used, 2);
}

#[tokio::test]
async fn connections_that_ended_while_idle_are_replaced_before_a_request_needs_them() {
    let server = TestServer::start_with(|options| options.admission_lanes = 1).await;
    let path = "/api/v1/payouts/none";
    server.get(Key::MAIN, path).expect(404).await;
    let ended: Vec<i32> = sqlx::query_scalar(
        "SELECT pid FROM pg_stat_activity, LATERAL pg_terminate_backend(pid)
          WHERE datname = current_database() AND pid <> pg_backend_pid()
            AND application_name = 'payout-server'",
    )
    .fetch_all(&server.superuser)
    .await
    .unwrap();
    assert!(ended.len() >= 3, "a lane, a reader, the flusher: {ended:?}");
    // The flusher pings its connection once a second; a new one shows that it has noticed.
    let is_replaced = "SELECT EXISTS (SELECT FROM pg_stat_activity
          WHERE datname = current_database() AND application_name = 'payout-server'
            AND pid <> ALL ($1))";
    let is_replaced = || sqlx::query_scalar::<_, bool>(is_replaced).bind(&ended);
    until(async || is_replaced().fetch_one(&server.superuser).await.unwrap()).await;
    let response = server.get(Key::MAIN, path).expect(404).await;
    assert_eq!(response.credits_remaining(), Some(9_999_998));
}

/// Makes every commit wait for the flusher, as those of large batches do.
fn shares_flushes(options: &mut ServeOptions) {
    options.admission_at_once = 0;
}
