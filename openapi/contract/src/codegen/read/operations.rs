//! Operations, tags, scopes and profiles. Where the document lists scopes or profiles, every
//! operation has one.

use openapi_document::{Idempotency, pointer::join};
use proc_macro2::Ident;
use serde_json::Value;

use super::{Names, Reader, responses::Responses, text};
use crate::codegen::{
    model::{Operation, Schema, Tag},
    names,
};

/// The tag of an operation without one.
const DEFAULT_TAG: &str = "default";

impl Reader<'_> {
    pub(super) fn scopes(&mut self) -> Vec<String> {
        let at = join("/components/securitySchemes", &self.config.security_scheme);
        let at = &join(&at, "x-scopes");
        let scopes = self.listed(at);
        let needs_scopes = |operation: &openapi_document::Operation| operation.scope.is_some();
        if scopes.is_empty() && self.document.operations().iter().any(needs_scopes) {
            let help = "list them there: name and description";
            self.report(at, "the document names no scopes", help);
        }
        scopes
    }

    /// The names in a list of the document.
    fn listed(&self, at: &str) -> Vec<String> {
        self.members(at).map(|(name, _)| name.clone()).collect()
    }

    /// The tags that the document describes, then the others that operations have.
    pub(super) fn tags(&self) -> Vec<Tag> {
        let tags = self.written("/tags").and_then(Value::as_array);
        let tags = tags.into_iter().flatten().filter_map(Value::as_object);
        let mut tags: Vec<Tag> = tags
            .map(|tag| Tag { name: text(tag, "name"), description: text(tag, "description") })
            .collect();
        for operation in self.document.operations() {
            let name = tag_of(operation);
            if !tags.iter().any(|tag| tag.name == name) {
                tags.push(Tag { name: name.to_owned(), description: String::new() });
            }
        }
        tags
    }

    /// Reports tags that would be the same trait.
    pub(super) fn check_tags(&mut self, tags: &[Tag]) {
        let traits: &[fn(&str) -> Ident] = &[names::trait_name];
        let mut names = Names::new(traits, "the trait", "rename one of the tags");
        for tag in tags {
            self.check_name(&mut names, "/tags", &tag.name);
        }
    }

    pub(super) fn operations(&mut self, schemas: &[Schema], scopes: &[String]) -> Vec<Operation> {
        let profiles = self.listed("/x-profiles");
        let help = "give this one another `operationId`";
        let methods: &[fn(&str) -> Ident] = &[names::value_name, names::type_name, names::call];
        let mut names = Names::new(methods, "the method", help);
        let mut operations = Vec::new();
        for operation in self.document.operations() {
            self.check_name(&mut names, &operation.pointer, &operation.id);
            self.check_path(operation);
            self.check_names(operation);
            operations.extend(self.operation(operation, schemas, scopes, &profiles));
        }
        operations
    }

    fn operation(
        &mut self,
        operation: &openapi_document::Operation,
        schemas: &[Schema],
        scopes: &[String],
        profiles: &[String],
    ) -> Option<Operation> {
        let at = &operation.pointer;
        if self.written(&join(at, "operationId")).is_none() {
            self.report(at, "the operation has no `operationId`", "name it verb first: getLoan");
        }
        if self.written(&join(at, "servers")).is_some() {
            let problem = "`servers` of an operation is not supported";
            let help = "leave it out; the document sets it for all operations";
            self.report(&join(at, "servers"), problem, help);
        }
        let profile = self.one_of(at, "x-profile", operation.profile.as_deref(), profiles);
        let scope = self.one_of(at, "x-required-scope", operation.scope.as_deref(), scopes);
        let read: Vec<_> = operation.parameters.iter().filter(|it| self.is_read(it)).collect();
        let count = read.len();
        let parameters: Vec<_> =
            read.into_iter().filter_map(|parameter| self.parameter(parameter, schemas)).collect();
        let body = match &operation.body {
            Some(body) => Some(self.request_body(body, schemas)?),
            None => None,
        };
        self.check_idempotency(operation);
        self.check_extensions(operation);
        self.check_security(operation);
        let Responses { successes, other, errors, forms } = self.responses(operation, schemas)?;
        (parameters.len() == count).then_some(())?;
        Some(Operation {
            id: operation.id.clone(),
            method: operation.method.as_str().to_owned(),
            path: operation.path.clone(),
            tag: tag_of(operation).to_owned(),
            profile,
            scope,
            security: operation.security.clone(),
            summary: operation.summary.clone().unwrap_or_default().trim().to_owned(),
            description: operation.description.clone().unwrap_or_default().trim().to_owned(),
            parameters,
            body_formats: body.as_ref().map(|(_, formats)| formats.clone()).unwrap_or_default(),
            body: body.map(|(body, _)| body),
            body_required: operation.body.as_ref().is_some_and(|body| body.required),
            idempotency: operation.idempotency,
            references: body_references(operation),
            time_limit_seconds: operation.time_limit_seconds,
            begins_with_read: operation.begins_with_read,
            successes,
            other,
            errors,
            error_forms: forms,
        })
    }

    fn check_security(&mut self, operation: &openapi_document::Operation) {
        let own = join(&operation.pointer, "security");
        let at = if self.written(&own).is_some() { &own } else { &operation.pointer };
        for (scheme, _) in operation.security.iter().flatten() {
            if self.written(&join("/components/securitySchemes", scheme)).is_none() {
                let problem = format!("`security` names `{scheme}`, which is no security scheme");
                self.report(at, problem, "define it in `components/securitySchemes`");
            }
        }
    }

    fn check_extensions(&mut self, operation: &openapi_document::Operation) {
        let at_seconds = join(&operation.pointer, "x-time-limit");
        if let Some(seconds) = self.written(&at_seconds)
            && operation.time_limit_seconds.is_none()
        {
            let problem = format!("`{seconds}` is not a number of seconds");
            self.report(&at_seconds, problem, "write a whole number, such as 120");
        }
        let at_read = join(&operation.pointer, "x-begins-with-read");
        if let Some(written) = self.written(&at_read)
            && !written.is_boolean()
        {
            let problem = format!("`{written}` is not a boolean");
            self.report(&at_read, problem, "write `true`, or leave it out");
        }
    }

    /// One of the names that the document lists. Where it lists none, an operation needs none and
    /// may have any.
    fn one_of(
        &mut self,
        at: &str,
        member: &str,
        given: Option<&str>,
        listed: &[String],
    ) -> Option<String> {
        let names = listed.join(", ");
        match given {
            Some(value) if listed.is_empty() || listed.iter().any(|name| name == value) => {
                return Some(value.to_owned());
            }
            Some(value) => {
                let problem = format!("`{value}` is not a known `{member}`");
                self.report(&join(at, member), problem, format!("known: {names}"));
            }
            None if listed.is_empty() => {}
            None => {
                let problem = format!("the operation has no `{member}`");
                self.report(at, problem, format!("add it; known: {names}"));
            }
        }
        None
    }

    /// `x-idempotent: key` needs the header with the key. Without it, the header is an argument of
    /// the handler like any other.
    fn check_idempotency(&mut self, operation: &openapi_document::Operation) {
        let at = join(&operation.pointer, "x-idempotent");
        let written = self.written(&at);
        if let Some(value) = written.filter(|value| Idempotency::of_extension(value).is_none()) {
            let help = "write `true`, `false` or `key`, or leave it out";
            self.report(&at, format!("`{value}` is not a known `x-idempotent`"), help);
        }
        let by_key = operation.idempotency == Idempotency::ByKey;
        let mut parameters = operation.parameters.iter();
        if by_key && !parameters.any(openapi_document::Parameter::is_idempotency_key) {
            let problem = format!("there is no header parameter `{}`", Idempotency::HEADER);
            self.report(&at, problem, "declare it, with `in: header`");
        }
    }
}

fn body_references(operation: &openapi_document::Operation) -> Vec<(String, String)> {
    let in_body = operation.references.iter().filter(|reference| reference.location.is_none());
    in_body.map(|reference| (reference.member.clone(), reference.resource.clone())).collect()
}

fn tag_of(operation: &openapi_document::Operation) -> &str {
    operation.tag.as_deref().unwrap_or(DEFAULT_TAG)
}
