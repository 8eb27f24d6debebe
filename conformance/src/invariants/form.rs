//! Form: each response has a status, a content type, headers and a body that the document defines
//! for its operation.

use std::collections::BTreeMap;

use hyper::Method;
use openapi_document::{
    Direction, Document, DocumentError, Operation, Response as DocumentedResponse, Validator,
};
use serde_json::Value;

use super::{
    Violation,
    attribution::{BodyClauses, header_clause},
};
use crate::{
    document::matches,
    exchange::{Request, Response},
};

/// Violations of one body that are reported at most.
const REPORTED: usize = 5;
const JSON: &str = "application/json";

#[derive(Debug)]
pub(crate) struct Form {
    operations: Vec<OperationForm>,
    /// Responses to an unknown path or method.
    unrouted: Vec<Expected>,
}

#[derive(Debug)]
struct OperationForm {
    operation: Operation,
    responses: Vec<Expected>,
    clauses: BodyClauses,
}

#[derive(Debug)]
struct Expected {
    status: openapi_document::Status,
    codes: Vec<String>,
    headers: Vec<(String, bool, Option<Validator>)>,
    bodies: BTreeMap<String, Option<Validator>>,
}

impl Form {
    pub(crate) fn of(document: &Document) -> Result<Self, DocumentError> {
        let operations = document.operations().iter();
        let operations = operations.map(|operation| OperationForm::of(document, operation));
        let unrouted = document.unrouted_responses().iter();
        let unrouted = unrouted.map(|response| Expected::of(document, response));
        Ok(Self {
            operations: operations.collect::<Result<_, _>>()?,
            unrouted: unrouted.collect::<Result<_, _>>()?,
        })
    }

    pub(crate) fn operation(&self, request: &Request) -> Option<&str> {
        self.find(request).map(|known| known.operation.id.as_str())
    }

    pub(crate) fn profile(&self, operation: &str) -> Option<&str> {
        let mut operations = self.operations.iter().map(|known| &known.operation);
        operations.find(|known| known.id == operation)?.profile.as_deref()
    }

    fn find(&self, request: &Request) -> Option<&OperationForm> {
        self.operations.iter().find(|OperationForm { operation, .. }| {
            // No operation has an empty id.
            let id = matches(&operation.path, request.path());
            operation.method.as_str() == request.method && id.is_some_and(|id| id != Some(""))
        })
    }

    pub(crate) fn judge(&self, request: &Request, response: &Response) -> Vec<Violation> {
        let status = response.status.as_u16();
        let operation = self.find(request);
        let responses = operation.map_or(&self.unrouted, |operation| &operation.responses);
        // An undecodable path has an operation's segments, and the responses of an unknown path.
        let mut known = responses.iter().chain(&self.unrouted);
        // A response to HEAD has no body.
        let has_body = request.method != Method::HEAD;
        if let Some(expected) = known.find(|expected| expected.status.matches(status)) {
            let mut violations = expected.judge_headers(response);
            if has_body {
                let clauses = operation.map(|operation| &operation.clauses);
                violations.extend(expected.judge_body(clauses, response));
            }
            return violations;
        }
        let of = operation.map_or("an unknown path", |known| &known.operation.id);
        let unlisted = format!("The document has no status {status} for {of}.");
        let mut violations = vec![Violation::new("E.codes", unlisted)];
        if let Some(any_error) = responses.iter().find(|response| response.status.is_error()) {
            violations.extend(any_error.judge_unlisted(response, has_body));
        }
        violations
    }
}

impl OperationForm {
    fn of(document: &Document, operation: &Operation) -> Result<Self, DocumentError> {
        let responses = operation.responses.iter();
        let responses = responses.map(|response| Expected::of(document, response));
        Ok(Self {
            operation: operation.clone(),
            responses: responses.collect::<Result<_, _>>()?,
            clauses: BodyClauses::of(document, operation),
        })
    }
}

impl Expected {
    fn of(document: &Document, response: &DocumentedResponse) -> Result<Self, DocumentError> {
        let validator = |pointer: &Option<String>| {
            let compiled =
                pointer.as_ref().map(|pointer| document.validator(pointer, Direction::Response));
            compiled.transpose()
        };
        let headers = response.headers.iter().map(|header| {
            let validator = validator(&header.schema_pointer)?;
            Ok((header.name.to_lowercase(), header.required, validator))
        });
        let headers = headers.collect::<Result<_, DocumentError>>()?;
        let bodies = response
            .content
            .iter()
            .map(|media| Ok((media.content_type.clone(), validator(&media.schema_pointer)?)));
        let bodies = bodies.collect::<Result<_, DocumentError>>()?;
        Ok(Self { status: response.status, codes: response.error_codes.clone(), headers, bodies })
    }

