//! The order of the errors, and every kind of issue.

use poem::http::{HeaderMap, Method, header::CONTENT_TYPE};
use serde_json::{Value, json};

use crate::contract::{
    Arguments, Found, Operation, PathValues, Problem, RequestForm, decode, types::ErrorCode,
};

/// The path values of a request with the id `x`.
pub(super) fn path_of(operation: Operation) -> Option<PathValues> {
    let info = operation.info();
    match Operation::find(&info.method, &info.path.replace("{id}", "x")) {
        Found::Operation { path, .. } => Some(path),
        _ => None,
    }
}

struct Sent<'a> {
    content_type: Option<&'a str>,
    query: &'a str,
    versions: &'a [&'a str],
    body: &'a [u8],
}

const SENT: Sent<'static> =
    Sent { content_type: Some("application/json"), query: "", versions: &[], body: b"{}" };

fn update(sent: &Sent<'_>) -> Result<Arguments, Problem> {
    let mut headers = HeaderMap::new();
    if let Some(content_type) = sent.content_type {
        headers.insert(CONTENT_TYPE, content_type.parse().unwrap());
    }
    for version in sent.versions {
        headers.append("api-version", version.parse().unwrap());
    }
    let path = path_of(Operation::UpdatePartner).unwrap();
    let request =
        RequestForm { path: &path, query: Some(sent.query), headers: &headers, body: sent.body };
    decode(Operation::UpdatePartner, &request)
}

fn issues(problem: Problem) -> Vec<(String, String, String)> {
    assert_eq!(problem.code, ErrorCode::ValidationFailed);
    let details = problem.details.unwrap();
    let text = |issue: &Value, member: &str| issue[member].as_str().unwrap().to_owned();
    let issues = details["issues"].as_array().unwrap().iter();
    issues.map(|issue| (text(issue, "in"), text(issue, "path"), text(issue, "code"))).collect()
}

#[test]
fn other_media_type_comes_before_broken_json() {
    for content_type in [
        None,
        Some("text/plain"),
        Some("application/problem+json"),
        Some("application/jsonx"),
        Some(""),
    ] {
        let problem = update(&Sent { content_type, body: b"{", ..SENT }).unwrap_err();
        assert_eq!(problem.code, ErrorCode::UnsupportedMediaType, "{content_type:?}");
    }
    for content_type in
        ["application/json; charset=utf-8", "Application/JSON", "application/json ;a=b"]
    {
        assert!(
            update(&Sent { content_type: Some(content_type), ..SENT }).is_ok(),
            "{content_type}"
        );
    }
}

#[test]
fn broken_json_comes_before_violations() {
    for body in [&b""[..], b"{", b"{}{}", b"\xff", b"{\"name\": 1, \"name\": 2}"] {
        let problem = update(&Sent { body, query: "x=1", ..SENT }).unwrap_err();
        assert_eq!(problem.code, ErrorCode::InvalidJson, "{body:?}");
    }
}

#[test]
fn all_violations_are_named_at_once() {
    let body = json!({
        "name": "", "domain": "a".repeat(256), "portalAccess": "OPEN", "tierId": 5, "phaseId": null,
        "partnerOwnerId": "a\u{0}", "a/b~": 1,
    });
    let body = body.to_string();
    let sent = Sent { query: "x=%&y=1", versions: &["a", "b"], body: body.as_bytes(), ..SENT };
    let expected = [
        ("query", "/x", "BAD_FORMAT"),
        ("query", "/y", "UNKNOWN_PARAMETER"),
        ("header", "/api-version", "REPEATED_PARAMETER"),
        ("body", "/name", "TOO_SHORT"),
        ("body", "/domain", "TOO_LONG"),
        ("body", "/portalAccess", "NOT_IN_ENUM"),
        ("body", "/tierId", "WRONG_TYPE"),
        ("body", "/phaseId", "NOT_NULLABLE"),
        ("body", "/partnerOwnerId", "BAD_FORMAT"),
        ("body", "/a~1b~0", "UNKNOWN_FIELD"),
    ];
    let expected: Vec<_> = expected
        .iter()
        .map(|(a, b, c)| ((*a).to_owned(), (*b).to_owned(), (*c).to_owned()))
        .collect();
    assert_eq!(issues(update(&sent).unwrap_err()), expected);
}

#[test]
fn message_says_what_is_wrong_and_how_to_fix_it() {
    let body = json!({ "name": "🦀".repeat(201) }).to_string();
    let problem = update(&Sent { body: body.as_bytes(), ..SENT }).unwrap_err();
    assert_eq!(problem.message, "1 value of the request breaks a rule; details.issues lists it.");
    let issue = &problem.details.unwrap()["issues"][0];
    assert_eq!(issue["message"], "must have at most 200 characters, has 201");
}

#[test]
fn numbers_of_a_query_have_their_own_codes() {
    let code = |query| {
        let (path, headers) = (PathValues::default(), HeaderMap::new());
        let request = RequestForm { path: &path, query: Some(query), headers: &headers, body: b"" };
        issues(decode(Operation::ListPartners, &request).unwrap_err()).remove(0).2
    };
    assert_eq!(code("limit=0"), "TOO_SMALL");
    assert_eq!(code("limit=-99999999999999999999"), "TOO_SMALL");
    assert_eq!(code("limit=101"), "TOO_LARGE");
    assert_eq!(code("limit=99999999999999999999"), "TOO_LARGE");
    assert_eq!(code("limit=1.0"), "WRONG_TYPE");
    assert_eq!(code("limit=05"), "WRONG_TYPE");
    assert_eq!(code("limit="), "WRONG_TYPE");
}

#[test]
fn body_of_an_operation_without_one_is_ignored() {
    let Found::Operation { operation, path } =
        Operation::find(&Method::POST, "/api/v1/commission-lines/x/detach")
    else {
        panic!("the path is the document's");
    };
    let headers = HeaderMap::new();
    let request = RequestForm { path: &path, query: None, headers: &headers, body: b"\xff{" };
    assert!(decode(operation, &request).is_ok());
}
