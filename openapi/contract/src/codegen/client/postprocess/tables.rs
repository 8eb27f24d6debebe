//! What the document knows and progenitor does not write: the operations, with what a repeated
//! request does, the codes of errors, and the types of their details.

use std::collections::{BTreeMap, BTreeSet};

use heck::ToUpperCamelCase;
use openapi_document::{Document, Idempotency};
use proc_macro2::{Ident, Literal};
use quote::{format_ident, quote};
use serde_json::Value;
use syn::{Item, parse_quote};

use crate::codegen::{
    Config,
    client::{docs::described, type_overrides::details_by_code},
    format::docs,
    names::type_name,
};

pub(super) fn of(document: &Document, config: &Config) -> Vec<Item> {
    let mut items = vec![operations(document), codes(document)];
    items.extend(details(document, config));
    items
}

fn operations(document: &Document) -> Item {
    let rows = document.operations().iter().map(|operation| {
        let variant = format_ident!("{}", operation.id.to_upper_camel_case());
        let text = described(operation.summary.as_deref().unwrap_or_default());
        let (id, path) = (&operation.id, &operation.path);
        let method = operation.method.to_string();
        let idempotency = format_ident!(
            "{}",
            match operation.idempotency {
                Idempotency::None => "None",
                Idempotency::ByNature => "ByNature",
                Idempotency::ByKey => "ByKey",
            }
        );
        let seconds = operation.time_limit_seconds.map(Literal::u64_unsuffixed);
        quote! { #text #variant = #id #method #path #idempotency #seconds, }
    });
    parse_quote! { crate::operation::operations! { #(#rows)* } }
}

/// The codes of all responses.
fn codes(document: &Document) -> Item {
    let responses = document.operations().iter().flat_map(|operation| &operation.responses);
    let mut codes: BTreeSet<&str> =
        responses.flat_map(|response| &response.error_codes).map(String::as_str).collect();
    let unrouted = document.value()["x-unrouted-responses"].as_object().into_iter().flatten();
    for (_, response) in unrouted {
        let target = response["$ref"].as_str().map(|reference| reference.trim_start_matches('#'));
        let target = target.and_then(|pointer| document.value().pointer(pointer));
        let listed = target.unwrap_or(response)["x-error-codes"].as_array().into_iter().flatten();
        codes.extend(listed.filter_map(Value::as_str));
    }
    let variants = codes.iter().map(|code| type_name(code));
    let texts = codes.iter();
    let text = docs("The stable code of an error, for programs. An open set.");
    parse_quote! { crate::open_sets::open_set! { #text ErrorCode { #(#variants = #texts,)* } } }
}

/// The types of details, each with the codes that it belongs to.
fn details(document: &Document, config: &Config) -> Option<Item> {
    let mut types: BTreeMap<String, Vec<Ident>> = BTreeMap::new();
    for (code, component) in details_by_code(document, config) {
        types.entry(component).or_default().push(type_name(&code));
    }
    let rows = types.iter().map(|(component, codes)| {
        let variant = format_ident!("{}", component.trim_end_matches("Details"));
        let component = format_ident!("{component}");
        quote! { #variant(#component) = #(#codes)|*, }
    });
    (!types.is_empty()).then(|| parse_quote! { crate::details::details! { #(#rows)* } })
}
