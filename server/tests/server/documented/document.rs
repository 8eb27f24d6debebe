//! Checks a response against the document: status, body, headers, error code. A header that the
//! document does not list for a status is a violation too.

use std::{path::Path, sync::LazyLock};

use openapi_document::{Direction, Document, Operation, Response, Status};
use serde_json::Value;

use crate::support::TestResponse;

/// `openapi/api.yaml`.
pub(super) static DOCUMENT: LazyLock<Document> = LazyLock::new(|| {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../openapi/api.yaml");
    Document::load(&path).unwrap()
});

/// Headers that the document must list for every response that has them.
const OWN_HEADERS: [&str; 6] = [
    "x-ratelimit-limit-minute",
    "x-ratelimit-remaining-minute",
    "x-service-credits-limit-month",
    "x-service-credits-remaining-month",
    "retry-after",
    "x-request-id",
];

/// Returns true if the document lists this status for the operation.
pub(super) fn lists(operation: &Operation, status: u16) -> bool {
    operation.responses.iter().any(|response| response.status == Status::Code(status))
}

/// Requires a response with this status that the document lists for the operation.
pub(super) fn assert_documented(operation: &Operation, status: u16, response: &TestResponse) {
    assert_eq!(response.status, status, "{}: {}", operation.id, response.text);
    let documented = operation.response(status).expect("a documented status");
    let violations = violations(response, documented);
    assert_eq!(violations, [""; 0], "{} {status}: {}", operation.id, response.text);
    let examples = documented.content.iter().flat_map(|media| &media.examples);
    let mut errors = examples.map(|example| &example.value["error"]);
    let example = errors.find(|error| error["code"] == response.code());
    let words = &example.expect("each error has an example")["message"];
    // A test waits less than ten seconds for a body.
    assert_eq!(response.message().replace("within 1 s", "within 10 s"), *words);
}

/// Where a response differs from the documented one.
pub(super) fn violations(response: &TestResponse, documented: &Response) -> Vec<String> {
    let mut violations = body_violations(response, documented);
    violations.extend(header_violations(response, documented));
    let is_listed = || documented.error_codes.iter().any(|code| code == response.code());
    if response.status.as_u16() >= 400 && !is_listed() {
        let code = response.code();
        violations.push(format!("the code {code} is not among {:?}", documented.error_codes));
    }
    violations
}

fn body_violations(response: &TestResponse, documented: &Response) -> Vec<String> {
    let content_type = response.header("content-type").unwrap_or_default();
    let mut content = documented.content.iter();
    let Some(media) = content.find(|media| media.content_type == content_type) else {
        return vec![format!("{content_type:?} is not a documented content type")];
    };
    let pointer = media.schema_pointer.as_deref().expect("every body of ours has a schema");
    let validator = DOCUMENT.validator(pointer, Direction::Response).unwrap();
    let violations = validator.validate(&response.body);
    violations
        .iter()
        .map(|violation| format!("{}: {}", violation.pointer, violation.message))
        .collect()
}

fn header_violations(response: &TestResponse, documented: &Response) -> Vec<String> {
    let mut violations = Vec::new();
    for header in &documented.headers {
        let Some(text) = response.header(&header.name) else {
            if header.required {
                violations.push(format!("the header {} is missing", header.name));
            }
            continue;
        };
        let pointer = header.schema_pointer.as_deref().expect("every header of ours has a schema");
        let validator = DOCUMENT.validator(pointer, Direction::Response).unwrap();
        if !validator.is_valid(&Value::String(text.to_owned())) {
            violations.push(format!("the header {} is {text:?}", header.name));
        }
    }
    let is_listed =
        |name: &str| documented.headers.iter().any(|header| header.name.eq_ignore_ascii_case(name));
    let unlisted =
        OWN_HEADERS.iter().filter(|name| response.headers.contains_key(**name) && !is_listed(name));
    violations.extend(unlisted.map(|name| format!("the header {name} is not documented")));
    violations
}
