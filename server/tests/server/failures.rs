//! §7, A7: each failure behind the gate returns the envelope without detail, costs no credit, and
//! leaves one line of the log with its cause. The suite provokes no failure of a server, and sees
//! no log.

use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::{future::join_all, stream};
use payout_server::{contract::Problem, problem::Failure};
use poem::http::Method;
use serde_json::{Value, json};
use sqlx::AssertSqlSafe;

use crate::support::{
    Key, TestRequest, TestResponse, TestServer, counted,
    dataset::*,
    log::{begin, failures},
    until,
};

const PATH: &str = "/api/v1/partners?limit=1";
/// Tasks that serve many requests at once, or none.
const BACKGROUND: [&str; 3] = [
    "payout_server::postgres::batcher",
    "payout_server::gate::admission::refunds",
    "payout_server::http::listener",
];

/// WARN and ERROR lines of the request with this id, once there are so many. All other errors of
/// this process, too, have an id.
pub(super) async fn lines_of(id: &str, count: usize) -> Vec<Value> {
    let of_id = || failures().into_iter().filter(|line| line["request_id"] == id).collect();
    until(async || Vec::len(&of_id()) >= count).await;
    let is_background = |line: &Value| BACKGROUND.iter().any(|task| line["target"] == *task);
    let is_unmarked = |line: &Value| line["level"] == "ERROR" && !line["request_id"].is_string();
    let unmarked = failures().into_iter().filter(|line| is_unmarked(line) && !is_background(line));
    assert_eq!(unmarked.collect::<Vec<_>>(), [] as [Value; 0]);
    of_id()
}

/// Asserts that the line has these members, and its `error` this text.
pub(super) fn assert_has(line: &Value, error: &str, members: Value) {
    for (name, value) in members.as_object().unwrap() {
        assert_eq!(&line[name], value, "{name} of {line}");
    }
    assert!(line["error"].as_str().unwrap_or_default().contains(error), "{line}");
}

/// Requires that a request fails without a word about the cause, which its only line in the log
/// names; returns the response.
pub(super) async fn fails(
    request: TestRequest,
    status: u16,
    error: &str,
    members: Value,
) -> TestResponse {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let id = format!("failing-{}", NUMBER.fetch_add(1, Ordering::SeqCst));
    let response = request.header("x-request-id", &id).expect(status).await;
    let (message, level) = match status {
        500 => ("The server failed. The request id names this failure in its log.", "ERROR"),
        _ => ("The service is not available now. Try again later.", "WARN"),
    };
    assert_eq!(response.message(), message);
    assert!(response.body["error"].get("details").is_none(), "{}", response.text);
    let lines = lines_of(&id, 1).await;
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert_has(&lines[0], "", json!({ "target": "request", "level": level, "status": status }));
    assert_has(&lines[0], error, members);
    response
}

#[tokio::test]
async fn database_that_is_away_is_a_503_until_it_is_back() {
    let server = TestServer::start().await;
    begin();
    server.get(Key::MAIN, PATH).expect(200).await;
    server.disconnect("CONNECTION LIMIT 0").await;
    // It finds its connection broken.
    fails(server.get(Key::MAIN, PATH), 503, "", json!({})).await;
    let requests = (0..20).map(|_| {
        let cause = "too many connections";
        fails(server.get(Key::MAIN, PATH), 503, cause, json!({ "sqlstate": "53300" }))
    });
    join_all(requests).await;
    // Responses that need no database are the same.
    server.request(Method::GET, PATH).expect(401).await;
    server.get(Key::MAIN, "/nowhere").expect(404).await;
    server.disconnect("CONNECTION LIMIT -1").await;
    server.get(Key::MAIN, PATH).expect(200).await;
    assert_eq!(server.meter(MAIN).await.month_used, 2);
}

#[tokio::test]
async fn database_that_cannot_serve_now_is_a_503_and_a_wrong_statement_a_500() {
    let server = TestServer::start().await;
    let unavailable = [
        "08006", "25006", "28000", "28P01", "3D000", "40001", "40P01", "53300", "55P03", "57014",
        "57P01", "57P03", "58030",
    ];
    let wrong = ["22P02", "23505", "42501", "42P01", "55000", "XX000"];
    for (states, status) in [(&unavailable[..], 503), (&wrong, 500)] {
        for state in states {
            let raise = format!("DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '{state}'; END $$");
            let raised = sqlx::raw_sql(AssertSqlSafe(raise)).execute(&server.superuser).await;
            let problem = Problem::from(Failure::from(raised.unwrap_err()));
            assert_eq!(problem.status().as_u16(), status, "{state}");
        }
    }
}

