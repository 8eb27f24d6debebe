//! The documentation of the generated client, from the document's texts.

use openapi_document::{Document, Idempotency, Operation, Parameter};
use proc_macro2::TokenStream;
use quote::quote;
use serde_json::Value;

use super::{
    example,
    type_overrides::{TypeOverrides, component_of},
};
use crate::codegen::{ClientConfig, format::docs, names::field};

/// Doc comments of a text of the document, without its references to decisions and to sections of
/// the specification, such as "(§4.4, R10)": a user of the client has neither.
pub(super) fn described(text: &str) -> TokenStream {
    let is_reference = |reference: &str| match reference.trim().strip_prefix('§') {
        Some(section) => section.chars().all(|part| part.is_ascii_digit() || part == '.'),
        None => {
            let (letter, number) = reference.trim().split_at_checked(1).unwrap_or_default();
            letter.chars().all(|letter| letter.is_ascii_uppercase())
                && number.parse::<u16>().is_ok()
        }
    };
    let mut parts = text.split('(');
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once(')') {
            Some((references, after)) if references.split(',').all(is_reference) => {
                kept.truncate(kept.trim_end().len());
                kept.push_str(after);
            }
            _ => kept.extend(["(", part]),
        }
    }
    docs(&kept)
}

/// The documentation of the method that starts a call.
pub(super) fn of_call(
    document: &Document,
    client: &ClientConfig,
    overrides: &TypeOverrides,
    operation: &Operation,
) -> TokenStream {
    let summary = operation.summary.as_deref().unwrap_or(&operation.id).trim_end_matches('.');
    let mut text = format!("{summary}.\n");
    if let Some(description) = &operation.description {
        text.push_str(&format!("\n{}\n", description.trim_end()));
    }
    text.push_str(&format!("\n`{} {}`", operation.method, operation.path));
    if let Some(scope) = &operation.scope {
        text.push_str(&format!(", scope `{scope}`"));
    }
    text.push_str(match operation.idempotency {
        Idempotency::None => ".\n",
        Idempotency::ByNature => "; may be repeated.\n",
        Idempotency::ByKey => "; may be repeated, because the client sends an idempotency key.\n",
    });
    let text = described(&text);
    let example =
        client.name.as_deref().map(|name| example::of(document, overrides, name, operation));
    quote! { #text #example }
}

/// The documentation of `send`: the error statuses and their codes.
pub(super) fn of_send(operation: &Operation) -> TokenStream {
    let mut text = format!("Sends `{} {}`.\n\n", operation.method, operation.path);
    let successes = operation.responses.iter().filter(|response| response.status.is_success());
    let mut successes: Vec<_> = successes.map(|response| response.status.to_string()).collect();
    successes.sort_unstable();
    if successes.len() > 1 {
        let either = successes.join(" or ");
        text.push_str(&format!("The status of the response is {either}.\n\n"));
    }
    text.push_str("# Errors\n");
    text.push_str("[`crate::Error`] by its meaning; the server's are\n");
    for response in operation.responses.iter().filter(|response| response.status.is_error()) {
        let codes: Vec<String> =
            response.error_codes.iter().map(|code| format!("`{code}`")).collect();
        text.push_str(&format!("- {} {}\n", response.status, codes.join(", ")));
    }
    docs(&text)
}

pub(super) fn of_parameter(document: &Document, parameter: &Parameter) -> TokenStream {
    let schema = parameter.schema_pointer.as_deref();
    let schema = schema.and_then(|pointer| document.resolve(pointer).ok());
    let limits = schema.and_then(|schema| limits(schema.value)).unwrap_or_default();
    described(&format!("{} {limits}", parameter.description.as_deref().unwrap_or_default().trim()))
}

/// The text about a body's property, its own or that of its component, and about the limits of its
/// text.
pub(super) fn of_property(
    document: &Document,
    overrides: &TypeOverrides,
    component: &str,
    ident: &str,
) -> String {
    let schemas = &document.value()["components"]["schemas"];
    let mut properties = schemas[component]["properties"].as_object().into_iter().flatten();
    let property = properties.find(|(name, _)| field(name) == ident.trim_end_matches('_'));
    let Some((_, schema)) = property else {
        return String::new();
    };
    let reference = schema.get("$ref").or_else(|| schema.pointer("/allOf/0/$ref"));
    let reference = reference.and_then(|reference| reference.as_str());
    let component =
        reference.and_then(|reference| component_of(document, reference.trim_start_matches('#')));
    let target = component.as_ref().map_or(schema, |name| &schemas[name]);
    let text = schema["description"].as_str().or(target["description"].as_str());
    // A type of the client documents what it accepts.
    let is_by_hand = component.is_some_and(|name| overrides.is_by_hand(&name));
    let limits = limits(target).filter(|_| !is_by_hand).unwrap_or_default();
    format!("{} {limits}", text.unwrap_or_default().trim())
}

/// A sentence about the lengths and the pattern of a text.
fn limits(schema: &Value) -> Option<String> {
    let length = |keyword: &str| schema[keyword].as_u64();
    let characters = match (length("minLength").unwrap_or(0), length("maxLength")) {
        (0 | 1, None) => None,
        (min, None) => Some(format!("{min} or more characters")),
        (0, Some(max)) => Some(format!("Up to {max} characters")),
        (min, Some(max)) => Some(format!("{min} to {max} characters")),
    };
    let pattern = match (schema["x-pattern-message"].as_str(), schema["pattern"].as_str()) {
        (Some(message), _) => Some(format!("it {message}")),
        (None, Some(pattern)) => Some(format!("it must match the pattern `{pattern}`")),
        (None, None) => None,
    };
    let sentence = |text: String| text[..1].to_uppercase() + &text[1..];
    match (characters, pattern) {
        (None, None) => None,
        (Some(characters), None) => Some(format!("{characters}.")),
        (None, Some(pattern)) => Some(format!("{}.", sentence(pattern))),
        (Some(characters), Some(pattern)) => Some(format!("{characters}; {pattern}.")),
    }
}

pub(super) fn of_client(document: &Document) -> TokenStream {
    let text = |member: &str| document.value()["info"][member].as_str().unwrap_or_default();
    docs(&format!(
        "A connection to the {}, version `{}`. Cheap to clone; made by [`Client::builder`].",
        text("title"),
        text("version")
    ))
}
