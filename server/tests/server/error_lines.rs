//! Each WARN and ERROR line of the log that a request causes names the request, its organisation
//! and what the database said. A 500 or 503 has exactly one such line: that of the request. The
//! suite sees no log.

use std::sync::Arc;

use futures_util::future::join_all;
use payout_server::{
    contract::{Arguments, Problem},
    gate::{Caller, Handler},
    problem::Failure,
};
use poem::{IntoResponse, Response, http::Method};
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, PgPool};
use tokio::sync::Semaphore;

use crate::{
    limits::client::until,
    support::{
        Key, TestServer,
        dataset::*,
        log::{begin, failures},
        operator,
    },
};

/// Tasks that serve many requests at once, or none.
const BACKGROUND: [&str; 3] = [
    "payout_server::postgres::batcher",
    "payout_server::gate::admission::refunds",
    "payout_server::http::listener",
];

/// WARN and ERROR lines of the request with this id, once there are so many. All other errors of
/// this process, too, have an id.
async fn of_request(id: &str, count: usize) -> Vec<Value> {
    let of_id = || failures().into_iter().filter(|line| line["request_id"] == id).collect();
    until(|| Vec::len(&of_id()) >= count).await;
    let is_background = |line: &Value| BACKGROUND.iter().any(|task| line["target"] == *task);
    let is_unmarked = |line: &Value| line["level"] == "ERROR" && !line["request_id"].is_string();
    let unmarked = failures().into_iter().filter(|line| is_unmarked(line) && !is_background(line));
    assert_eq!(unmarked.collect::<Vec<_>>(), [] as [Value; 0]);
    of_id()
}

/// The only WARN or ERROR line of the request.
async fn only_line(id: &str) -> Value {
    let lines = of_request(id, 1).await;
    let [line] = lines.as_slice() else {
        panic!("one line: {lines:?}");
    };
    assert_eq!(line["target"], "request");
    line.clone()
}

/// Asserts that the line has these members.
fn assert_has(line: &Value, members: Value) {
    for (name, value) in members.as_object().unwrap() {
        assert_eq!(&line[name], value, "{name} of {line}");
    }
}

#[tokio::test]
async fn each_500_has_one_line_that_reports_why() {
    let server = TestServer::start().await;
    let superuser_pool = server.superuser().await;
    begin();
    let rename = "ALTER TABLE commission_lines RENAME TO away";
    sqlx::raw_sql(rename).execute(&superuser_pool).await.unwrap();
    let line = json!({ "partnerId": NORDWIND, "amount": "1.00", "currency": "EUR",
        "description": "d", "periodEnd": "2026-05-31T23:59:59.999Z" });
    let create = || server.post(Key::MAIN, "/api/v1/commission-lines").body(line.to_string());
    let json = "application/json";
    let line_path = format!("/api/v1/commission-lines/{PENDING_LINE}");
    let requests = [
        server.get(Key::MAIN, "/api/v1/commission-lines"),
        server.get(Key::MAIN, &line_path),
        server.detach(PENDING_LINE),
        server.statement(ONE_LINE),
        create().header("content-type", json),
        create().header("content-type", json).header("idempotency-key", "failing"),
    ];
    for (index, request) in requests.into_iter().enumerate() {
        let id = format!("failing-{index}");
        request.header("x-request-id", &id).expect(500).await;
        let line = only_line(&id).await;
        assert_has(
            &line,
            json!({
                "level": "ERROR", "organization": MAIN, "sqlstate": "42P01",
                "status": 500, "code": "INTERNAL_ERROR",
                "error": "the database rejected a statement: \
                          relation \"commission_lines\" does not exist",
            }),
        );
    }
}

#[tokio::test]
async fn lost_pdf_is_logged_with_the_id_of_the_request_for_it() {
    let server = TestServer::start().await;
    begin();
    let made = server.statement(ONE_LINE).expect(200).await;
    let link = made.body["data"]["downloadUrl"].as_str().unwrap().to_owned();
    let folder = server.folder().join("assets").join(MAIN);
    std::fs::remove_dir_all(&folder).unwrap();
    std::fs::write(&folder, "a file where a folder should be").unwrap();
    let followed = server.follow(&link).header("x-request-id", "lost-1").send().await.unwrap();
    assert_eq!(followed.status(), 500);
    server.statement(FORTY_ONE).header("x-request-id", "lost-2").expect(500).await;
    for id in ["lost-1", "lost-2"] {
        let line = only_line(id).await;
        assert_has(&line, json!({ "level": "ERROR", "organization": MAIN }));
        assert!(line["error"].as_str().unwrap().contains("Not a directory"), "{line}");
    }
}

#[tokio::test]
async fn request_that_is_not_admitted_is_logged_with_its_id() {
    let server = TestServer::start().await;
    let superuser_pool = server.superuser().await;
    begin();
    let rename = "ALTER TABLE meters RENAME TO away";
    sqlx::raw_sql(rename).execute(&superuser_pool).await.unwrap();
    let request = server.get(Key::MAIN, "/api/v1/partners");
    request.header("x-request-id", "not-admitted").expect(503).await;
    let line = only_line("not-admitted").await;
    assert_has(
        &line,
        json!({
            "level": "WARN", "status": 503, "code": "SERVICE_UNAVAILABLE", "sqlstate": "42P01",
            "error": "the database did not admit the request: relation \"meters\" does not exist",
        }),
    );
}