    fn judge_headers(&self, response: &Response) -> Vec<Violation> {
        let mut violations = Vec::new();
        for (name, required, validator) in &self.headers {
            let mut note = |what| violations.push(Violation::new(header_clause(name), what));
            let mut values = response.headers.get_all(name).iter();
            let Some(value) = values.next() else {
                if *required {
                    note(format!("The header {name} is missing."));
                }
                continue;
            };
            if values.next().is_some() {
                note(format!("The header {name} was sent more than once."));
            }
            let text = Value::from(String::from_utf8_lossy(value.as_bytes()));
            for violation in validator.iter().flat_map(|validator| validator.validate(&text)) {
                note(format!("The header {name} is {text}: {}.", violation.message));
            }
        }
        violations
    }

    /// Judges a response with a status that the document does not list, by a listed error: every
    /// response has its headers, and every error its body, with whatever code.
    fn judge_unlisted(&self, response: &Response, has_body: bool) -> Vec<Violation> {
        let mut violations = self.judge_headers(response);
        let status = response.status;
        if has_body && (status.is_client_error() || status.is_server_error()) {
            violations.extend(self.judge_body(None, response));
        }
        violations.retain(|violation| violation.clause != "E.codes");
        violations
    }

    fn judge_body(&self, clauses: Option<&BodyClauses>, response: &Response) -> Vec<Violation> {
        let header = response.header("content-type").unwrap_or_default();
        let content_type = header.split(';').next().unwrap_or_default().trim();
        let Some(validator) = self.bodies.get(&content_type.to_lowercase()) else {
            let what = format!("The content type is {header:?}, not {JSON}.");
            return vec![Violation::new("§4.json", what)];
        };
        let Some(json) = &response.json else {
            return vec![Violation::new("§4.json", "The body is not JSON.")];
        };
        let clause = |pointer: &str| match clauses {
            _ if !response.is_success() => "§7.error",
            Some(clauses) => clauses.at(pointer),
            None => "§2.5.single",
        };
        let invalid = validator.iter().flat_map(|validator| validator.validate(json));
        let mut violations: Vec<Violation> = invalid
            .take(REPORTED)
            .map(|violation| {
                let pointer = violation.pointer.as_str();
                let place = if pointer.is_empty() { "its root" } else { pointer };
                let what = format!("The body at {place} {}.", violation.message);
                Violation::new(clause(pointer), what)
            })
            .collect();
        let code = response.text("/error/code");
        if !self.codes.is_empty() && !self.codes.iter().any(|known| known == code) {
            let what = format!("error.code is {code:?}, not one of {}.", self.codes.join(", "));
            violations.push(Violation::new("E.codes", what));
        }
        violations
    }
}

#[cfg(test)]
mod tests {
    use hyper::{HeaderMap, StatusCode};

    use super::*;
    use crate::document::DOCUMENT;

    /// Responses to `GET /api/v1/partners`, and what each violates.
    #[test]
    fn each_fault_of_form_is_reported_as_it_was_reviewed() {
        const PAGE: &str = r#"{"data":[],"pagination":{"nextCursor":null}}"#;
        const TEAPOT: &str = r#"{"error":{"code":"TEAPOT","message":"m"}}"#;
        let form = Form::of(&DOCUMENT).unwrap();
        let reported = [
            (200, JSON, &["120"][..], PAGE),
            (200, JSON, &[], PAGE),
            (200, JSON, &["120", "120"], PAGE),
            (200, "text/plain", &["120"], PAGE),
            (200, JSON, &["120"], "[]"),
            (418, JSON, &["120"], TEAPOT),
            (418, JSON, &[], TEAPOT),
            (401, JSON, &["120"], TEAPOT),
        ];
        let reported = reported.map(|(status, content_type, limits, body)| {
            let mut headers = HeaderMap::new();
            let sent = [
                ("content-type", content_type),
                ("x-request-id", "a"),
                ("x-ratelimit-remaining-minute", "119"),
            ];
            let limits = limits.iter().map(|limit| ("x-ratelimit-limit-minute", *limit));
            for (name, value) in sent.into_iter().chain(limits) {
                headers.append(name, value.parse().unwrap());
            }
            let response = Response::new(StatusCode::from_u16(status).unwrap(), headers, body);
            let violations = form.judge(&Request::get("/api/v1/partners"), &response).into_iter();
            let violations = violations.map(|it| format!("\n  {} {}", it.clause, it.what));
            format!("{status} {body}{}\n", violations.collect::<String>())
        });
        insta::assert_snapshot!(reported.concat());
    }

    #[test]
    fn every_success_with_a_body_is_of_a_known_resource() {
        for operation in &Form::of(&DOCUMENT).unwrap().operations {
            let clause = operation.clauses.at("/data/0/field");
            assert!(!clause.starts_with("§2.5"), "{}", operation.operation.id);
        }
    }
}
