//! Bodies and responses. A handler returns the successes, and errors whose body is not the error of
//! the document; the others are made from problems.

use openapi_document::{Response, Status};

use super::Reader;
use crate::codegen::{
    model::{Success, Type},
    names::has_status_name,
};

/// The responses of an operation, as the model has them.
pub(super) struct Responses {
    pub(super) successes: Vec<Success>,
    pub(super) other: Option<Success>,
    pub(super) errors: Vec<u16>,
}

impl Reader<'_> {
    pub(super) fn responses(
        &mut self,
        operation: &openapi_document::Operation,
    ) -> Option<Responses> {
        let mut successes = Vec::new();
        let (mut other, mut errors) = (None, Vec::new());
        let documented: Vec<u16> = operation.responses.iter().filter_map(code).collect();
        for response in &operation.responses {
            let Status::Code(status) = response.status else {
                match self.errors_of_many(response, &documented) {
                    Some(Many::Errors(many)) => errors.extend(many),
                    Some(Many::Other(success)) => other = Some(success),
                    None => {}
                }
                continue;
            };
            let body = match response.content.as_slice() {
                [] => None,
                content => match self.response_body(content) {
                    Some(body) => Some(body),
                    None => continue,
                },
            };
            let is_error = response.status.is_error();
            if is_error && self.is_error(body.as_ref()) {
                self.check_error(response, status);
                errors.push(status);
            } else if is_error && self.conventions.codes {
                self.report_other_error(response, status, body.as_ref());
            } else if status >= 200 {
                self.check_status(response, status);
                successes.push(Success { status, body });
            } else {
                let problem = format!("the status {status} is not supported: it ends no response");
                self.report(&response.pointer, problem, "document statuses from 200 on");
            }
        }
        self.end_of_responses(operation, Responses { successes, other, errors })
    }

    fn end_of_responses(
        &mut self,
        operation: &openapi_document::Operation,
        Responses { mut successes, other, mut errors }: Responses,
    ) -> Option<Responses> {
        successes.sort_by_key(|success| success.status);
        if successes.iter().any(|success| success.status == 500) {
            let problem = "the response 500 has another schema than the other errors";
            let help = format!("refer to `{}`: every failure becomes a 500", self.error_schema);
            self.report(&operation.pointer, problem, help);
        } else if !errors.contains(&500) {
            if self.conventions.codes {
                let help = "add a response 500: an undocumented failure becomes one";
                self.report(&operation.pointer, "the operation documents no 500", help);
            } else {
                errors.push(500);
            }
        }
        errors.sort_unstable();
        errors.dedup();
        let has_success = successes.iter().any(|success| success.status < 400);
        if !has_success && other.is_none() {
            let help = "document a 2XX status";
            self.report(&operation.pointer, "an operation needs a success", help);
            return None;
        }
        Some(Responses { successes, other, errors })
    }

    fn is_error(&self, body: Option<&Type>) -> bool {
        matches!(body, Some(Type::Named(name)) if *name == self.error_schema)
    }

    /// Checks an error with the body of all errors.
    fn check_error(&mut self, response: &Response, status: u16) {
        self.check_status(response, status);
        if response.error_codes.is_empty() && self.conventions.codes {
            let help = "list the codes it may carry: `x-error-codes: [NOT_FOUND]`";
            let problem = format!("the error {status} has no `x-error-codes`");
            self.report(&response.pointer, problem, help);
        }
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
    /// With a body that is not that of all errors, `default` is what a handler returns.
    fn errors_of_many(&mut self, response: &Response, documented: &[u16]) -> Option<Many> {
        let is_success = response.status.is_success();
        if is_success || self.conventions.codes {
            let help = "write each status by itself";
            let problem = "a default or a range of statuses is not supported";
            self.report(&response.pointer, problem, help);
            return None;
        }
        if !response.content.is_empty() {
            let body = Some(self.response_body(&response.content)?);
            if !self.is_error(body.as_ref()) && response.status == Status::Default {
                return Some(Many::Other(Success { status: 0, body }));
            }
            if !self.is_error(body.as_ref()) {
                let problem = format!("the response {} is not the error", response.status);
                let help = format!("refer to `{}`, or write each status", self.error_schema);
                self.report(&response.pointer, problem, help);
                return None;
            }
        }
        let statuses = self.conventions.error_statuses.iter().copied();
        let errors = statuses
            .filter(|status| response.status.matches(*status) && !documented.contains(status));
        Some(Many::Errors(errors.collect()))
    }

    /// Reports a status for which Rust has no name.
    fn check_status(&mut self, response: &Response, status: u16) {
        if !has_status_name(status) {
            let problem = format!("the status {status} is not registered");
            self.report(&response.pointer, problem, "write a registered status");
        }
    }
}

/// The meaning of a response for many statuses.
enum Many {
    Errors(Vec<u16>),
    Other(Success),
}

fn code(response: &Response) -> Option<u16> {
    match response.status {
        Status::Code(status) => Some(status),
        _ => None,
    }
}
