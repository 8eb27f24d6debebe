//! §7, A7: each failure behind the gate returns the envelope without detail, costs no credit, and
//! leaves one line of the log with its cause. The suite provokes no failure of a server, and sees
//! no log.

use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::future::join_all;
use payout_server::{contract::Problem, problem::Failure};
use poem::http::Method;
use serde_json::{Value, json};
use sqlx::AssertSqlSafe;

use crate::support::{
    Key, TestRequest, TestResponse, TestServer,
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
        "08006", "0A000", "25006", "28000", "28P01", "3D000", "40001", "40P01", "53300", "55P03",
        "57014", "57P01", "57P03", "58030",
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
