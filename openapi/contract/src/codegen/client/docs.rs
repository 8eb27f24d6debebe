//! The documentation of the generated client, from the document's texts.

use openapi_document::Idempotency;
use proc_macro2::TokenStream;
use quote::quote;

use super::{Api, example, replies::successes};
use crate::codegen::{
    format::docs,
    model::{Field, Kind, Operation, Parameter, Text, Type},
};

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
pub(super) fn of_call(api: &Api<'_>, operation: &Operation) -> TokenStream {
    let Operation { id, summary, description, method, path, .. } = operation;
    let summary = if summary.is_empty() { id } else { summary };
    let scope = operation.scope.as_ref().map(|scope| format!(", scope `{scope}`"));
    let repeated = match operation.idempotency {
        Idempotency::None => ".",
        Idempotency::ByNature => "; may be repeated.",
        Idempotency::ByKey => "; may be repeated, because the client sends an idempotency key.",
    };
    let text = described(&format!(
        "{}.\n\n{description}\n\n`{method} {path}`{}{repeated}",
        summary.trim_end_matches('.'),
        scope.unwrap_or_default()
    ));
    let example = api.client.name.as_deref().map(|name| example::of(api, name, operation));
    quote! { #text #example }
}

/// The documentation of `send`: the error statuses and their codes.
pub(super) fn of_send(api: &Api<'_>, operation: &Operation) -> TokenStream {
    let mut text = format!("Sends `{} {}`.\n\n", operation.method, operation.path);
    let successes = successes(operation).into_iter();
    let successes: Vec<_> = successes.map(|(status, _)| status.to_string()).collect();
    if successes.len() > 1 {
        let either = successes.join(" or ");
        text.push_str(&format!("The status of the response is {either}.\n\n"));
    }
    text.push_str("# Errors\n[`crate::Error`] by its meaning; the server's are\n");
    let documented = api.documented(operation);
    for response in documented.responses.iter().filter(|response| response.status.is_error()) {
        let codes: Vec<String> =
            response.error_codes.iter().map(|code| format!("`{code}`")).collect();
        text.push_str(&format!("- {} {}\n", response.status, codes.join(", ")));
    }
    docs(&text)
}

pub(super) fn of_parameter(api: &Api<'_>, parameter: &Parameter) -> TokenStream {
    described(&format!("{} {}", parameter.description, api.limits(&parameter.value)))
}

impl Api<'_> {
    /// The text about a member, and about the limits of its text.
    pub(super) fn about(&self, member: &Field) -> String {
        format!("{} {}", member.description, self.limits(&member.value)).trim().to_owned()
    }

    /// A sentence about the lengths and the pattern of a text. A type by hand documents its own.
    fn limits(&self, value: &Type) -> String {
        match value {
            Type::Named(name) if !self.has_type(name) => match &self.model.schema(name).kind {
                Kind::Text(text) | Kind::Scalar(_, text) => limits(text).unwrap_or_default(),
                _ => String::new(),
            },
            _ => String::new(),
        }
    }
}

fn limits(text: &Text) -> Option<String> {
    let characters = match (text.min_length, text.max_length) {
        (0 | 1, None) => None,
        (min, None) => Some(format!("{min} or more characters")),
        (0, Some(max)) => Some(format!("Up to {max} characters")),
        (min, Some(max)) => Some(format!("{min} to {max} characters")),
    };
    let pattern = match (&text.pattern_message, &text.pattern) {
        (Some(message), _) => Some(format!("it {message}")),
        (None, Some(pattern)) => Some(format!("it must match the pattern `{pattern}`")),
        (None, None) => None,
    };
    match (characters, pattern) {
        (None, None) => None,
        (Some(characters), None) => Some(format!("{characters}.")),
        (None, Some(pattern)) => Some(format!("I{}.", &pattern[1..])),
        (Some(characters), Some(pattern)) => Some(format!("{characters}; {pattern}.")),
    }
}

pub(super) fn of_client(api: &Api<'_>) -> TokenStream {
    let title = api.document.value()["info"]["title"].as_str().unwrap_or_default();
    let maker = if api.client.by_hand { "builder" } else { "new" };
    docs(&format!(
        "A connection to the {title}, version `{}`. Cheap to clone; made by [`Client::{maker}`].",
        api.document.version()
    ))
}
