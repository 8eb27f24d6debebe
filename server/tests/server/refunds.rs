//! A7: refunds that the database cannot take are sent when it can, and never twice. The suite
//! breaks no database.

use payout_server::{
    contract::Arguments,
    gate::{Caller, Handler},
};
use poem::{Response, http::Method};
use serde_json::Value;
use sqlx::PgPool;

use crate::{
    limits::client::until,
    support::{
        Key, Replica, TestServer,
        dataset::*,
        log::{begin, failures, lines},
        operator,
    },
};

const PATH: &str = "/api/v1/partners";
const TAKE_AWAY: &str = "ALTER TABLE meters RENAME TO away";
const BRING_BACK: &str = "ALTER TABLE away RENAME TO meters";
/// Rejects every refund when its transaction commits.
const REJECT_AT_COMMIT: &str = "CREATE FUNCTION reject() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN RAISE 'no refund'; END $$;
     CREATE CONSTRAINT TRIGGER reject AFTER UPDATE ON meters DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW WHEN (new.month_used < old.month_used) EXECUTE FUNCTION reject()";

/// Runs a statement once the charge is durable, and panics.
struct Failing(PgPool, &'static str);

impl Handler for Failing {
    async fn handle(&self, _: &Caller, _: Box<Arguments>) -> Response {
        while operator::meter(&self.0, MAIN).await.month_used == 0 {
            tokio::task::yield_now().await;
        }
        sqlx::raw_sql(self.1).execute(&self.0).await.unwrap();
        panic!("a handler gives up")
    }
}

/// A replica after a request that failed while the meters were away.
async fn with_a_waiting_refund(server: &TestServer) -> Replica {
    let superuser_pool = server.superuser().await;
    let replica = server.replica_with_handler(Failing(superuser_pool, TAKE_AWAY)).await;
    replica.request(Method::GET, PATH, server.key(Key::MAIN)).expect(500).await;
    assert!(replica.metrics().contains("payout_refunds_waiting 1\n"));
    replica
}

#[tokio::test]
async fn refund_that_the_database_cannot_take_is_sent_when_it_can() {
    let server = TestServer::start().await;
    let superuser_pool = server.superuser().await;
    let replica = with_a_waiting_refund(&server).await;
    sqlx::raw_sql(BRING_BACK).execute(&superuser_pool).await.unwrap();
    until(|| replica.metrics().contains("payout_refunds_waiting 0\n")).await;
    assert_eq!(operator::meter(&superuser_pool, MAIN).await.month_used, 0);
    assert!(replica.metrics().contains("payout_refunds_failed_total 0\n"));
}

#[tokio::test]
async fn refund_whose_commit_is_in_doubt_is_not_sent_again() {
    let server = TestServer::start().await;
    let superuser_pool = server.superuser().await;
    begin();
    let failing = Failing(server.superuser().await, REJECT_AT_COMMIT);
    let replica = server.replica_with_handler(failing).await;
    let request = replica.request(Method::GET, PATH, server.key(Key::MAIN));
    request.header("x-request-id", "in-doubt").expect(500).await;
    let metrics = replica.metrics();
    assert!(metrics.contains("payout_refunds_waiting 0\n"), "{metrics}");
    assert!(metrics.contains("payout_refunds_failed_total 1\n"), "{metrics}");
    assert_eq!(operator::meter(&superuser_pool, MAIN).await.month_used, 1);
    let of_refund = |line: &Value| line["request_id"] == "in-doubt" && line["target"] != "request";
    let logged = failures().into_iter().filter(of_refund).map(|line| line["message"].clone());
    assert_eq!(logged.collect::<Vec<_>>(), ["a credit was not refunded"]);
}

#[tokio::test]
async fn server_that_stops_logs_what_was_not_refunded() {
    let server = TestServer::start().await;
    begin();
    let replica = with_a_waiting_refund(&server).await;
    replica.stop().await.unwrap();
    let of_month = |line: &String| {
        let is_of_main = line.contains("credits were not refunded") && line.contains(MAIN);
        is_of_main && line.contains("2026-06-01") && line.contains("\"credits\":1")
    };
    until(|| lines().iter().any(of_month)).await;
}
