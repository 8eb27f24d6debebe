//! The suite does not see these: handlers give no status that the document does not list, no value
//! of the data set has a space, and thousands of names take time.

use poem::{
    IntoResponse,
    http::{HeaderMap, StatusCode},
};
use serde_json::Value;

use openapi_runtime::Answer;

use crate::contract::{
    Arguments, Operation, PathValues, Problem, RequestForm, decode, types::ErrorCode,
};

#[tokio::test]
async fn undocumented_status_becomes_a_500_without_details() {
    let problem = Problem::new(ErrorCode::NotFound, "A list is always found.");
    let response =
        Answer::of(Operation::ListPartners, &[400, 500], Err(problem), |()| unreachable!());
    let response = response.into_response();
    assert_eq!(response.status(), StatusCode::INTERNAL_SERVER_ERROR);
    let text = response.into_body().into_string().await.unwrap();
    let body: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(body["error"]["code"], "INTERNAL_ERROR");
    assert!(!text.contains("always found"), "{text}");
}

#[test]
fn plus_in_a_query_is_a_space() {
    let (path, headers) = (PathValues::default(), HeaderMap::new());
    let query = Some("payoutId=a+b");
    let request = RequestForm { path: &path, query, headers: &headers, body: b"" };
    match decode(Operation::ListCommissionLines, &request) {
        Ok(Arguments::ListCommissionLines(query)) => {
            assert_eq!(format!("{:?}", query.filters()), r#"[("payoutId", "a b")]"#);
        }
        other => panic!("{other:?}"),
    }
}

/// The request has as many names as fit into its head.
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
