//! Rules about responses, above all those of errors.

use std::collections::BTreeMap;

use openapi_document::{Operation, Response, Status, pointer::join};
use serde_json::Value;

use super::context::{Context, Findings};
use crate::codegen::formats::Format;

pub(super) fn success_response(context: &Context<'_>, found: &mut Findings) {
    for operation in context.document.operations() {
        let is_fine = |response: &Response| {
            response.status.is_success()
                || response.status == Status::Default
                || is_redirect(response)
        };
        if !operation.responses.iter().any(is_fine) {
            let problem = "the operation documents no success";
            let fix = "add the response of a success, such as \"200\"";
            found.add(join(&operation.pointer, "responses"), problem, fix);
        }
    }
}

pub(super) fn error_body(context: &Context<'_>, found: &mut Findings) {
    each_error(context, |operation, response| {
        if operation.method != openapi_document::Method::Head && response.content.is_empty() {
            let problem = format!("the error {} has no body", response.status);
            let fix = "give it the schema of the other errors";
            found.add(&response.pointer, problem, fix);
        }
    });
}

/// Compares the schema of each error with the commonest one.
pub(super) fn error_schema(context: &Context<'_>, found: &mut Findings) {
    let mut schemas: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    each_error(context, |_, response| {
        for media in
            response.content.iter().filter(|media| Format::of(&media.content_type) == Format::Json)
        {
            let target = media.schema_pointer.as_deref();
            let target = target.and_then(|pointer| context.document.resolve(pointer).ok());
            let Some(target) = target else {
                continue;
            };
            let at = (response.pointer.clone(), response.status.to_string());
            let places = schemas.entry(target.pointer).or_default();
            if !places.contains(&at) {
                places.push(at);
            }
        }
    });
    let Some(common) =
        schemas.iter().max_by_key(|(_, places)| places.len()).map(|(name, _)| name.clone())
    else {
        return;
    };
    for (schema, places) in schemas.iter().filter(|(schema, _)| **schema != common) {
        for (pointer, status) in places {
            let problem = format!("the error {status} has the schema {schema}, most have {common}");
            let fix = "give every error one schema, so that a client reads them alike";
            found.add(pointer, problem, fix);
        }
    }
}

/// Applies to documents with `x-error-codes` in some response.
pub(super) fn error_codes(context: &Context<'_>, found: &mut Findings) {
    let mut without = Vec::new();
    let mut is_used = false;
    each_error(context, |_, response| match response.error_codes.is_empty() {
        true => without.push((response.pointer.clone(), response.status.to_string())),
        false => is_used = true,
    });
    for (pointer, status) in without.into_iter().filter(|_| is_used) {
        let problem = format!("the error {status} has no `x-error-codes`, and others have some");
        found.add(pointer, problem, "list the codes that it can have");
    }
}

pub(super) fn unauthorized_response(context: &Context<'_>, found: &mut Findings) {
    for operation in context.document.operations() {
        let own = context.written(&join(&operation.pointer, "security"));
        let required = own.or_else(|| context.written("/security")).and_then(Value::as_array);
        let needs_key = required.is_some_and(|requirements| {
            !requirements.is_empty()
                && requirements
                    .iter()
                    .all(|names| names.as_object().is_some_and(|names| !names.is_empty()))
        });
        let is_documented = operation.responses.iter().any(|response| {
            ["401", "403", "4XX", "default"].contains(&response.status.to_string().as_str())
        });
        if needs_key && !is_documented {
            let problem = "the operation needs a key, and documents no 401";
            let fix = "add the response to a request without a valid key";
            found.add(join(&operation.pointer, "responses"), problem, fix);
        }
    }
}

fn each_error<'d>(context: &Context<'d>, mut visit: impl FnMut(&'d Operation, &'d Response)) {
    for operation in context.document.operations() {
        let errors = operation.responses.iter().filter(|response| response.status.is_error());
        errors.for_each(|response| visit(operation, response));
    }
}

fn is_redirect(response: &Response) -> bool {
    matches!(response.status, Status::Code(status) if status < 400)
        || response.status.to_string().starts_with('3')
}
