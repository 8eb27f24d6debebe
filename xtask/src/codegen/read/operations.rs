//! Operations, tags and scopes.
//!
//! It refuses an operation that a gate could not judge (no scope, no profile) or a client could not read (several
//! successes, errors of several shapes, `default`).

use heck::{ToSnakeCase, ToUpperCamelCase};
use payout_openapi::{Status, pointer::join};
use serde_json::Value;

use super::{Reader, component_of, text};
use crate::codegen::model::{ErrorResponse, Operation, Schema, Scope, Success, Tag};

const JSON: &str = "application/json";

impl Reader<'_> {
    /// The scopes of the security scheme `ApiKey`.
    pub(super) fn scopes(&mut self) -> Vec<Scope> {
        let at = "/components/securitySchemes/ApiKey/x-scopes";
        let scopes: Vec<Scope> = self
            .members(at)
            .map(|(name, description)| Scope {
                name: name.clone(),
                description: description.as_str().unwrap_or_default().trim().to_owned(),
            })
            .collect();
        if scopes.is_empty() {
            let mend = "list them under `components/securitySchemes/ApiKey/x-scopes`, name and description";
            self.refuse(at, "the document names no scopes", mend);
        }
        scopes
    }

    /// The tags, in the document's order.
    pub(super) fn tags(&self) -> Vec<Tag> {
        let tags = self.written("/tags").and_then(Value::as_array);
        let tags = tags.into_iter().flatten().filter_map(Value::as_object);
        tags.map(|tag| Tag {
            name: text(tag, "name"),
            description: text(tag, "description"),
        })
        .collect()
    }

    /// Every operation, in the document's order.
    pub(super) fn operations(
        &mut self,
        schemas: &[Schema],
        scopes: &[Scope],
        tags: &[Tag],
    ) -> Vec<Operation> {
        let mut taken: Vec<String> = Vec::new();
        let mut operations = Vec::new();
        for operation in self.document.operations() {
            let name = operation.id.to_snake_case();
            if taken.contains(&name) {
                let problem = format!("two operations would be the method `{name}`");
                self.refuse(
                    &operation.pointer,
                    problem,
                    "give this one another `operationId`",
                );
            }
            taken.push(name);
            for suffix in ["answer", "query"] {
                let generated = format!("{}-{suffix}", operation.id).to_upper_camel_case();
                self.check_free(&operation.pointer, &generated, schemas);
            }
            self.check_path(operation);
            operations.extend(self.operation(operation, schemas, scopes, tags));
        }
        operations
    }

    /// Refuses a schema that has the name of a type made for an operation.
    fn check_free(&mut self, at: &str, generated: &str, schemas: &[Schema]) {
        if schemas.iter().any(|schema| schema.name == generated) {
            let problem =
                format!("`{generated}` would be both a schema and a type made for this operation");
            self.refuse(at, problem, "give the schema another name");
        }
    }

    fn operation(
        &mut self,
        operation: &payout_openapi::Operation,
        schemas: &[Schema],
        scopes: &[Scope],
        tags: &[Tag],
    ) -> Option<Operation> {
        let at = &operation.pointer;
        if self.written(&join(at, "operationId")).is_none() {
            self.refuse(
                at,
                "the operation has no `operationId`",
                "name it verb first: getPayout",
            );
        }
        for keyword in ["callbacks", "security", "servers"] {
            if self.written(&join(at, keyword)).is_some() {
                let problem = format!("`{keyword}` of an operation is not supported");
                self.refuse(
                    &join(at, keyword),
                    problem,
                    "leave it out: it holds for the whole document",
                );
            }
        }
        let names = |known: Vec<&str>| known.join(", ");
        let known_tags: Vec<&str> = tags.iter().map(|tag| tag.name.as_str()).collect();
        let tag = self.one_of(
            at,
            "tags",
            operation.tag.as_deref(),
            &known_tags,
            &names(known_tags.clone()),
        );
        let profiles = vec!["core", "extended"];
        let profile = self.one_of(
            at,
            "x-profile",
            operation.profile.as_deref(),
            &profiles,
            &names(profiles.clone()),
        );
        let known_scopes: Vec<&str> = scopes.iter().map(|scope| scope.name.as_str()).collect();
        let scope = self.one_of(
            at,
            "x-required-scope",
            operation.scope.as_deref(),
            &known_scopes,
            &names(known_scopes.clone()),
        );
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
        let (success, errors) = self.responses(operation)?;
        (parameters.len() == count).then_some(())?;
        Some(Operation {
            id: operation.id.clone(),
            method: operation.method.as_str().to_owned(),
            path: operation.path.clone(),
            tag: tag?,
            profile: profile?,
            scope: scope?,
            summary: operation
                .summary
                .clone()
                .unwrap_or_default()
                .trim()
                .to_owned(),
            description: operation
                .description
                .clone()
                .unwrap_or_default()
                .trim()
                .to_owned(),
            parameters,
            body,
            success,
            errors,
        })
    }

    fn one_of(
        &mut self,
        at: &str,
        member: &str,
        given: Option<&str>,
        known: &[&str],
        names: &str,
    ) -> Option<String> {
        match given {
            Some(value) if known.contains(&value) => Some(value.to_owned()),
            Some(value) => {
                let problem = format!("`{value}` is not known as `{member}`");
                self.refuse(&join(at, member), problem, format!("known: {names}"));
                None
            }
            None => {
                let problem = format!("the operation has no `{member}`");
                self.refuse(at, problem, format!("add it; known: {names}"));
                None
            }
        }
    }

    fn request_body(&mut self, body: &payout_openapi::RequestBody) -> Option<String> {
        if !body.required {
            let mend = "write `required: true`, or leave the body out";
            self.refuse(&body.pointer, "an optional body is not supported", mend);
        }
        self.json_schema(&body.pointer, &body.content)
    }

    /// The named schema of the one representation, which is JSON.
    fn json_schema(&mut self, at: &str, content: &[payout_openapi::MediaType]) -> Option<String> {
        let [media] = content else {
            let mend = format!("give it exactly one representation, `{JSON}`");
            self.refuse(
                at,
                "a body with none or several representations is not supported",
                mend,
            );
            return None;
        };
        if media.content_type != JSON {
            let problem = format!("a body of `{}` is not supported", media.content_type);
            self.refuse(&media.pointer, problem, format!("write `{JSON}`"));
            return None;
        }
        let schema_at = join(&media.pointer, "schema");
        let reference = self
            .written(&join(&schema_at, "$ref"))
            .and_then(Value::as_str);
        let name = reference.and_then(|reference| component_of(reference, "schemas"));
        if name.is_none() {
            let mend = "name it under `components/schemas` and refer to it";
            self.refuse(&schema_at, "the schema of a body must be named", mend);
        }
        name
    }

    fn responses(
        &mut self,
        operation: &payout_openapi::Operation,
    ) -> Option<(Success, Vec<ErrorResponse>)> {
        let mut successes = Vec::new();
        let mut errors = Vec::new();
        for response in &operation.responses {
            let Status::Code(status) = response.status else {
                let mend = "write each status by itself";
                self.refuse(
                    &response.pointer,
                    "a default or a range of statuses is not supported",
                    mend,
                );
                continue;
            };
            let Some(body) = self.json_schema(&response.pointer, &response.content) else {
                continue;
            };
            let description = response.description.trim().to_owned();
            if status < 400 {
                successes.push(Success {
                    status,
                    description,
                    body,
                });
                continue;
            }
            if body != "Error" {
                let problem = format!("the error {status} has the schema `{body}`");
                self.refuse(
                    &response.pointer,
                    problem,
                    "every error has the schema `Error`",
                );
            }
            if response.error_codes.is_empty() {
                let mend = "list the codes it may carry: `x-error-codes: [NOT_FOUND]`";
                self.refuse(
                    &response.pointer,
                    format!("the error {status} has no `x-error-codes`"),
                    mend,
                );
            }
            errors.push(ErrorResponse {
                status,
                description,
                codes: response.error_codes.clone(),
            });
        }
        errors.sort_by_key(|response| response.status);
        if !errors.iter().any(|response| response.status == 500) {
            let mend = "add a response 500: an undocumented failure becomes one";
            self.refuse(&operation.pointer, "the operation documents no 500", mend);
        }
        if successes.len() > 1
            || operation
                .responses
                .iter()
                .all(|response| !is_success(response.status))
        {
            let mend = "document exactly one status below 400";
            self.refuse(
                &operation.pointer,
                "an operation needs exactly one success",
                mend,
            );
            return None;
        }
        Some((successes.pop()?, errors))
    }
}

fn is_success(status: Status) -> bool {
    matches!(status, Status::Code(code) if code < 400)
}
