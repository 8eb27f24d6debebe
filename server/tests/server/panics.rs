//! A7: a handler that panics or comes too late, and refunds that the database cannot take: they are
//! sent when it can, and never twice. The suite breaks neither handlers nor databases.

use std::sync::Arc;

use payout_server::{contract::Problem, gate::Handler};
use poem::IntoResponse;
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use crate::{
    failures::{assert_has, fails, lines_of},
    support::{
        Handle, Key, Replica, TestServer,
        dataset::*,
        log::{begin, lines},
        until,
    },
};

const PATH: &str = "/api/v1/partners";
const TAKE_AWAY: &str = "ALTER TABLE meters RENAME TO away";
/// Rejects every refund when its transaction commits.
const REJECT_AT_COMMIT: &str = "CREATE FUNCTION reject() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN RAISE 'no refund'; END $$;
     CREATE CONSTRAINT TRIGGER reject AFTER UPDATE ON meters DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW WHEN (new.month_used < old.month_used) EXECUTE FUNCTION reject()";

/// Runs a statement once the charge is durable, and panics.
fn failing(server: &TestServer, statement: &'static str) -> impl Handler {
    let superuser = server.superuser.clone();
    Handle(move |_| {
        let superuser = superuser.clone();
        async move {
            let used = format!("SELECT month_used FROM meters WHERE organization_id = '{MAIN}'");
            let used = || sqlx::query_scalar::<_, i64>(sqlx::AssertSqlSafe(used.clone()));
            while used().fetch_one(&superuser).await.unwrap() == 0 {}
            sqlx::raw_sql(statement).execute(&superuser).await.unwrap();
            panic!("a handler gives up")
        }
    })
}

/// The metrics of a replica whose refunds wait and have failed in this number.
fn refunds(waiting: u32, failed: u32) -> impl Fn(&Replica) -> bool {
    move |replica| {
        let metrics = replica.metrics();
        metrics.contains(&format!("payout_refunds_waiting {waiting}\n"))
            && metrics.contains(&format!("payout_refunds_failed_total {failed}\n"))
    }
}

/// A replica after a request that failed while the meters were away.
async fn with_a_waiting_refund(server: &TestServer, id: &str) -> Replica {
    let replica = server.replica_with_handler(failing(server, TAKE_AWAY), |_| {}).await;
    let request = replica.get(Key::MAIN, PATH);
    request.header("x-request-id", id).expect(500).await;
    assert!(refunds(1, 0)(&replica));
    replica
}

#[tokio::test]
async fn panic_of_a_handler_is_a_500_that_costs_no_credit() {
    let server = TestServer::start().await;
    begin();
    let panics = Handle(|_| async { panic!("a handler gives up") });
    let replica = server.replica_with_handler(panics, |_| {}).await;
    for _ in 0..2 {
        let request = replica.get(Key::MAIN, PATH);
        let members = json!({ "organization": MAIN });
        fails(request, 500, "a handler panicked: a handler gives up", members).await;
    }
    assert_eq!(server.meter(MAIN).await.month_used, 0);
    let request = server.follow(&format!("{}/panics", replica.base_url()));
    let response = request.header("x-request-id", "outside").send().await.unwrap();
    assert_eq!(response.status(), 500);
    assert!(response.text().await.unwrap().contains("INTERNAL_ERROR"));
    assert_has(&lines_of("outside", 1).await[0], "a route gives up", json!({ "status": 500 }));
}

#[tokio::test]
async fn work_after_the_deadline_is_logged_with_the_id_of_its_request() {
    let server = TestServer::start().await;
    begin();
    for (id, panics, ending) in [
        ("late-1", true, json!({ "panic": "a handler gives up late" })),
        ("late-2", false, json!({ "error": "a handler fails late" })),
    ] {
        let released = Arc::new(Semaphore::new(0));
        let late = Arc::clone(&released);
        let late = Handle(move |_| {
            let released = Arc::clone(&late);
            async move {
                let _permit = released.acquire().await;
                assert!(!panics, "a handler gives up late");
                Problem::internal().with_cause("a handler fails late").into_response()
            }
        });
        let replica = server.replica_with_handler(late, |options| options.request_seconds = 1);
        let replica = replica.await;
        let request = replica.get(Key::MAIN, PATH);
        request.header("x-request-id", id).expect(503).await;
        let lines = lines_of(id, 1).await;
        assert_has(&lines[0], "the work took longer than 1s", json!({ "level": "WARN" }));
        released.add_permits(1);
        let lines = lines_of(id, 2).await;
        assert_has(&lines[1], "", json!({ "level": "ERROR", "organization": MAIN }));
        assert_has(&lines[1], "", ending);
    }
}

#[tokio::test]
async fn refund_that_the_database_cannot_take_is_logged_and_sent_when_it_can() {
    let server = TestServer::start().await;
    begin();
    let replica = with_a_waiting_refund(&server, "ruinous").await;
    let lines = lines_of("ruinous", 2).await;
    assert_eq!(lines.len(), 2, "{lines:?}");
    let members = json!({
        "level": "WARN", "organization": MAIN, "sqlstate": "42P01",
        "message": "refunds of credits wait until the database takes them",
    });
    assert_has(&lines[0], "relation \"meters\"", members);
    server.execute("ALTER TABLE away RENAME TO meters").await;
    until(async || refunds(0, 0)(&replica)).await;
    assert_eq!(server.meter(MAIN).await.month_used, 0);
}

#[tokio::test]
async fn refund_whose_commit_is_in_doubt_is_not_sent_again() {
    let server = TestServer::start().await;
    begin();
    let failing = failing(&server, REJECT_AT_COMMIT);
    let replica = server.replica_with_handler(failing, |_| {}).await;
    let request = replica.get(Key::MAIN, PATH);
    request.header("x-request-id", "in-doubt").expect(500).await;
    assert!(refunds(0, 1)(&replica), "{}", replica.metrics());
    assert_eq!(server.meter(MAIN).await.month_used, 1);
    let lines = lines_of("in-doubt", 2).await;
    let of_refund = lines.iter().filter(|line| line["target"] != "request");
    let messages: Vec<&Value> = of_refund.map(|line| &line["message"]).collect();
    assert_eq!(messages, ["a credit was not refunded"]);
}

#[tokio::test]
async fn server_that_stops_logs_what_was_not_refunded() {
    let server = TestServer::start().await;
    begin();
    with_a_waiting_refund(&server, "stopping").await.stop().await.unwrap();
    let of_month = |line: &String| {
        let is_of_main = line.contains("credits were not refunded") && line.contains(MAIN);
        is_of_main && line.contains("2026-06-01") && line.contains("\"credits\":1")
    };
    until(async || lines().iter().any(of_month)).await;
}