#[tokio::test]
async fn each_503_while_the_database_is_away_has_one_line_with_its_sqlstate() {
    let server = TestServer::start().await;
    let superuser_pool = server.superuser().await;
    begin();
    let name = server.database.name();
    let close = AssertSqlSafe(format!(
        "ALTER DATABASE {name} CONNECTION LIMIT 0;
         SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND pid <> pg_backend_pid()
            AND application_name = 'payout-server'"
    ));
    sqlx::raw_sql(close).execute(&superuser_pool).await.unwrap();
    let request =
        |id: &str| server.get(Key::MAIN, "/api/v1/partners").header("x-request-id", id).expect(503);
    // It finds its connection broken.
    request("away-first").await;
    only_line("away-first").await;
    let ids: Vec<String> = (0..20).map(|number| format!("away-{number}")).collect();
    join_all(ids.iter().map(|id| request(id))).await;
    for id in ids {
        let line = only_line(&id).await;
        assert_has(&line, json!({ "level": "WARN", "sqlstate": "53300" }));
        assert!(line["error"].as_str().unwrap().contains("too many connections"), "{line}");
    }
}

#[tokio::test]
async fn database_that_cannot_serve_now_is_a_503_and_a_wrong_statement_a_500() {
    let server = TestServer::start().await;
    let superuser_pool = server.superuser().await;
    let unavailable = [
        "08006", "25006", "28000", "28P01", "3D000", "40001", "40P01", "53300", "55P03", "57014",
        "57P01", "57P03", "58030",
    ];
    let wrong = ["22P02", "23505", "42501", "42P01", "55000", "XX000"];
    for (states, status) in [(&unavailable[..], 503), (&wrong, 500)] {
        for state in states {
            let raise = format!("DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '{state}'; END $$");
            let raised = sqlx::raw_sql(AssertSqlSafe(raise)).execute(&superuser_pool).await;
            let problem = Problem::from(Failure::from(raised.unwrap_err()));
            assert_eq!(problem.status().as_u16(), status, "{state}");
        }
    }
}

/// Panics once the charge is durable, and takes the meters away before: no credit is refunded yet.
struct Ruinous(PgPool);

impl Handler for Ruinous {
    async fn handle(&self, _: &Caller, _: Box<Arguments>) -> Response {
        while operator::meter(&self.0, MAIN).await.month_used == 0 {
            tokio::task::yield_now().await;
        }
        sqlx::raw_sql("ALTER TABLE meters RENAME TO away").execute(&self.0).await.unwrap();
        panic!("a handler gives up")
    }
}

#[tokio::test]
async fn panic_and_waiting_refund_are_logged_with_the_id_of_their_request() {
    let server = TestServer::start().await;
    begin();
    let replica = server.replica_with_handler(Ruinous(server.superuser().await)).await;
    let request = replica.request(Method::GET, "/api/v1/partners", server.key(Key::MAIN));
    request.header("x-request-id", "ruinous").expect(500).await;
    let lines = of_request("ruinous", 2).await;
    let [refund, request] = lines.as_slice() else {
        panic!("two lines: {lines:?}");
    };
    assert_has(
        refund,
        json!({
            "level": "WARN", "organization": MAIN, "sqlstate": "42P01",
            "message": "refunds of credits wait until the database takes them",
        }),
    );
    assert!(refund["error"].as_str().unwrap().contains("relation \"meters\""), "{refund}");
    assert_has(
        request,
        json!({
            "level": "ERROR", "organization": MAIN, "status": 500,
            "error": "a handler panicked: a handler gives up",
        }),
    );
}

#[tokio::test]
async fn panic_outside_the_api_is_a_500_that_is_logged_with_its_id() {
    let server = TestServer::start().await;
    begin();
    let replica = server.replica_with_handler(Ruinous(server.superuser().await)).await;
    let request = server.follow(&format!("{}/panics", replica.base_url()));
    let response = request.header("x-request-id", "outside").send().await.unwrap();
    assert_eq!(response.status(), 500);
    assert!(response.text().await.unwrap().contains("INTERNAL_ERROR"));
    let line = only_line("outside").await;
    assert_has(&line, json!({ "level": "ERROR", "status": 500 }));
    assert!(line["error"].as_str().unwrap().contains("a route gives up"), "{line}");
}

/// Fails once it is released, or panics.
#[derive(Clone)]
struct Late {
    released: Arc<Semaphore>,
    panics: bool,
}

impl Handler for Late {
    async fn handle(&self, _: &Caller, _: Box<Arguments>) -> Response {
        let _permit = self.released.acquire().await;
        assert!(!self.panics, "a handler gives up late");
        Problem::internal().with_cause("a handler fails late").into_response()
    }
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
        let late = Late { released: Arc::clone(&released), panics };
        let replica = server.replica_with_handler_and(late, |options| options.request_seconds = 1);
        let replica = replica.await;
        let request = replica.request(Method::GET, "/api/v1/partners", server.key(Key::MAIN));
        request.header("x-request-id", id).expect(503).await;
        let line = only_line(id).await;
        assert_has(&line, json!({ "level": "WARN", "error": "the work took longer than 1s" }));
        released.add_permits(1);
        let lines = of_request(id, 2).await;
        assert_has(&lines[1], json!({ "level": "ERROR", "organization": MAIN }));
        assert_has(&lines[1], ending);
    }
}
