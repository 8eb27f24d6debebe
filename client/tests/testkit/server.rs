//! The server: documented answers, scripts, links, pages, and what it records.

use std::{
    io::{Read, Write},
    net::TcpStream,
};

use payout_client::{
    Client, Error, ErrorCode, Operation, Response, StatusCode,
    testkit::{Answer, Server},
    types::{CreateCommissionLineRequest, PayoutEnvelope, StatementResult},
};

pub(crate) async fn payout(client: &Client) -> Result<Response<PayoutEnvelope>, Error> {
    client.get_payout("pay_1").send().await
}

pub(crate) async fn statement(client: &Client) -> StatementResult {
    client.generate_statement("pay_1").send().await.unwrap().into_inner().data
}

/// The answer to a request, read by code that is not async.
pub(crate) fn raw(server: &Server, request_line: &str) -> String {
    let address = server.base_url().trim_start_matches("http://");
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "{request_line} HTTP/1.0\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[tokio::test]
async fn every_documented_answer_of_every_operation_arrives_as_the_document_says() {
    let server = Server::start().await;
    let mut count = 0;
    for operation in Operation::ALL.iter().copied() {
        for answer in Answer::documented(operation) {
            count += 1;
            server.script(operation, [answer.clone()]);
            let segments = operation.path().split('/');
            let segments: Vec<_> =
                segments.map(|part| if part.starts_with('{') { "a" } else { part }).collect();
            let path = segments.join("/");
            let text = raw(&server, &format!("{} {path}", operation.method()));
            let (head, body) = text.split_once("\r\n\r\n").unwrap();
            assert!(head.starts_with(&format!("HTTP/1.0 {}", answer.status())), "{head}");
            assert!(head.contains("x-request-id"), "{head}");
            let body: serde_json::Value = serde_json::from_str(body).unwrap();
            let code = body["error"]["code"].as_str().map(ErrorCode::from);
            assert_eq!(code, answer.code(), "{operation:?}");
        }
    }
    assert_eq!(server.requests().len(), count);
    assert!(count > 10 * Operation::ALL.len(), "{count}");
}

#[tokio::test]
async fn operations_succeed_without_a_script_and_after_it() {
    let server = Server::start().await;
    let client = server.client();
    assert_eq!(payout(&client).await.unwrap().status(), StatusCode::OK);
    server.script(Operation::GetPayout, [Answer::error(Operation::GetPayout, 404, "NOT_FOUND")]);
    assert!(matches!(payout(&client).await.unwrap_err(), Error::NotFound { .. }));
    assert!(payout(&client).await.is_ok());
    server.always(
        Operation::GetPayout,
        Answer::error(Operation::GetPayout, 402, "API_CREDITS_EXHAUSTED"),
    );
    for _ in 0..2 {
        let error = payout(&client).await.unwrap_err();
        assert!(matches!(error, Error::CreditsExhausted { .. }), "{error:?}");
    }
}

#[tokio::test]
async fn answer_can_be_an_example_or_have_another_body_and_header() {
    let server = Server::start().await;
    let operation = Operation::CreatePayout;
    assert_eq!(Answer::example(operation, 201, "CreatedPayout").status(), StatusCode::CREATED);
    let body = r#"{"data":null}"#;
    let answer = Answer::success(Operation::GetPayout).body(body).header("x-request-id", "mine");
    server.script(Operation::GetPayout, [answer]);
    let error = payout(&server.client()).await.unwrap_err();
    assert_eq!(error.request_id(), Some("mine"));
}

#[test]
#[should_panic(expected = "getPayout has no documented 404 GONE; it has 200 Payout, 400 UNSUPP")]
fn unknown_answer_panics_with_those_that_the_document_has() {
    let _ = Answer::error(Operation::GetPayout, 404, "GONE");
}

#[tokio::test]
async fn requests_are_recorded_and_show_no_key() {
    let server = Server::start().await;
    let client = server.client();
    client.list_partners().limit(7).send().await.unwrap();
    let line = CreateCommissionLineRequest::builder("ptn_1", "1.00", "EUR", "Order 1");
    client.create_commission_line(line).send().await.unwrap();
    let requests = server.requests();
    assert_eq!(requests[0].operation, Some(Operation::ListPartners));
    assert_eq!(requests[0].query, [("limit".to_owned(), "7".to_owned())]);
    assert_eq!(requests[1].method, "POST");
    assert_eq!(requests[1].path, "/api/v1/commission-lines");
    assert_eq!(requests[1].json()["amount"], "1.00");
    let key = requests[1].headers["x-api-key"].to_str().unwrap();
    assert!(!format!("{requests:?}").contains(key), "{requests:?}");
}

#[tokio::test]
async fn what_the_document_does_not_know_is_its_404_and_405() {
    let server = Server::start().await;
    let unknown = raw(&server, "GET /nothing");
    assert!(unknown.starts_with("HTTP/1.0 404"), "{unknown}");
    assert!(unknown.contains("NOT_FOUND"), "{unknown}");
    let other = raw(&server, "DELETE /api/v1/payouts/pay_1");
    assert!(other.starts_with("HTTP/1.0 405"), "{other}");
    assert!(other.contains("allow: GET, PATCH\r\n"), "{other}");
    assert!(server.requests().iter().all(|request| request.operation.is_none()));
}

#[tokio::test]
async fn link_of_a_statement_leads_to_a_pdf() {
    let server = Server::start().await;
    let client = server.client();
    let statement = statement(&client).await;
    let pdf = client.download_statement(&statement).send().await.unwrap().bytes().await.unwrap();
    assert!(pdf.starts_with(b"%PDF-") && pdf.ends_with(b"%%EOF\n"));
    server.script_links([Answer::link_expired()]);
    let error = client.download_statement(&statement).send().await.unwrap_err();
    assert!(matches!(error, Error::LinkExpired { .. }), "{error:?}");
    assert!(client.download_statement(&statement).send().await.is_ok());
    assert!(server.requests()[1].headers.get("x-api-key").is_none());
}

#[tokio::test]
async fn page_after_the_cursor_of_an_answer_is_the_last() {
    let server = Server::start().await;
    let client = server.client();
    let first = client.list_commission_lines().send().await.unwrap().into_inner();
    let cursor = first.pagination.next_cursor.unwrap();
    let second = client.list_commission_lines().cursor(cursor).send().await.unwrap();
    assert_eq!(second.pagination.next_cursor, None);
    assert_eq!(first.data, second.data);
}

#[tokio::test]
async fn second_request_with_an_idempotency_key_is_a_replay() {
    let server = Server::start().await;
    let client = server.client();
    for is_replayed in [false, true] {
        let line = CreateCommissionLineRequest::builder("ptn_1", "1.00", "EUR", "Order 1");
        let request = client.create_commission_line(line).idempotency_key("order-1");
        assert_eq!(request.send().await.unwrap().is_replayed(), is_replayed);
    }
}

#[tokio::test]
async fn server_ends_when_dropped() {
    let server = Server::start().await;
    let client = server.client();
    payout(&client).await.unwrap();
    drop(server);
    let error = payout(&client).await.unwrap_err();
    assert!(matches!(error, Error::Transport { .. }), "{error:?}");
}
