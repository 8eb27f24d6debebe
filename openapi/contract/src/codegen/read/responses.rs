//! Responses. A handler returns the successes, and errors with a body of their own; the others are
//! made from problems.

use openapi_document::{Response, Status, pointer::join};

use super::{Reader, bodies::json_of};
use crate::codegen::{
    model::{Schema, Success, Type},
    names::has_status_name,
};

/// The responses of an operation, as the model has them.
#[derive(Default)]
pub(super) struct Responses {
    pub(super) successes: Vec<Success>,
    pub(super) other: Option<Success>,
    pub(super) errors: Vec<u16>,
    /// The form of each error that has another one than the usual.
    pub(super) forms: Vec<(u16, usize)>,
}

impl Reader<'_> {
    pub(super) fn responses(
        &mut self,
        operation: &openapi_document::Operation,
        schemas: &[Schema],
    ) -> Option<Responses> {
        let mut found = Responses::default();
        for response in &operation.responses {
            let is_success = response.status.is_success();
            match response.status {
                Status::Code(status) => self.of_code(response, status, schemas, &mut found),
                Status::Range(0..=3) => self.report_range(response),
                _ if is_success || self.conventions.codes => self.report_range(response),
                _ => self.of_many(operation, response, schemas, &mut found),
            }
        }
        self.own_errors(operation, schemas, &mut found);
        self.end_of_responses(operation, found)
    }

    fn of_code(
        &mut self,
        response: &Response,
        status: u16,
        schemas: &[Schema],
        found: &mut Responses,
    ) {
        if status < 200 {
            let problem = format!("the status {status} is not supported: it ends no response");
            return self.report(&response.pointer, problem, "document statuses from 200 on");
        }
        let is_error = response.status.is_error();
        if is_error && self.is_error(response) {
            self.check_error(response, status);
            found.errors.push(status);
        } else if is_error && self.conventions.codes {
            self.report_other_error(response, status);
        } else if let Some(success) = self.success(response, status, schemas) {
            self.check_status(response, status);
            found.successes.push(success);
        }
    }

    /// `default`, or a range of errors: each status that the operation does not document closer.
    /// With a body that no problem can fill, `default` is what a handler returns, and as the only
    /// success, too.
    fn of_many(
        &mut self,
        operation: &openapi_document::Operation,
        response: &Response,
        schemas: &[Schema],
        found: &mut Responses,
    ) {
        let is_filled = self.error_form(response, schemas).is_ok();
        let has_success =
            operation.responses.iter().any(|it| matches!(it.status, Status::Code(..400)));
        let is_error = has_success || self.schema_name(response).is_some();
        if response.status == Status::Default && !(is_filled && is_error) {
            found.other = self.success(response, 0, schemas);
            return;
        }
        let is_described = |status: &u16| {
            operation.response(*status).is_some_and(|it| it.pointer == response.pointer)
        };
        let statuses = self.conventions.error_statuses.iter().copied();
        found.errors.extend(statuses.filter(is_described));
    }

    /// The errors that the server itself responds, and those of problems: each in the form that
    /// the operation documents.
    fn own_errors(
        &mut self,
        operation: &openapi_document::Operation,
        schemas: &[Schema],
        found: &mut Responses,
    ) {
        let own = if self.conventions.codes { Vec::new() } else { own_statuses(operation) };
        let documented = operation.responses.iter().filter(|it| it.status.is_error());
        let of_handlers = documented.filter_map(|response| match response.status {
            Status::Code(status) if !self.conventions.codes => Some(status),
            _ => None,
        });
        let required: Vec<u16> = own.into_iter().chain(found.errors.clone()).collect();
        let mut statuses: Vec<u16> = required.iter().copied().chain(of_handlers).collect();
        statuses.sort_unstable();
        statuses.dedup();
        // A client writes no errors.
        let is_written = self.config.server.is_some();
        for status in statuses {
            let Some(response) = operation.response(status) else { continue };
            let is_required = is_written && required.contains(&status);
            let missing = if is_written { self.unwritten_headers(response) } else { Vec::new() };
            match self.error_form(response, schemas) {
                Ok(_) if !missing.is_empty() && !is_required => {}
                Ok(form) => {
                    found.errors.push(status);
                    found.forms.extend((form > 0).then_some((status, form)));
                    self.report_unwritten(response, &missing);
                }
                Err((problem, help)) if is_required => {
                    let problem = format!("the server writes this error itself: {problem}");
                    self.report(&response.pointer, problem, help);
                }
                Err(_) => {}
            }
        }
    }

    /// The headers that every such error must have, and nothing writes.
    fn unwritten_headers(&self, response: &Response) -> Vec<String> {
        let required = response.headers.iter().filter(|header| header.required);
        let names = required.map(|header| header.name.to_lowercase());
        names.filter(|name| name != "content-type" && !self.is_written_header(name)).collect()
    }

    fn report_unwritten(&mut self, response: &Response, names: &[String]) {
        if names.is_empty() {
            return;
        }
        let problem = format!("nothing writes the required headers of this error: {names:?}");
        let help = format!(
            "let code of the server write them, such as `Problem::with_header`, and add \
             `written-headers = {names:?}` to `[server]`; or let them be optional"
        );
        self.report(&join(&response.pointer, "headers"), problem, help);
    }

    fn end_of_responses(
        &mut self,
        operation: &openapi_document::Operation,
        mut found: Responses,
    ) -> Option<Responses> {
        found.successes.sort_by_key(|success| success.status);
        if !found.errors.contains(&500) && self.conventions.codes {
            let help = "add a response 500: an undocumented failure becomes one";
            self.report(&operation.pointer, "the operation documents no 500", help);
        }
        found.errors.push(500);
        found.errors.sort_unstable();
        found.errors.dedup();
        let has_success = found.successes.iter().any(|success| success.status < 400);
        if !has_success && found.other.is_none() {
            let help = "document a 2XX status";
            self.report(&operation.pointer, "an operation needs a success", help);
            return None;
        }
        Some(found)
    }

    /// The schema of a response, where it has a name.
    fn schema_name(&mut self, response: &Response) -> Option<String> {
        let at = json_of(&response.content)?.schema_pointer.as_ref()?;
        match self.used_at(at)?.value {
            Type::Named(name) => Some(name),
            _ => None,
        }
    }

    fn is_error(&mut self, response: &Response) -> bool {
        self.schema_name(response).is_some_and(|name| name == self.error_schema())
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

    fn report_other_error(&mut self, response: &Response, status: u16) {
        let problem = match self.schema_name(response) {
            Some(name) => format!("the error {status} has the schema `{name}`"),
            None if response.content.is_empty() => format!("the error {status} has no body"),
            None => format!("the error {status} has a schema without a name"),
        };
        let help = format!("every error has the schema `{}`", self.error_schema());
        self.report(&response.pointer, problem, help);
    }

    fn report_range(&mut self, response: &Response) {
        let help = "write each status by itself";
        let problem = "a default or a range of statuses is not supported";
        self.report(&response.pointer, problem, help);
    }

    /// Reports a status for which Rust has no name.
    fn check_status(&mut self, response: &Response, status: u16) {
        if !has_status_name(status) {
            let problem = format!("the status {status} is not registered");
            self.report(&response.pointer, problem, "write a registered status");
        }
    }
}

/// The statuses of the errors that the server itself responds, in a document without codes.
fn own_statuses(operation: &openapi_document::Operation) -> Vec<u16> {
    let mut statuses = vec![422, 500];
    if operation.body.is_some() {
        statuses.extend([400, 413, 415]);
    }
    if !operation.security.is_empty() && !operation.security.iter().any(Vec::is_empty) {
        statuses.push(401);
    }
    statuses
}
