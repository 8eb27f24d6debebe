//! Operations, tags and scopes. An operation needs a scope and a profile for the gate, and one
//! schema of its successes and one of its errors for the client.

use heck::{ToSnakeCase, ToUpperCamelCase};
use openapi_document::{Idempotency, Status, pointer::join};
use serde_json::Value;

use super::{Names, Reader, component_of, text};
use crate::model::{ErrorResponse, Operation, Schema, Success, Tag};

const JSON: &str = "application/json";

impl Reader<'_> {
    /// The scopes of the security scheme.
    pub(super) fn scopes(&mut self) -> Vec<String> {
        let at = join("/components/securitySchemes", &self.config.security_scheme);
        let at = &join(&at, "x-scopes");
        let scopes: Vec<String> = self.members(at).map(|(name, _)| name.clone()).collect();
        if scopes.is_empty() {
            let help = "list them there: name and description";
            self.report(at, "the document names no scopes", help);
        }
        scopes
    }

    pub(super) fn tags(&self) -> Vec<Tag> {
        let tags = self.written("/tags").and_then(Value::as_array);
        let tags = tags.into_iter().flatten().filter_map(Value::as_object);
        tags.map(|tag| Tag { name: text(tag, "name"), description: text(tag, "description") })
            .collect()
    }

    pub(super) fn operations(
        &mut self,
        schemas: &[Schema],
        scopes: &[String],
        tags: &[Tag],
    ) -> Vec<Operation> {
        let mut names = Names::new(|id| id.to_snake_case());
        let mut operations = Vec::new();
        for operation in self.document.operations() {
            if let Some((rust, first)) = names.collision(&operation.id) {
                let problem =
                    format!("`{first}` and `{}` would both be the method `{rust}`", operation.id);
                self.report(&operation.pointer, problem, "give this one another `operationId`");
            }
            for suffix in ["response", "success", "query"] {
                let generated = format!("{}-{suffix}", operation.id).to_upper_camel_case();
                self.check_free(&operation.pointer, &generated, schemas);
            }
            self.check_path(operation);
            operations.extend(self.operation(operation, schemas, scopes, tags));
        }
        operations
    }

    /// Reports a schema with the name of a type generated for an operation.
    fn check_free(&mut self, at: &str, generated: &str, schemas: &[Schema]) {
        if schemas.iter().any(|schema| schema.name == generated) {
            let problem = format!(
                "`{generated}` would be both a schema and a type generated for this operation"
            );
            self.report(at, problem, "give the schema another name");
        }
    }

    fn operation(
        &mut self,
        operation: &openapi_document::Operation,
        schemas: &[Schema],
        scopes: &[String],
        tags: &[Tag],
    ) -> Option<Operation> {
        let at = &operation.pointer;
        if self.written(&join(at, "operationId")).is_none() {
            self.report(at, "the operation has no `operationId`", "name it verb first: getPayout");
        }
        for keyword in ["callbacks", "security", "servers"] {
            if self.written(&join(at, keyword)).is_some() {
                let problem = format!("`{keyword}` of an operation is not supported");
                self.report(
                    &join(at, keyword),
                    problem,
                    "leave it out; the document sets it for all operations",
                );
            }
        }
        let known_tags: Vec<&str> = tags.iter().map(|tag| tag.name.as_str()).collect();
        let tag = self.one_of(at, "tags", operation.tag.as_deref(), &known_tags);
        let profile =
            self.one_of(at, "x-profile", operation.profile.as_deref(), &["core", "extended"]);
        let known_scopes: Vec<&str> = scopes.iter().map(String::as_str).collect();
        let scope = self.one_of(at, "x-required-scope", operation.scope.as_deref(), &known_scopes);
        let count = operation.parameters.len();
        let parameters: Vec<_> = operation
            .parameters
            .iter()
            .filter_map(|parameter| self.parameter(parameter, schemas))
            .collect();
        let body = match &operation.body {
            Some(body) => Some(self.request_body(body)?),
            None => None,
        };
        self.check_idempotency(operation);
        let (successes, errors) = self.responses(operation)?;
        (parameters.len() == count).then_some(())?;
        Some(Operation {
            id: operation.id.clone(),
            method: operation.method.as_str().to_owned(),
            path: operation.path.clone(),
            tag: tag?,
            profile: profile?,
            scope: scope?,
            summary: operation.summary.clone().unwrap_or_default().trim().to_owned(),
            description: operation.description.clone().unwrap_or_default().trim().to_owned(),
            parameters,
            body,
            idempotency: operation.idempotency,
            successes,
            errors,
        })
    }

    fn one_of(
        &mut self,
        at: &str,
        member: &str,
        given: Option<&str>,
        known: &[&str],
    ) -> Option<String> {
        let names = known.join(", ");
        match given {
            Some(value) if known.contains(&value) => Some(value.to_owned()),
            Some(value) => {
                let problem = format!("`{value}` is not a known `{member}`");
                self.report(&join(at, member), problem, format!("known: {names}"));
                None
            }
            None => {
                let problem = format!("the operation has no `{member}`");
                self.report(at, problem, format!("add it; known: {names}"));
                None
            }
        }
    }

    fn request_body(&mut self, body: &openapi_document::RequestBody) -> Option<String> {
        if !body.required {
            let help = "write `required: true`, or leave the body out";
            self.report(&body.pointer, "an optional body is not supported", help);
        }
        self.json_schema(&body.pointer, &body.content)
    }

    /// The named schema of the one representation, which is JSON.
    fn json_schema(&mut self, at: &str, content: &[openapi_document::MediaType]) -> Option<String> {
        let [media] = content else {
            let help = format!("give it exactly one representation, `{JSON}`");
            self.report(at, "a body with none or several representations is not supported", help);
            return None;
        };
        if media.content_type != JSON {
            let problem = format!("a body of `{}` is not supported", media.content_type);
            self.report(&media.pointer, problem, format!("write `{JSON}`"));
            return None;
        }
        let schema_at = join(&media.pointer, "schema");
        let reference = self.written(&join(&schema_at, "$ref")).and_then(Value::as_str);
        let name = reference.and_then(|reference| component_of(reference, "schemas"));
        if name.is_none() {
            let help = "name it under `components/schemas` and refer to it";
            self.report(&schema_at, "the schema of a body must be named", help);
        }
        name
    }

    fn responses(
        &mut self,
        operation: &openapi_document::Operation,
    ) -> Option<(Vec<Success>, Vec<ErrorResponse>)> {
        let mut successes = Vec::new();
        let mut errors = Vec::new();
        for response in &operation.responses {
            let Status::Code(status) = response.status else {
                let help = "write each status by itself";
                self.report(
                    &response.pointer,
                    "a default or a range of statuses is not supported",
                    help,
                );
                continue;
            };
            let Some(body) = self.json_schema(&response.pointer, &response.content) else {
                continue;
            };
            if !response.status.is_success() && !response.status.is_error() {
                let problem = format!("the status {status} is neither a success nor an error");
                self.report(&response.pointer, problem, "document 2XX, 4XX and 5XX statuses");
                continue;
            }
            if response.status.is_success() {
                successes.push(Success { status, body });
                continue;
            }
            let expected = &self.config.error.schema;
            if body != *expected {
                let problem = format!("the error {status} has the schema `{body}`");
                let help = format!("every error has the schema `{expected}`");
                self.report(&response.pointer, problem, help);
            }
            if response.error_codes.is_empty() {
                let help = "list the codes it may carry: `x-error-codes: [NOT_FOUND]`";
                self.report(
                    &response.pointer,
                    format!("the error {status} has no `x-error-codes`"),
                    help,
                );
            }
            errors.push(ErrorResponse { status, codes: response.error_codes.clone() });
        }
        successes.sort_by_key(|success| success.status);
        errors.sort_by_key(|response| response.status);
        if !errors.iter().any(|response| response.status == 500) {
            let help = "add a response 500: an undocumented failure becomes one";
            self.report(&operation.pointer, "the operation documents no 500", help);
        }
        let Some(first) = successes.first() else {
            let help = "document a 2XX status";
            self.report(&operation.pointer, "an operation needs a success", help);
            return None;
        };
        if let Some(other) = successes.iter().find(|other| other.body != first.body) {
            let problem = format!(
                "the successes {} and {} have the schemas `{}` and `{}`; the client returns one",
                first.status, other.status, first.body, other.body
            );
            self.report(&operation.pointer, problem, "give all successes the same schema");
        }
        Some((successes, errors))
    }

    /// `x-idempotent: key` and the header with the key belong together.
    fn check_idempotency(&mut self, operation: &openapi_document::Operation) {
        let at = join(&operation.pointer, "x-idempotent");
        let written = self.written(&at);
        if let Some(value) = written.filter(|value| Idempotency::of_extension(value).is_none()) {
            let help = "write `true` or `key`, or leave it out";
            self.report(&at, format!("`{value}` is not a known `x-idempotent`"), help);
        }
        let by_key = operation.idempotency == Idempotency::ByKey;
        let mut parameters = operation.parameters.iter();
        match parameters.find(|parameter| parameter.is_idempotency_key()) {
            None if by_key => {
                let problem = format!("there is no header parameter `{}`", Idempotency::HEADER);
                self.report(&at, problem, "declare it, with `in: header`");
            }
            Some(parameter) if !by_key => {
                let problem =
                    format!("`{}` without `x-idempotent: key` has no effect", Idempotency::HEADER);
                let help = "add `x-idempotent: key` to the operation, or leave the parameter out";
                self.report(&parameter.pointer, problem, help);
            }
            _ => {}
        }
    }
}
