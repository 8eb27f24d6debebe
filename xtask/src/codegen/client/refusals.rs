//! What a client cannot be generated from, told with place and mend before progenitor panics on it.
//!
//! It refuses no document for its style: only what would break the generation or the promise of one error type.

use payout_openapi::{Document, MediaType, Operation, Refusal, Response, Status};
use serde_json::Value;

const JSON: &str = "application/json";

/// The first fault of the first faulty operation.
pub(super) fn check(document: &Document) -> Result<(), Refusal> {
    let mut error_schema = None;
    for operation in document.operations() {
        check_name(document, operation)?;
        check_request(document, operation)?;
        check_success(document, operation)?;
        for response in &operation.responses {
            check_status(document, response)?;
            if response.status.is_error() {
                check_error(document, response, &mut error_schema)?;
            }
        }
    }
    Ok(())
}

/// The component that a success response refers to: the name of the type that `send` gives.
pub(super) fn success_component(document: &Document, operation: &Operation) -> Option<String> {
    let success = operation
        .responses
        .iter()
        .find(|response| response.status.is_success())?;
    let [media_type] = success.content.as_slice() else {
        return None;
    };
    component_of(document, media_type.schema_pointer.as_deref()?)
}

/// The name of the component schema at the end of a schema pointer, if one stands there.
pub(super) fn component_of(document: &Document, pointer: &str) -> Option<String> {
    let target = document.resolve(pointer).ok()?.pointer;
    let name = target.strip_prefix("/components/schemas/")?;
    (!name.contains('/')).then(|| name.to_owned())
}

pub(super) fn refusal(
    document: &Document,
    pointer: &str,
    problem: impl Into<String>,
    mend: &str,
) -> Refusal {
    Refusal {
        place: document.place(pointer),
        pointer: pointer.to_owned(),
        problem: problem.into(),
        mend: Some(mend.to_owned()),
    }
}

fn check_name(document: &Document, operation: &Operation) -> Result<(), Refusal> {
    let named = document
        .resolve(&operation.pointer)
        .is_ok_and(|resolved| resolved.value.get("operationId").is_some());
    if named {
        return Ok(());
    }
    Err(refusal(
        document,
        &operation.pointer,
        "the operation has no `operationId`, so its method has no name",
        "give it one, verb first, as in `getPayout`",
    ))
}

fn check_request(document: &Document, operation: &Operation) -> Result<(), Refusal> {
    for parameter in &operation.parameters {
        let component = parameter
            .schema_pointer
            .as_deref()
            .and_then(|pointer| component_of(document, pointer));
        if component.is_none() {
            return Err(refusal(
                document,
                &parameter.pointer,
                format!(
                    "the schema of the parameter `{}` has no name",
                    parameter.name
                ),
                "move the schema to `components/schemas` and refer to it: the client makes a type of it",
            ));
        }
    }
    match &operation.body {
        Some(body) if single_json(&body.content).is_none() => Err(refusal(
            document,
            &body.pointer,
            "the request body is not exactly one `application/json` with a schema",
            "describe it by one `application/json` whose schema stands in `components/schemas`",
        )),
        _ => Ok(()),
    }
}

fn check_success(document: &Document, operation: &Operation) -> Result<(), Refusal> {
    let successes = operation
        .responses
        .iter()
        .filter(|response| response.status.is_success());
    match successes.collect::<Vec<_>>().as_slice() {
        [only]
            if success_component(document, operation).is_some()
                && single_json(&only.content).is_some() =>
        {
            Ok(())
        }
        [only] => Err(refusal(
            document,
            &only.pointer,
            "the success response is not exactly one `application/json` of a named schema",
            "describe it by one `application/json` whose schema stands in `components/schemas`",
        )),
        others => Err(refusal(
            document,
            &operation.pointer,
            format!(
                "the operation has {} success responses; its `send` can give one type",
                others.len()
            ),
            "keep one 2XX response (200 beside 204, too, is two)",
        )),
    }
}

fn check_status(document: &Document, response: &Response) -> Result<(), Refusal> {
    if matches!(response.status, Status::Code(_)) {
        return Ok(());
    }
    Err(refusal(
        document,
        &response.pointer,
        "a `default` response or a range of statuses tells a client nothing it can match on",
        "name each status by its code",
    ))
}

fn check_error(
    document: &Document,
    response: &Response,
    error_schema: &mut Option<String>,
) -> Result<(), Refusal> {
    let schema = single_json(&response.content).and_then(|pointer| component_of(document, pointer));
    match (schema, error_schema) {
        (None, _) => Err(refusal(
            document,
            &response.pointer,
            "the error response has no `application/json` body of a named schema",
            "give it the error schema that all errors share",
        )),
        (Some(found), Some(shared)) if found != *shared => Err(refusal(
            document,
            &response.pointer,
            format!("the error's schema is `{found}`; the errors before it have `{shared}`"),
            "let every error refer to the same schema: the client has one error type",
        )),
        (Some(found), shared) => {
            *shared = Some(found);
            Ok(())
        }
    }
}

fn single_json(content: &[MediaType]) -> Option<&str> {
    match content {
        [only] if only.content_type == JSON => only.schema_pointer.as_deref(),
        _ => None,
    }
}

/// An inline `enum` anywhere below a component that a response shows would be a closed set in the client.
pub(super) fn check_inline_enums(
    document: &Document,
    pointer: &str,
    schema: &Value,
) -> Result<(), Refusal> {
    let Some(members) = schema.as_object() else {
        return Ok(());
    };
    for (name, member) in members.iter().filter(|(name, _)| *name != "example") {
        let below = payout_openapi::pointer::join(pointer, name);
        if name == "properties" {
            for (property, schema) in member.as_object().into_iter().flatten() {
                let at = payout_openapi::pointer::join(&below, property);
                if schema.get("enum").is_some() {
                    return Err(refusal(
                        document,
                        &at,
                        "an `enum` inside a response's schema would make the client fail on a value it does not know",
                        "move it to `components/schemas` and refer to it: the client then makes an open set of it",
                    ));
                }
                check_inline_enums(document, &at, schema)?;
            }
        } else {
            check_inline_enums(document, &below, member)?;
        }
    }
    Ok(())
}
