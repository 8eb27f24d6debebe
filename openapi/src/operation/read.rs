//! Reads the operations of a checked document. Operation ids must be unique.

use std::{collections::HashMap, str::FromStr};

use serde_json::Value;

use super::{
    Idempotency, Method, Operation, Parameter, RequestBody, Response, SecurityRequirement, Status,
    parts::{header, media_types, parameter, text},
    resources,
};
use crate::{error::DocumentError, pointer::join, schema::Direction, source::Source};

/// All operations under `paths`, in document order.
pub(crate) fn read(source: &Source) -> Result<Vec<Operation>, DocumentError> {
    let paths = source.value().get("paths").and_then(Value::as_object);
    let mut operations = Vec::new();
    for path in paths.into_iter().flat_map(|paths| paths.keys()) {
        if !path.starts_with("x-") {
            path_item(source, path, &mut operations)?;
        }
    }
    check_unique_ids(source, &operations)?;
    Ok(operations)
}

/// `x-unrouted-responses` of the document: the responses where no operation matches.
pub(crate) fn read_unrouted(source: &Source) -> Result<Vec<Response>, DocumentError> {
    let members = source.value().get("x-unrouted-responses");
    responses(source, "/x-unrouted-responses", members)
}

fn path_item(
    source: &Source,
    path: &str,
    operations: &mut Vec<Operation>,
) -> Result<(), DocumentError> {
    let item = source.resolve(&join("/paths", path))?;
    let shared = parameters(source, &item.pointer, item.value)?;
    for name in item.value.as_object().into_iter().flat_map(|item| item.keys()) {
        let method = Method::ALL.into_iter().find(|method| method.member_name() == *name);
        if let Some(method) = method {
            let at = join(&item.pointer, name);
            operations.push(operation(source, path, method, &shared, at)?);
        }
    }
    Ok(())
}

fn operation(
    source: &Source,
    path: &str,
    method: Method,
    shared: &[Parameter],
    pointer: String,
) -> Result<Operation, DocumentError> {
    let value = source.resolve(&pointer)?.value;
    let derived_id = || format!("{}_{path}", method.member_name());
    let parameters = merged(shared, parameters(source, &pointer, value)?);
    let body = match value.get("requestBody") {
        Some(_) => Some(request_body(source, &join(&pointer, "requestBody"))?),
        None => None,
    };
    Ok(Operation {
        id: text(value, "operationId").unwrap_or_else(derived_id),
        method,
        path: path.to_owned(),
        tag: value.pointer("/tags/0").and_then(Value::as_str).map(str::to_owned),
        profile: text(value, "x-profile"),
        scope: text(value, "x-required-scope"),
        security: security(value).or_else(|| security(source.value())).unwrap_or_default(),
        deprecated: value.get("deprecated").and_then(Value::as_bool).unwrap_or(false),
        idempotency: value
            .get("x-idempotent")
            .and_then(Idempotency::of_extension)
            .unwrap_or_default(),
        time_limit_seconds: value.get("x-time-limit").and_then(Value::as_u64),
        begins_with_read: value.get("x-begins-with-read").and_then(Value::as_bool) == Some(true),
        summary: text(value, "summary"),
        description: text(value, "description"),
        references: resources::references(source, &parameters, body.as_ref()),
        parameters,
        body,
        responses: responses(source, &join(&pointer, "responses"), value.get("responses"))?,
        pointer,
    })
}

/// The alternatives in `security`, if it is there.
fn security(owner: &Value) -> Option<Vec<SecurityRequirement>> {
    let scheme = |(name, scopes): (&String, &Value)| {
        let scopes = scopes.as_array().into_iter().flatten().filter_map(Value::as_str);
        (name.clone(), scopes.map(str::to_owned).collect())
    };
    let alternatives = owner.get("security")?.as_array()?.iter();
    let alternative =
        |schemes: &Value| schemes.as_object().into_iter().flatten().map(scheme).collect::<Vec<_>>();
    Some(alternatives.map(alternative).collect())
}

fn parameters(
    source: &Source,
    owner: &str,
    value: &Value,
) -> Result<Vec<Parameter>, DocumentError> {
    let count = value.get("parameters").and_then(Value::as_array).map_or(0, Vec::len);
    let list = join(owner, "parameters");
    (0..count).map(|index| parameter(source, &join(&list, &index.to_string()))).collect()
}

/// An operation's own parameter replaces the path item's of the same name and location.
fn merged(shared: &[Parameter], own: Vec<Parameter>) -> Vec<Parameter> {
    let mut merged = shared.to_vec();
    for parameter in own {
        let same = merged
            .iter_mut()
            .find(|known| known.name == parameter.name && known.location == parameter.location);
        match same {
            Some(known) => *known = parameter,
            None => merged.push(parameter),
        }
    }
    merged
}

fn request_body(source: &Source, at: &str) -> Result<RequestBody, DocumentError> {
    let body = source.resolve(at)?;
    Ok(RequestBody {
        required: body.value.get("required").and_then(Value::as_bool).unwrap_or(false),
        content: media_types(source, &body, Direction::Request)?,
        pointer: body.pointer,
    })
}

fn responses(
    source: &Source,
    map: &str,
    members: Option<&Value>,
) -> Result<Vec<Response>, DocumentError> {
    let members = members.and_then(Value::as_object);
    let keys = members.into_iter().flat_map(|members| members.keys());
    keys.filter(|key| !key.starts_with("x-"))
        .map(|key| response(source, key, &join(map, key)))
        .collect()
}

fn response(source: &Source, key: &str, at: &str) -> Result<Response, DocumentError> {
    let status = Status::from_str(key).map_err(|error| source.error(at, error.to_string()))?;
    let response = source.resolve(at)?;
    let map = join(&response.pointer, "headers");
    let headers = response.value.get("headers").and_then(Value::as_object);
    let codes = response.value.get("x-error-codes").and_then(Value::as_array);
    Ok(Response {
        status,
        description: text(response.value, "description").unwrap_or_default(),
        headers: headers
            .into_iter()
            .flat_map(|headers| headers.keys())
            .map(|name| header(source, name, &join(&map, name)))
            .collect::<Result<_, _>>()?,
        content: media_types(source, &response, Direction::Response)?,
        error_codes: codes
            .into_iter()
            .flatten()
            .filter_map(|code| code.as_str().map(str::to_owned))
            .collect(),
        pointer: response.pointer,
    })
}

fn check_unique_ids(source: &Source, operations: &[Operation]) -> Result<(), DocumentError> {
    let mut first_by_id: HashMap<&str, &Operation> = HashMap::new();
    for operation in operations {
        let Some(first) = first_by_id.insert(&operation.id, operation) else {
            continue;
        };
        let member = |operation: &Operation| join(&operation.pointer, "operationId");
        let (id, place) = (&operation.id, source.place(&member(first)));
        let problem = format!(
            "the operationId `{id}` is taken by {} {} at {place}",
            first.method, first.path
        );
        return Err(source
            .error(&member(operation), problem)
            .with_help("give each operation its own id"));
    }
    Ok(())
}
