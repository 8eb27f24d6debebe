//! Queries that `decode` accepts reach the handlers with the same values.

use poem::http::HeaderMap;

use openapi_runtime::{Cursor, ListFingerprint, Position};

use super::handlers::dispatched;
use crate::contract::{Arguments, Operation, PathValues, RequestForm, decode, types::ErrorCode};

fn accepts(operation: Operation, query: &str) -> bool {
    let (path, headers) = (PathValues::default(), HeaderMap::new());
    let request = RequestForm { path: &path, query: Some(query), headers: &headers, body: b"" };
    decode(operation, &request).is_ok()
}

const ACCEPTED: [(&str, &str); 10] = [
    ("", "25 []"),
    ("&&", "25 []"),
    ("limit=1", "1 []"),
    ("limit=100", "100 []"),
    ("%6Cimit=7", "7 []"),
    ("status=IN_PAYOUT", r#"25 [("status", "IN_PAYOUT")]"#),
    ("status=VOIDED&partnerId=p", r#"25 [("partnerId", "p"), ("status", "VOIDED")]"#),
    ("payoutId=a%26b%3Dc", r#"25 [("payoutId", "a&b=c")]"#),
    ("payoutId=a+b", r#"25 [("payoutId", "a b")]"#),
    ("payoutId=%F0%9F%A6%80", r#"25 [("payoutId", "🦀")]"#),
];

const REJECTED: [&str; 26] = [
    "limit",
    "limit=",
    "limit=0",
    "limit=101",
    "limit=-1",
    "limit=%2B5",
    "limit=+5",
    "limit=05",
    "limit=1.0",
    "limit=1e1",
    "limit=5&limit=5",
    "limit=99999999999999999999",
    "limit=%31%30%31",
    "limit=٣",
    "Limit=5",
    "offset=1",
    "=1",
    "status=in_payout",
    "status=",
    "partnerId=",
    "partnerId=a%00",
    "partnerId=%FF",
    "partnerId=%",
    "%zz=1",
    "partnerId=a&partnerId=b",
    "limit[]=5",
];

#[tokio::test]
async fn accepted_query_reaches_the_handler_with_its_values() {
    for (query, expected) in ACCEPTED {
        let called = dispatched(Operation::ListCommissionLines, query).await;
        assert_eq!(called, Ok(format!("listCommissionLines {expected}")), "{query}");
    }
}

#[test]
fn query_that_the_document_does_not_allow_is_rejected() {
    for query in REJECTED {
        assert!(!accepts(Operation::ListCommissionLines, query), "{query}");
    }
}

#[test]
fn cursor_is_read_with_its_list_and_filters() {
    let list = ListFingerprint::of("listCommissionLines", [("status", "PENDING")]);
    let position = Position { id: "cln_1".to_owned(), ..Position::start() };
    let cursor = Cursor { list, position };
    let read = |query: String| {
        let (path, headers) = (PathValues::default(), HeaderMap::new());
        let query = Some(query.as_str());
        let request = RequestForm { path: &path, query, headers: &headers, body: b"" };
        decode(Operation::ListCommissionLines, &request).map_err(|problem| problem.code)
    };
    match read(format!("status=PENDING&cursor={cursor}&limit=7")) {
        Ok(Arguments::ListCommissionLines(query)) => assert_eq!(query.cursor, Some(cursor.clone())),
        other => panic!("{other:?}"),
    }
    for query in [format!("cursor={cursor}"), "cursor=".to_owned(), "cursor=eyJ&x=1".to_owned()] {
        assert_eq!(read(query.clone()), Err(ErrorCode::InvalidCursor), "{query}");
    }
}

#[test]
fn filter_of_another_list_is_rejected() {
    assert!(!accepts(Operation::ListPartners, "status=IN_PAYOUT"));
}

/// As many names as fit into a request's head.
#[test]
fn thousands_of_unknown_names_are_each_reported_once_in_their_order() {
    let names: Vec<String> = (0..16_000).map(|number| format!("{number:x}")).collect();
    let query = [names.join("&"), names.join("&")].join("&");
    let (path, headers) = (PathValues::default(), HeaderMap::new());
    let request = RequestForm { path: &path, query: Some(&query), headers: &headers, body: b"" };
    let problem = decode(Operation::ListPartners, &request).unwrap_err();
    assert!(problem.message.starts_with("16000 values"), "{}", problem.message);
    let details = problem.details.unwrap();
    let listed = details["issues"].as_array().unwrap().iter();
    let listed: Vec<_> = listed.map(|issue| issue["path"].as_str().unwrap()).collect();
    let first: Vec<String> = names[..listed.len()].iter().map(|name| format!("/{name}")).collect();
    assert_eq!(listed, first);
}
