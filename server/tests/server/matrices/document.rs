//! Checks a response against the document: status, body, headers, error code. A header that the
//! document does not list for a status is a violation too.

use std::{
    collections::HashMap,
    path::Path,
    sync::{Arc, LazyLock, Mutex},
};

use openapi_document::{Direction, Document, Operation, Response, Status, Validator};
use serde_json::Value;

use crate::support::TestResponse;

/// `openapi/api.yaml`.
pub(crate) static DOCUMENT: LazyLock<Document> = LazyLock::new(|| {
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

/// The operation with this id.
pub(crate) fn operation(id: &str) -> &'static Operation {
    let mut operations = DOCUMENT.operations().iter();
    operations
        .find(|operation| operation.id == id)
        .unwrap_or_else(|| panic!("the document has no operation {id}"))
}

/// The error codes that the document lists for an operation, ascending.
pub(crate) fn promised_statuses(operation: &Operation) -> Vec<u16> {
    let code = |documented: &Response| match documented.status {
        Status::Code(code) => code,
        other => panic!("{}: {other:?} is no single status", operation.id),
    };
    operation.responses.iter().map(code).collect()
}

/// The names of an object schema's properties.
pub(crate) fn properties(pointer: &str) -> Vec<String> {
    let schema = DOCUMENT.resolve(pointer).unwrap();
    let properties = schema.value["properties"].as_object().unwrap();
    properties.keys().cloned().collect()
}

/// The schema at a pointer, compiled once: thousands of values are validated.
pub(crate) fn validator(pointer: &str, direction: Direction) -> Arc<Validator> {
    type Compiled = HashMap<(String, Direction), Arc<Validator>>;
    static COMPILED: LazyLock<Mutex<Compiled>> = LazyLock::new(Mutex::default);
    let key = (pointer.to_owned(), direction);
    let mut compiled = COMPILED.lock().unwrap();
    let known = compiled.entry(key).or_insert_with(|| {
        let validator = DOCUMENT.validator(pointer, direction);
        Arc::new(validator.unwrap())
    });
    Arc::clone(known)
}

/// Whether a text or a name contains U+0000, which R3 rejects and a schema cannot.
pub(crate) fn holds_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(items) => items.iter().any(holds_nul),
        Value::Object(members) => {
            let mut members = members.iter();
            members.any(|(name, member)| name.contains('\0') || holds_nul(member))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Whether the document lists this response for this operation; the error lists all differences.
pub(crate) fn is_documented(response: &TestResponse, operation_id: &str) -> Result<(), String> {
    let status = response.status.as_u16();
    let operation = operation(operation_id);
    let documented = operation
        .response(status)
        .ok_or_else(|| format!("{operation_id} does not document {status}: {}", response.text))?;
    is_promised(response, documented).map_err(|faults| format!("{operation_id} {status}: {faults}"))
}

/// Whether a response matches one documented response; the error lists all differences.
pub(crate) fn is_promised(response: &TestResponse, documented: &Response) -> Result<(), String> {
    let mut faults = body_faults(response, documented);
    faults.extend(header_faults(response, documented));
    if response.status.as_u16() >= 400
        && !documented.error_codes.iter().any(|code| code == response.code())
    {
        faults.push(format!(
            "the code {} is not among {:?}",
            response.code(),
            documented.error_codes
        ));
    }
    if faults.is_empty() {
        Ok(())
    } else {
        Err(format!("{}\nin {}", faults.join("\n"), response.text))
    }
}

fn body_faults(response: &TestResponse, documented: &Response) -> Vec<String> {
    let content_type = response.header("content-type").unwrap_or_default();
    let mut content = documented.content.iter();
    let Some(media) = content.find(|media| media.content_type == content_type) else {
        return vec![format!("{content_type:?} is not a documented content type")];
    };
    let pointer = media.schema_pointer.as_deref().expect("every body of ours has a schema");
    let validator = validator(pointer, Direction::Response);
    let violations = validator.validate(&response.body);
    violations
        .iter()
        .map(|violation| format!("{}: {}", violation.pointer, violation.message))
        .collect()
}

fn header_faults(response: &TestResponse, documented: &Response) -> Vec<String> {
    let mut faults = Vec::new();
    for header in &documented.headers {
        let Some(text) = response.header(&header.name) else {
            if header.required {
                faults.push(format!("the header {} is missing", header.name));
            }
            continue;
        };
        let pointer = header.schema_pointer.as_deref().expect("every header of ours has a schema");
        let validator = validator(pointer, Direction::Response);
        if !validator.is_valid(&Value::String(text.to_owned())) {
            faults.push(format!("the header {} is {text:?}", header.name));
        }
    }
    let promised =
        |name: &str| documented.headers.iter().any(|header| header.name.eq_ignore_ascii_case(name));
    let strange =
        OWN_HEADERS.iter().filter(|name| response.headers.contains_key(**name) && !promised(name));
    faults.extend(strange.map(|name| format!("the header {name} is not documented")));
    faults
}
