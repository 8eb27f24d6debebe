//! The examples of errors and cursors in the document are the server's own words. The suite
//! compares no example: other servers may say it otherwise.

use std::collections::BTreeSet;

use openapi_document::Document;
use openapi_runtime::Cursor;
use payout_server::http::docs::DOCUMENT;
use poem::http::Method;
use serde_json::Value;

use crate::support::{Key, TestRequest, TestResponse, TestServer, dataset::*};

/// Tests of failures, limits and races meet these.
const NOT_PROVOKED: [&str; 4] =
    ["IDEMPOTENCY_IN_PROGRESS", "REQUEST_TIMEOUT", "INTERNAL_ERROR", "SERVICE_UNAVAILABLE"];
const PARTNERS: &str = "/api/v1/partners";

/// Requests of main with every scope that are rejected: method, path and body.
const REJECTED: &str = include_str!("rejected.txt");

/// The code of an error, its message with each number as 0, and the names of its details.
fn words(error: &Value) -> (String, String, Vec<String>) {
    let error = &error["error"];
    let mut message = String::new();
    for character in error["message"].as_str().unwrap().chars() {
        match character {
            '0'..='9' if message.ends_with('0') => {}
            '0'..='9' => message.push('0'),
            other => message.push(other),
        }
    }
    let details = error["details"].as_object().into_iter().flat_map(|details| details.keys());
    (error["code"].as_str().unwrap().to_owned(), message, details.cloned().collect())
}

/// The request of a line of [`REJECTED`].
fn rejected(server: &TestServer, line: &str) -> TestRequest {
    let ids = [
        ("{bare}", BARE),
        ("{empty}", EMPTY),
        ("{large}", FORTY_ONE),
        ("{paid}", TO_DETACH),
        ("{paid-line}", DETACHABLE),
        ("{pending}", PENDING_LINE),
        ("{voided}", VOIDED_LINE),
        ("{line}", ITS_LINE),
    ];
    let line = ids.iter().fold(line.to_owned(), |line, (name, id)| line.replace(name, id));
    let mut parts = line.splitn(3, ' ');
    let (method, path) = (parts.next().unwrap(), parts.next().unwrap());
    let method = Method::from_bytes(method.as_bytes()).unwrap();
    let request = server.request(method, &format!("/api/v1/{path}"));
    let request = request.header("x-api-key", server.key(Key::MAIN));
    match parts.next() {
        Some(body) => request.header("content-type", "application/json").body(body.to_owned()),
        None => request,
    }
}

/// Requests that are rejected for their headers, their key, or what the tables hold.
async fn otherwise_rejected(server: &TestServer) -> Vec<TestRequest> {
    let main = |path: &str| server.get(Key::MAIN, path);
    let post = |path: &str| server.post(Key::MAIN, path).header("idempotency-key", "reused");
    let page = main(&format!("{PARTNERS}?limit=1")).expect(200).await;
    let other_list = format!("/api/v1/payouts?cursor={}", page.next_cursor().unwrap());
    for name in ["One", "Two"] {
        post(PARTNERS).json(&serde_json::json!({ "name": name })).send().await;
    }
    for _ in 0..5 {
        server.get(Key("tight", "all"), PARTNERS).expect(200).await;
    }
    let no_scope = Key("main", "affiliate-write");
    vec![
        main(&other_list),
        main(PARTNERS).header("api-version", "1999-12-31"),
        main(PARTNERS).body(vec![b' '; 64 * 1024 + 1]),
        server.request(Method::GET, PARTNERS),
        server.get(Key("exhausted", "all"), PARTNERS),
        server.get(Key("tight", "all"), PARTNERS),
        server.get(no_scope, PARTNERS),
        server.get(no_scope, "/api/v1/payouts"),
        server.post(no_scope, PARTNERS),
        server.post(no_scope, "/api/v1/payouts"),
        post(PARTNERS).header("content-type", "text/plain").body("{}"),
        post(PARTNERS).json(&serde_json::json!({ "name": "Three" })),
        server.post(
            Key("no_billing", "all"),
            "/api/v1/payouts/pay_01JV3N8Q5R0300000000000001/statement",
        ),
    ]
}

/// A server in the state that the examples show.
async fn server_of_the_examples() -> TestServer {
    let server = TestServer::start().await;
    server
        .execute(format!(
            "UPDATE billing_information
                SET legal_name = 'x', address_line_1 = 'x', postal_code = 'x', city = 'x'
              WHERE organization_id IN (SELECT id FROM organizations WHERE name = 'no_billing');
             INSERT INTO commission_lines (organization_id, id, partner_id, payout_id, description,
                                           amount, source_amount, currency, status, plan_name,
                                           period_end)
             SELECT organization_id, 'cln_many_' || n, partner_id, payout_id, 'one of many', 0, 0,
                    currency, status, plan_name, period_end
               FROM commission_lines, generate_series(1, 20001) AS n
              WHERE id = (SELECT min(id) FROM commission_lines WHERE payout_id = '{FORTY_ONE}')"
        ))
        .await;
    server
}

#[tokio::test]
async fn every_example_of_an_error_is_in_the_words_of_the_server() {
    let server = server_of_the_examples().await;
    let mut said = BTreeSet::new();
    let mut hear = |response: TestResponse| said.insert(words(&response.body));
    for line in REJECTED.lines() {
        hear(rejected(&server, line).send().await);
    }
    for request in otherwise_rejected(&server).await {
        hear(request.send().await);
    }
    let limited = server.replica_with(|options| options.anonymous_requests_per_minute = 1).await;
    // The minute follows the machine's clock, and may end between two requests.
    for _ in 0..3 {
        hear(limited.request(Method::GET, PARTNERS).send().await);
    }
    let document = Document::parse("openapi/api.yaml", DOCUMENT).unwrap();
    let operations = document.operations().iter().flat_map(|operation| &operation.responses);
    let responses = operations.chain(document.unrouted_responses());
    let examples = responses.flat_map(|response| &response.content).flat_map(|it| &it.examples);
    let errors = examples.map(|example| &example.value).filter(|it| it.get("error").is_some());
    let written: BTreeSet<_> = errors.map(words).collect();
    let missing: Vec<_> = written.difference(&said).collect();
    let missing: Vec<_> =
        missing.iter().filter(|words| !NOT_PROVOKED.contains(&words.0.as_str())).collect();
    assert!(written.len() > 30 && missing.is_empty(), "{missing:#?}\nof {said:#?}");
}

#[test]
fn every_example_of_a_cursor_is_a_cursor_of_the_server() {
    let document = Document::parse("openapi/api.yaml", DOCUMENT).unwrap();
    let examples = document.examples().unwrap();
    let cursors = examples.iter().filter_map(|example| {
        let is_cursor = example.pointer.ends_with("/Cursor/example")
            || example.pointer.ends_with("/PageCursor/example");
        let of_a_page = || example.value.pointer("/pagination/nextCursor")?.as_str();
        if is_cursor { example.value.as_str() } else { of_a_page() }
    });
    let cursors: Vec<&str> = cursors.collect();
    assert!(cursors.len() >= 3, "{cursors:?}");
    for text in cursors {
        assert!(Cursor::read(text, "listCommissionLines", []).is_ok(), "{text}");
    }
}
