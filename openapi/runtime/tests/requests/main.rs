//! Requests as generated code reads them: forms, objects in a query, texts, bytes and the rules of
//! values. `requests.txt` says what is read of each request of the document `requests.yaml`.

#![expect(clippy::unwrap_used, reason = "a panic names its line")]
#![allow(clippy::disallowed_types, reason = "numbers of a document, no money")]
#![allow(clippy::duplicate_mod, reason = "the skeleton has the contract, too")]

#[allow(unreachable_pub, reason = "it is generated for a crate that exports it")]
mod contract;
mod service;
/// What `contract skeleton` writes for the document; it need only compile.
#[path = "skeleton.rs"]
#[allow(dead_code, unreachable_pub, clippy::unimplemented, reason = "nothing starts it")]
mod skeleton;

use std::{env, fs};

use openapi_runtime::{
    Content, FillError, Issue, IssueCode, MediaType as _, Problem, Written as _, message_with,
};
use poem::http::{HeaderMap, HeaderValue, Method, header::CONTENT_TYPE};
use serde_json::Value;

use self::contract::{
    ErrorCode, Found, Operation, RequestForm, decode,
    types::{HttpValidationError, HttpValidationErrorDetailItem, ImageAnyMedia, TextCsvMedia},
};

impl FillError<HttpValidationError> for ErrorCode {
    fn fill(self, message: String, _details: Option<Value>) -> HttpValidationError {
        let item = HttpValidationErrorDetailItem { loc: Vec::new(), msg: message };
        HttpValidationError { detail: Some(vec![item]) }
    }
}

/// The bytes of a text with `\\r`, `\\n` and `\\xff`.
fn unescaped(text: &str) -> Vec<u8> {
    let mut parts = text.split('\\');
    let mut bytes = parts.next().unwrap().as_bytes().to_vec();
    for part in parts {
        let (byte, rest) = match part.split_at(1) {
            ("r", rest) => (b'\r', rest),
            ("n", rest) => (b'\n', rest),
            (_, rest) => (u8::from_str_radix(&rest[..2], 16).unwrap(), &rest[2..]),
        };
        bytes.push(byte);
        bytes.extend_from_slice(rest.as_bytes());
    }
    bytes
}

/// Reads a request such as `POST /text?a=1 text/plain BODY`; bytes are hexadecimal after `0x`.
fn read(request: &str) -> String {
    let mut parts = request.splitn(4, ' ');
    let mut part = || parts.next().unwrap_or_default();
    let (method, target, content_type, body) = (part(), part(), part(), part());
    let (path, query) =
        target.split_once('?').map_or((target, None), |(path, it)| (path, Some(it)));
    let body = match body.strip_prefix("0x") {
        None if content_type.starts_with("multipart") => unescaped(body),
        None => body.as_bytes().to_vec(),
        Some(digits) => {
            let bytes = digits.as_bytes().chunks(2).map(|byte| str::from_utf8(byte).unwrap());
            bytes.map(|byte| u8::from_str_radix(byte, 16).unwrap()).collect()
        }
    };
    let mut headers = HeaderMap::new();
    if !content_type.is_empty() && content_type != "-" {
        headers.insert(CONTENT_TYPE, HeaderValue::from_str(content_type).unwrap());
    }
    let method: Method = method.parse().unwrap();
    let (operation, path) = match Operation::find(&method, path) {
        Found::Operation { operation, path } => (operation, path),
        found => return format!("{found:?}"),
    };
    match decode(operation, &RequestForm { path: &path, query, headers: &headers, body: &body }) {
        Ok(arguments) => format!("{arguments:?}"),
        Err(problem) => {
            let details = problem.details.as_ref();
            let issues = details.and_then(|it| it["issues"].as_array()).into_iter().flatten();
            let issues = issues.map(|issue| {
                let text = |name: &str| issue[name].as_str().unwrap();
                let words = [text("in"), text("path"), text("code")];
                let words = words.into_iter().filter(|word| !word.is_empty());
                format!("{}: {}", words.collect::<Vec<_>>().join(" "), text("message"))
            });
            let issues: Vec<String> = issues.collect();
            match issues.is_empty() {
                true => format!("{} {}", problem.status().as_u16(), problem.message),
                false => issues.join("; "),
            }
        }
    }
}

#[test]
fn requests_are_read_as_the_file_says() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/requests/requests.txt");
    let file = fs::read_to_string(path).unwrap();
    let found = file.lines().map(|line| match line.split_once(" =>") {
        Some((request, _)) => format!("{request} => {}\n", read(request)),
        None => format!("{line}\n"),
    });
    let found: String = found.collect();
    if env::var_os("WRITE_EXPECTED").is_some() {
        fs::write(path, &found).unwrap();
    }
    let mend = "where this is right: WRITE_EXPECTED=1 cargo test --workspace --test requests";
    assert!(found == file, "{found}\n{mend}");
}

#[test]
fn content_has_the_media_type_that_the_document_or_the_handler_names() {
    let content_type = |response: poem::Response| response.content_type().unwrap().to_owned();
    let csv = Content::<TextCsvMedia>::new("a,b").into_body_response();
    assert_eq!(content_type(csv), "text/csv");
    let png = Content::<ImageAnyMedia>::of_type(vec![1], "image/png").into_body_response();
    assert_eq!(content_type(png), "image/png");
    assert_eq!(ImageAnyMedia::NAME, "image/*");
}

#[test]
fn message_names_the_issues_where_the_error_has_no_details() {
    let issue = |path: &str| Issue::body(path, IssueCode::TooSmall, "must be at least 1");
    let problem: Problem<ErrorCode> = Problem::invalid(&[issue("/a"), issue("")]);
    assert_eq!(
        message_with(problem.message, problem.details.map(|details| *details)),
        "2 values of the request break a rule: body /a must be at least 1; body must be at \
         least 1."
    );
    assert_eq!(message_with("No such loan.".to_owned(), None), "No such loan.");
}

#[tokio::test]
async fn error_has_the_body_that_the_document_gives_the_operation() {
    for (operation, media_type, body) in [
        (Operation::SendText, "text/plain", "1 value of the request breaks a rule: body /a no."),
        (Operation::SendImage, "", ""),
        (
            Operation::SendRows,
            "application/problem+json",
            r#"{"type":"about:blank","title":"1 value of t","status":422,"severity":"low"}"#,
        ),
        (
            Operation::ReadMembers,
            "application/json",
            "{\"detail\":[{\"loc\":[],\"msg\":\"1 value of the request breaks a rule; \
             details.issues lists it.\"}]}",
        ),
        (
            Operation::SendValues,
            "application/problem+json",
            "{\"title\":\"1 value of the request breaks a rule: body /a no.\",\"status\":422}",
        ),
    ] {
        let issue = Issue::body("/a", IssueCode::TooSmall, "no");
        let problem: Problem<ErrorCode> = Problem::invalid(&[issue]);
        let response = problem.into_response_of(operation);
        assert_eq!(response.status(), 422);
        assert_eq!(response.content_type().unwrap_or_default(), media_type);
        assert_eq!(response.into_body().into_string().await.unwrap(), body);
    }
}