#[tokio::test]
async fn locked_row_is_a_503_that_costs_no_credit_and_changes_nothing() {
    let server = TestServer::start().await;
    begin();
    let lock = server.hold(format!("SELECT FROM partners WHERE id = '{BARE}' FOR UPDATE")).await;
    let update = server.update(BARE, json!({ "name": "Never" }));
    fails(update, 503, "", json!({ "organization": MAIN, "sqlstate": "55P03" })).await;
    lock.rollback().await.unwrap();
    assert_eq!(server.meter(MAIN).await.month_used, 0);
    assert_eq!(server.history(BARE).await, []);
    let partner = server.get(Key::MAIN, &format!("/api/v1/partners/{BARE}")).expect(200).await;
    assert_eq!(partner.text_at("/data/name"), "Bare Minimum Ltd");
}

#[tokio::test]
async fn credit_of_a_month_that_has_ended_is_not_given_to_the_next_one() {
    let server = TestServer::start().await;
    let lock = server.hold(format!("SELECT FROM partners WHERE id = '{BARE}' FOR UPDATE")).await;
    let waiting = tokio::spawn(server.update(BARE, json!({ "name": "Never" })).expect(503));
    // Admitted in June, it waits for the lock; then July begins, and its first credit is spent.
    until(async || server.meter(MAIN).await.month_used > 0).await;
    server.database.set_clock("2026-07-01T00:00:00Z").await.unwrap();
    server.get(Key::MAIN, PATH).expect(200).await;
    waiting.await.unwrap();
    lock.rollback().await.unwrap();
    assert_eq!(server.meter(MAIN).await.month_used, 1);
}

#[tokio::test]
async fn request_that_gets_no_connection_is_a_503_that_costs_no_credit() {
    let server = TestServer::start_with(|options| options.database_connections = 1).await;
    let lock = server.hold("LOCK TABLE payouts IN ACCESS EXCLUSIVE MODE").await;
    let get = || server.get(Key::MAIN, &format!("/api/v1/payouts/{ONE_LINE}")).expect(503);
    // One waits for the lock with the only connection, the other one for that connection.
    tokio::join!(get(), get());
    lock.rollback().await.unwrap();
    assert_eq!(server.meter(MAIN).await.month_used, 0);
}

#[tokio::test]
async fn lock_that_is_free_within_lock_seconds_is_waited_for() {
    // Longer than the default, which would end this wait.
    let server = TestServer::start_with(|options| {
        options.lock_seconds = 14;
        options.query_seconds = 14;
    })
    .await;
    let lock = server.hold("LOCK TABLE payouts IN ACCESS EXCLUSIVE MODE").await;
    let path = format!("/api/v1/payouts/{ONE_LINE}");
    let waiting = tokio::spawn(server.get(Key::MAIN, &path).expect(200));
    // Until it has waited longer than by default, as PostgreSQL reports it.
    let waits = "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database()
                 AND wait_event_type = 'Lock' AND clock_timestamp() - query_start > '1100 ms')";
    until(async || server.value::<bool>(waits).await).await;
    lock.rollback().await.unwrap();
    waiting.await.unwrap();
}

#[tokio::test]
async fn lost_pdf_is_a_500_that_is_counted() {
    let server = TestServer::start().await;
    begin();
    let made = server.statement(ONE_LINE).expect(200).await;
    let folder = server.folder().join("assets").join(MAIN);
    std::fs::remove_dir_all(&folder).unwrap();
    std::fs::write(&folder, "a file where a folder should be").unwrap();
    let followed = server.follow(made.text_at("/data/downloadUrl")).header("x-request-id", "lost");
    assert_eq!(followed.send().await.unwrap().status(), 500);
    let line = lines_of("lost", 1).await.remove(0);
    assert_has(&line, "Not a directory", json!({ "level": "ERROR", "organization": MAIN }));
    let put = || counted(&server.metrics(), "payout_storage_errors_total{operation=\"put\"}");
    let before = put();
    let members = json!({ "organization": MAIN });
    fails(server.statement(FORTY_ONE), 500, "Not a directory", members).await;
    assert_eq!(put(), before + 1);
    assert_eq!(server.meter(MAIN).await.month_used, 1, "the first statement's");
}

#[tokio::test]
async fn body_that_does_not_arrive_is_a_408() {
    let server = TestServer::start_with(|options| options.body_seconds = 1).await;
    let body = stream::pending::<Result<Vec<u8>, std::io::Error>>();
    let request = server.post(Key::MAIN, "/api/v1/partners");
    let request = request.header("content-type", "application/json");
    let response = request.body(reqwest::Body::wrap_stream(body)).expect(408).await;
    assert_eq!(response.code(), "REQUEST_TIMEOUT");
    assert_eq!(response.message(), "The body did not arrive within 1 s.");
}
