//! Reads the operations of a checked document. Operation ids must be unique.

use std::collections::HashMap;

use serde_json::Value;
use strum::VariantArray as _;

use super::{
    Idempotency, Location, Method, Operation, Parameter, Response, SecurityRequirement,
    parts::{parameter, request_body, response},
    resources,
};
use crate::{
    error::DocumentError,
    pointer::join,
    source::{Resolved, Source},
};

/// All operations under `paths`, in document order.
pub(crate) fn read(source: &Source) -> Result<Vec<Operation>, DocumentError> {
    let mut operations = Vec::new();
    let paths = source.resolve("")?.members("paths");
    for (path, at, _) in paths.filter(|(path, ..)| !path.starts_with("x-")) {
        let item = source.resolve(&at)?;
        let shared = parameters(source, &item)?;
        for name in item.value.as_object().into_iter().flat_map(|item| item.keys()) {
            let mut methods = Method::VARIANTS.iter().copied();
            if let Some(method) = methods.find(|method| method.member_name() == *name) {
                let found = source.resolve(&join(&item.pointer, name))?;
                operations.push(operation(source, path, method, &shared, found)?);
            }
        }
    }
    check_unique_ids(source, &operations)?;
    Ok(operations)
}

/// `x-unrouted-responses` of the document: the responses where no operation matches.
pub(crate) fn read_unrouted(source: &Source) -> Result<Vec<Response>, DocumentError> {
    responses(source, &source.resolve("")?, "x-unrouted-responses")
}

fn operation(
    source: &Source,
    path: &str,
    method: Method,
    shared: &[Parameter],
    found: Resolved<'_>,
) -> Result<Operation, DocumentError> {
    let value = found.value;
    let parameters = in_order_of_path(merged(shared, parameters(source, &found)?), path);
    let body = match value.get("requestBody") {
        Some(_) => Some(request_body(source, &join(&found.pointer, "requestBody"))?),
        None => None,
    };
    Ok(Operation {
        id: found.text("operationId").unwrap_or_else(|| format!("{}_{path}", method.member_name())),
        method,
        path: path.to_owned(),
        tag: value.pointer("/tags/0").and_then(Value::as_str).map(str::to_owned),
        profile: found.text("x-profile"),
        scope: found.text("x-required-scope"),
        security: security(value).or_else(|| security(source.value())).unwrap_or_default(),
        deprecated: found.flag("deprecated"),
        idempotency: value
            .get("x-idempotent")
            .and_then(Idempotency::of_extension)
            .unwrap_or_default(),
        time_limit_seconds: value.get("x-time-limit").and_then(Value::as_u64),
        begins_with_read: value.get("x-begins-with-read").and_then(Value::as_bool) == Some(true),
        summary: found.text("summary"),
        description: found.text("description"),
        references: resources::references(source, &parameters, body.as_ref()),
        parameters,
        body,
        responses: responses(source, &found, "responses")?,
        pointer: found.pointer,
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

fn parameters(source: &Source, owner: &Resolved<'_>) -> Result<Vec<Parameter>, DocumentError> {
    let mut all: Vec<Parameter> = Vec::new();
    for at in owner.elements("parameters") {
        let next = parameter(source, &at)?;
        let is_same = |known: &&Parameter| is_same(known, &next);
        if let Some(first) = all.iter().find(is_same) {
            let (name, location, first) = (&next.name, next.location, source.place(&first.pointer));
            let problem = format!("the {location} parameter `{name}` is declared at {first}, too");
            return Err(source.error(&at, problem).with_help("remove one of the two"));
        }
        all.push(next);
    }
    Ok(all)
}

/// An operation's own parameter replaces the path item's of the same name and location.
fn merged(shared: &[Parameter], own: Vec<Parameter>) -> Vec<Parameter> {
    let mut merged = shared.to_vec();
    for parameter in own {
        let same = merged.iter_mut().find(|known| is_same(known, &parameter));
        match same {
            Some(known) => *known = parameter,
            None => merged.push(parameter),
        }
    }
    merged
}

/// Names of headers have no case.
fn is_same(one: &Parameter, other: &Parameter) -> bool {
    let is_header = one.location == Location::Header;
    let has_name =
        one.name == other.name || is_header && one.name.eq_ignore_ascii_case(&other.name);
    one.location == other.location && has_name
}

/// The parameters of the path in its order, then the others in the order of the document.
fn in_order_of_path(mut parameters: Vec<Parameter>, path: &str) -> Vec<Parameter> {
    parameters.sort_by_key(|parameter| match parameter.location {
        Location::Path => path.find(&format!("{{{}}}", parameter.name)).unwrap_or(path.len()),
        _ => usize::MAX,
    });
    parameters
}

fn responses(
    source: &Source,
    owner: &Resolved<'_>,
    map: &str,
) -> Result<Vec<Response>, DocumentError> {
    let members = owner.members(map).filter(|(key, ..)| !key.starts_with("x-"));
    members.map(|(key, at, _)| response(source, key, &at)).collect()
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
