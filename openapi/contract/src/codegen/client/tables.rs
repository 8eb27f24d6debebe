//! Tables for the macros of the client: the operations, with what a repeated request does, the
//! codes of errors and, for a client by hand, the types of their details.

use std::collections::{BTreeMap, BTreeSet};

use openapi_document::Idempotency;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::{Api, docs::described};
use crate::codegen::{
    format::docs,
    names::{open_variant, type_name},
};

pub(super) fn of(api: &Api<'_>) -> TokenStream {
    let rows = api.operations.iter().map(|operation| {
        let (variant, text) = (type_name(&operation.id), described(&operation.summary));
        let (id, method, path) = (&operation.id, &operation.method, &operation.path);
        let idempotency = match operation.idempotency {
            Idempotency::None => quote!(None),
            Idempotency::ByNature => quote!(ByNature),
            Idempotency::ByKey => quote!(ByKey),
        };
        let seconds = operation.time_limit_seconds.map(Literal::u64_unsuffixed);
        quote! { #text #variant = #id #method #path #idempotency #seconds, }
    });
    let (codes, details) = (codes(api), details(api));
    let example = example(api).unwrap_or_default();
    quote! {
        openapi_client::operations! { #(#![doc = #example])* #(#rows)* }
        #codes
        #details
    }
}

/// The lines of an example of the enum, where the crate has a name.
fn example(api: &Api<'_>) -> Option<Vec<String>> {
    let (name, operation) = (api.client.name.as_ref()?, api.operations.first()?);
    let (id, method) = (&operation.id, &operation.method);
    Some(vec![
        String::new(),
        " ```".to_owned(),
        format!(" use {name}::Operation;"),
        String::new(),
        " let mut all = Operation::ALL.iter();".to_owned(),
        format!(" let found = all.find(|operation| operation.id() == \"{id}\");"),
        format!(" assert_eq!(found.map(|operation| operation.method()), Some(\"{method}\"));"),
        " ```".to_owned(),
    ])
}

/// The codes of all responses, if there are any.
fn codes(api: &Api<'_>) -> Option<TokenStream> {
    let routed = api.document.operations().iter().flat_map(|operation| &operation.responses);
    let responses = routed.chain(api.document.unrouted_responses());
    let codes = responses.flat_map(|response| &response.error_codes);
    let codes: BTreeSet<&String> = codes.chain(api.details.iter().map(|(code, _)| code)).collect();
    let variants = codes.iter().map(|code| open_variant(code));
    let texts = codes.iter();
    let text = docs("The stable code of an error, for programs. An open set.");
    let set = quote! { openapi_client::open_set! { #text ErrorCode { #(#variants = #texts,)* } } };
    (!codes.is_empty()).then_some(set)
}

/// The types of details, each with the codes that it belongs to.
fn details(api: &Api<'_>) -> Option<TokenStream> {
    let mut types: BTreeMap<&str, Vec<Ident>> = BTreeMap::new();
    for (code, schema) in &api.details {
        types.entry(schema).or_default().push(open_variant(code));
    }
    let rows = types.iter().map(|(schema, codes)| {
        let schema = type_name(schema);
        let text = schema.to_string();
        let short = text.strip_suffix("Details").filter(|short| !short.is_empty());
        let variant = format_ident!("{}", short.unwrap_or(&text));
        quote! { #variant(#schema) = #(#codes)|*, }
    });
    (!types.is_empty()).then(|| quote! { crate::details::details! { #(#rows)* } })
}
