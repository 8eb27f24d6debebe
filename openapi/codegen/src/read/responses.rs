//! Bodies and responses. A handler returns the successes, and errors whose body is not the error of
//! the document; the others are made from problems.

use openapi_document::{MediaType, Response, Status};

use super::Reader;
use crate::{
    model::{ErrorResponse, Success, Type},
    names::{has_status_name, status_code},
};

const JSON: &str = "application/json";

impl Reader<'_> {
    pub(super) fn request_body(&mut self, body: &openapi_document::RequestBody) -> Option<Type> {
        if body.content.is_empty() {
            let help = format!("give it the representation `{JSON}`");
            self.report(&body.pointer, "the request body has no representation", help);
            return None;
        }
        self.json_body(&body.content)
    }

    /// The schema of the JSON among the representations. The server writes and reads no other one.
    fn json_body(&mut self, content: &[MediaType]) -> Option<Type> {
        let Some(media) = json_of(content) else {
            let media = &content[0];
            let problem = format!("a body of `{}` is not supported", media.content_type);
            self.report(&media.pointer, problem, format!("write `{JSON}`"));
            return None;
        };
        let Some(at) = &media.schema_pointer else {
            return Some(Type::Any);
        };
        let used = self.property(at, self.written(at)?)?;
        self.report_property_keywords(at);
        if used.nullable {
            let help = "leave `nullable` out; a response without a body has no `content`";
            self.report(at, "a body that may be null is not supported", help);
        }
        Some(used.value)
    }

    pub(super) fn responses(
        &mut self,
        operation: &openapi_document::Operation,
    ) -> Option<(Vec<Success>, Vec<ErrorResponse>)> {
        let mut successes = Vec::new();
        let mut errors = Vec::new();
        let documented: Vec<u16> = operation.responses.iter().filter_map(code).collect();
        for response in &operation.responses {
            let Status::Code(status) = response.status else {
                errors.extend(self.errors_of_many(response, &documented));
                continue;
            };
            let body = match response.content.as_slice() {
                [] => None,
                content => match self.json_body(content) {
                    Some(body) => Some(body),
                    None => continue,
                },
            };
            let is_error = response.status.is_error();
            if is_error && self.is_error(body.as_ref()) {
                errors.extend(self.error(response, status));
            } else if is_error && self.conventions.codes {
                self.report_other_error(response, status, body.as_ref());
            } else if response.status.is_success() || is_error || status == 304 {
                self.check_status(response, status);
                successes.push(Success { status, body });
            } else {
                let problem = format!("the status {status} is neither a success nor an error");
                self.report(&response.pointer, problem, "document 2XX, 4XX and 5XX statuses");
            }
        }
        self.end_of_responses(operation, successes, errors)
    }

    fn end_of_responses(
        &mut self,
        operation: &openapi_document::Operation,
        mut successes: Vec<Success>,
        mut errors: Vec<ErrorResponse>,
    ) -> Option<(Vec<Success>, Vec<ErrorResponse>)> {
        successes.sort_by_key(|success| success.status);
        if successes.iter().any(|success| success.status == 500) {
            let problem = "the response 500 has another schema than the other errors";
            let help = format!("refer to `{}`: every failure becomes a 500", self.error_schema);
            self.report(&operation.pointer, problem, help);
        } else if !errors.iter().any(|response| response.status == 500) {
            if self.conventions.codes {
                let help = "add a response 500: an undocumented failure becomes one";
                self.report(&operation.pointer, "the operation documents no 500", help);
            } else {
                let codes = vec![status_code(500)];
                errors.push(ErrorResponse { status: 500, codes });
            }
        }
        errors.sort_by_key(|response| response.status);
        errors.dedup_by_key(|response| response.status);
        let has_success = successes.iter().any(|success| success.status < 300);
        if !has_success {
            let help = "document a 2XX status";
            self.report(&operation.pointer, "an operation needs a success", help);
            return None;
        }
        Some((successes, errors))
    }

    fn is_error(&self, body: Option<&Type>) -> bool {
        matches!(body, Some(Type::Named(name)) if *name == self.error_schema)
    }

    /// An error with the body of all errors.
    fn error(&mut self, response: &Response, status: u16) -> Option<ErrorResponse> {
        self.check_status(response, status);
        let mut codes = response.error_codes.clone();
        if codes.is_empty() && self.conventions.codes {
            let help = "list the codes it may carry: `x-error-codes: [NOT_FOUND]`";
            let problem = format!("the error {status} has no `x-error-codes`");
            self.report(&response.pointer, problem, help);
        }
        if codes.is_empty() {
            codes.push(status_code(status));
        }
        Some(ErrorResponse { status, codes })
    }

    fn report_other_error(&mut self, response: &Response, status: u16, body: Option<&Type>) {
        let problem = match body {
            Some(Type::Named(name)) => format!("the error {status} has the schema `{name}`"),
            Some(_) => format!("the error {status} has a schema without a name"),
            None => format!("the error {status} has no body"),
        };
        let help = format!("every error has the schema `{}`", self.error_schema);
        self.report(&response.pointer, problem, help);
    }

    /// A range of errors, or `default`: each status that the operation does not document itself.
    fn errors_of_many(&mut self, response: &Response, documented: &[u16]) -> Vec<ErrorResponse> {
        let is_success = response.status.is_success();
        if is_success || self.conventions.codes {
            let help = "write each status by itself";
            let problem = "a default or a range of statuses is not supported";
            self.report(&response.pointer, problem, help);
            return Vec::new();
        }
        if !response.content.is_empty() {
            let body = self.json_body(&response.content);
            if body.is_none() {
                return Vec::new();
            }
            if !self.is_error(body.as_ref()) {
                let problem = format!("the response {} is not the error", response.status);
                let help = format!("refer to `{}`, or write each status", self.error_schema);
                self.report(&response.pointer, problem, help);
                return Vec::new();
            }
        }
        let statuses = self.conventions.error_statuses.iter().copied();
        statuses
            .filter(|status| response.status.matches(*status) && !documented.contains(status))
            .map(|status| ErrorResponse { status, codes: vec![status_code(status)] })
            .collect()
    }

    /// Reports a status for which Rust has no name.
    fn check_status(&mut self, response: &Response, status: u16) {
        if !has_status_name(status) {
            let problem = format!("the status {status} is not registered");
            self.report(&response.pointer, problem, "write a registered status");
        }
    }
}

/// The JSON among the representations of a body.
pub(crate) fn json_of(content: &[MediaType]) -> Option<&MediaType> {
    content.iter().find(|media| {
        let essence = media.content_type.split(';').next().unwrap_or_default();
        essence.trim().eq_ignore_ascii_case(JSON)
    })
}

fn code(response: &Response) -> Option<u16> {
    match response.status {
        Status::Code(status) => Some(status),
        _ => None,
    }
}
