//! Each ERROR line of the log that a request causes has the request's id, which the envelope of a
//! 500 names.

use std::sync::Arc;

use payout_server::{
    contract::Arguments,
    gate::{Caller, Handler},
};
use poem::{Response, http::Method};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use crate::{
    limits::client::until,
    support::{
        Key, TestServer,
        dataset::*,
        log::{begin, errors},
    },
};

/// Tasks that serve many requests at once, or none.
const BACKGROUND: [&str; 2] = ["payout_server::batcher", "payout_server::http::listener"];

/// Messages of the errors with this id, once there are so many. All other errors of this process,
/// too, have an id.
async fn messages(id: &str, count: usize) -> Vec<Value> {
    let of_id = || errors().into_iter().filter(|line| line["request_id"] == id).collect();
    until(|| Vec::len(&of_id()) >= count).await;
    let is_background = |line: &Value| BACKGROUND.iter().any(|task| line["target"] == *task);
    let unmarked: Vec<Value> = errors()
        .into_iter()
        .filter(|line| !line["request_id"].is_string() && !is_background(line))
        .collect();
    assert_eq!(unmarked, [] as [Value; 0]);
    let found: Vec<Value> = of_id();
    found.into_iter().map(|line| line["message"].clone()).collect()
}

#[tokio::test]
async fn cause_of_a_500_has_the_id_of_its_request() {
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
        assert_eq!(messages(&id, 1).await, ["a request failed"], "{id}");
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
        assert_eq!(messages(id, 1).await, ["a request failed"], "{id}");
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
    assert_eq!(messages("not-admitted", 1).await, ["no admission"]);
}

/// Panics.
struct Ruinous;

impl Handler for Ruinous {
    async fn handle(&self, _: &Caller, _: Box<Arguments>) -> Response {
        panic!("a handler gives up")
    }
}

#[tokio::test]
async fn panic_is_logged_with_the_id_of_its_request() {
    let server = TestServer::start().await;
    begin();
    let replica = server.replica_with_handler(Ruinous).await;
    let request = replica.request(Method::GET, "/api/v1/partners", server.key(Key::MAIN));
    request.header("x-request-id", "ruinous").expect(500).await;
    assert_eq!(messages("ruinous", 1).await, ["a handler panicked"]);
}

/// Panics once it is released.
#[derive(Clone)]
struct Late(Arc<Semaphore>);

impl Handler for Late {
    async fn handle(&self, _: &Caller, _: Box<Arguments>) -> Response {
        let _permit = self.0.acquire().await;
        panic!("a handler gives up late")
    }
}

#[tokio::test]
async fn work_after_the_deadline_is_logged_with_the_id_of_its_request() {
    let server = TestServer::start().await;
    begin();
    let released = Arc::new(Semaphore::new(0));
    let late = Late(Arc::clone(&released));
    let replica = server.replica_with_handler_and(late, |options| options.request_seconds = 1);
    let replica = replica.await;
    let request = replica.request(Method::GET, "/api/v1/partners", server.key(Key::MAIN));
    request.header("x-request-id", "late").expect(503).await;
    assert_eq!(messages("late", 1).await, ["a request took too long"]);
    released.add_permits(1);
    let expected = ["a request took too long", "detached work panicked"];
    assert_eq!(messages("late", 2).await, expected);
}
