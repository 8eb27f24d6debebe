//! The documentation of the generated client, from the document's texts.

use openapi_document::{Document, Idempotency, Operation};
use proc_macro2::TokenStream;
use quote::quote;

use super::example;
use crate::{ClientConfig, format::docs};

/// The documentation of the method that starts a call.
pub(super) fn of_call(
    document: &Document,
    client: &ClientConfig,
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
    let text = docs(&text);
    let example = client.name.as_deref().map(|name| example::of(document, name, operation));
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

pub(super) fn of_parameter(operation: &Operation, snake_case_name: &str) -> TokenStream {
    let described = operation
        .parameters
        .iter()
        .find(|parameter| heck::AsSnakeCase(&parameter.name).to_string() == snake_case_name)
        .and_then(|parameter| parameter.description.as_deref());
    docs(described.unwrap_or_default())
}

/// The documentation of the setter of a body's property: its own, or that of its component.
pub(super) fn of_property(
    document: &Document,
    component: &str,
    snake_case_name: &str,
) -> TokenStream {
    let described = document.value()["components"]["schemas"][component]["properties"]
        .as_object()
        .into_iter()
        .flatten()
        .find(|(name, _)| heck::AsSnakeCase(name).to_string() == snake_case_name)
        .and_then(|(_, schema)| {
            let reference = schema.get("$ref").or_else(|| schema.pointer("/allOf/0/$ref"));
            let component = reference.and_then(|reference| {
                document.value().pointer(reference.as_str()?.trim_start_matches('#'))
            });
            let own = schema["description"].as_str();
            own.or_else(|| component?["description"].as_str())
        });
    docs(described.unwrap_or_default())
}

pub(super) fn of_client(document: &Document) -> TokenStream {
    let text = |member: &str| document.value()["info"][member].as_str().unwrap_or_default();
    docs(&format!(
        "A connection to the {}, version `{}`. Cheap to clone; made by [`Client::builder`].",
        text("title"),
        text("version")
    ))
}
