//! The examples of errors and cursors in the document are the server's own words. The suite
//! compares no example: other servers may say it otherwise.

use std::collections::BTreeSet;

use openapi_document::Document;
use openapi_runtime::Cursor;
use payout_server::http::docs::DOCUMENT;
use serde_json::Value;

use crate::{named::Names, session::Session};

/// Tests of failures, limits and races meet these.
const NOT_PROVOKED: [&str; 4] =
    ["IDEMPOTENCY_IN_PROGRESS", "REQUEST_TIMEOUT", "INTERNAL_ERROR", "SERVICE_UNAVAILABLE"];

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

#[tokio::test]
async fn every_example_of_an_error_is_in_the_words_of_the_server() {
    let mut session = Session::start("").await;
    let rejected = include_str!("rejected.txt");
    Names::default().transcript(rejected, async |line: &str| session.run(line).await).await;
    let said: BTreeSet<_> = session.errors.iter().map(words).collect();
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
