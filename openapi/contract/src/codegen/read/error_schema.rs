//! The schema of errors: the configured one, else the one that most errors have. A problem must be
//! able to fill it.

use std::collections::BTreeMap;

use openapi_document::{Diagnostic, Document, pointer::join};
use serde_json::{Map, Value, json};

use super::{component_of, schemas::rust_name};
use crate::codegen::config::{Config, ErrorConfig};

const SCHEMAS: &str = "/components/schemas";

/// The name in Rust of the document's error.
pub(super) fn choose(document: &Document, config: &Config) -> Result<String, Diagnostic> {
    let component = fillable(document, config).ok_or_else(|| {
        let at = join(SCHEMAS, &config.error.schema);
        let ErrorConfig { code, message, .. } = &config.error;
        Diagnostic {
            place: document.place(&at),
            pointer: document.origin(&at),
            problem: "no problem can fill this error".to_owned(),
            help: Some(format!("let `{code}` and `{message}` be its only required members")),
        }
    })?;
    Ok(rust_name(&component))
}

/// The first candidate that a problem can fill.
pub(super) fn fillable(document: &Document, config: &Config) -> Option<String> {
    let configured = &config.error.schema;
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let responses = document.operations().iter().flat_map(|operation| &operation.responses);
    for response in responses.filter(|response| !response.status.is_success()) {
        let pointers = response.content.iter().filter_map(|media| media.schema_pointer.as_ref());
        for pointer in pointers {
            let reference = document.value().pointer(&join(pointer, "$ref"));
            let name = reference
                .and_then(Value::as_str)
                .and_then(|reference| component_of(reference, "schemas"));
            *counts.entry(name.unwrap_or_default()).or_default() += 1;
        }
    }
    // The configured one first, unless only others are used.
    let is_used = counts.contains_key(configured);
    let mut candidates: Vec<(String, usize)> = counts.into_iter().collect();
    candidates.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let found = candidates.into_iter().map(|(name, _)| name);
    let first = is_used.then(|| configured.clone());
    let found = first.into_iter().chain(found).chain([configured.clone()]);
    let mut names = found.chain([FALLBACK.to_owned()]);
    names.find(|name| is_fillable(document, &config.error, &join(SCHEMAS, name)))
}

/// The name of the schema for a document without one.
pub(super) const FALLBACK: &str = "ServerError";

pub(super) fn fallback(config: &ErrorConfig) -> Value {
    let ErrorConfig { code, message, details, .. } = config;
    json!({
        "description": "An error of the server; the document has no schema for all errors.",
        "type": "object",
        "required": [code, message],
        "properties": {
            code: { "type": "string" },
            message: { "type": "string" },
            details: {},
        },
    })
}

fn is_fillable(document: &Document, error: &ErrorConfig, at: &str) -> bool {
    let Some(schema) = resolved(document, at) else {
        return false;
    };
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return false;
    };
    if is_filled(document, error, schema, properties) {
        return true;
    }
    // An object that only wraps the error, or a list of errors.
    let mut names = properties.keys();
    let (Some(name), None) = (names.next(), names.next()) else {
        return false;
    };
    let at = join(&join(at, "properties"), name);
    let is_nullable =
        |schema: &Map<String, Value>| schema.get("nullable") == Some(&Value::Bool(true));
    let list = resolved(document, &at).filter(|list| list.get("type") == Some(&json!("array")));
    let most = list.and_then(|list| list.get("maxItems")).and_then(Value::as_u64);
    let least = list.and_then(|list| list.get("minItems")).and_then(Value::as_u64);
    let inner = resolved(document, &if list.is_some() { join(&at, "items") } else { at });
    let Some(inner) = inner.filter(|inner| !is_nullable(inner)) else {
        return false;
    };
    let is_list_of_one =
        most != Some(0) && least.unwrap_or(0) <= 1 && !list.is_some_and(is_nullable);
    let properties = inner.get("properties").and_then(Value::as_object);
    is_list_of_one
        && properties.is_some_and(|properties| is_filled(document, error, inner, properties))
}

fn is_filled(
    document: &Document,
    error: &ErrorConfig,
    schema: &Map<String, Value>,
    properties: &Map<String, Value>,
) -> bool {
    let has_message = properties.contains_key(&error.message);
    has_message
        && properties.iter().all(|(name, property)| {
            let is_required = required(schema).any(|known| known == name);
            let property = match property.get("$ref").and_then(Value::as_str) {
                Some(reference) => resolved(document, reference.trim_start_matches('#')),
                None => property.as_object(),
            };
            let Some(property) = property else {
                return false;
            };
            let is_plain = !["enum", "pattern", "default", "nullable", "minimum", "minLength"]
                .iter()
                .any(|keyword| property.contains_key(*keyword));
            let written = property.get("type").and_then(Value::as_str);
            let is_nullable = property.get("nullable") == Some(&Value::Bool(true));
            let is_open = !property.contains_key("enum") && !is_nullable;
            if *name == error.message {
                written == Some("string") && is_open
            } else if *name == error.code {
                // The status, where it is a number.
                let is_status = written == Some("integer") && is_plain;
                !is_required || is_status || written == Some("string") && is_open
            } else if *name == error.details {
                written.is_none() && !is_required && !property.contains_key("allOf")
            } else {
                let has_default =
                    matches!(written, Some("string" | "boolean" | "integer" | "number"));
                !is_required || (is_plain && has_default)
            }
        })
}

fn required(schema: &Map<String, Value>) -> impl Iterator<Item = &str> {
    let names = schema.get("required").and_then(Value::as_array);
    names.into_iter().flatten().filter_map(Value::as_str)
}

fn resolved<'d>(document: &'d Document, at: &str) -> Option<&'d Map<String, Value>> {
    document.resolve(at).ok()?.value.as_object()
}
