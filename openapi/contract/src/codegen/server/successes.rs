//! What a handler returns: the body of the only success, or a type of the generated `types.rs` that
//! has its headers, its representations, or a variant for each status.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::rust_type;
use crate::codegen::{
    format::docs,
    model::{Format, Header, Operation, Representation, Success, Type},
    names::{status_name, type_name, type_of, value_name},
};

const JSON: &str = "application/json";

/// The type that a handler of the operation returns.
pub(super) fn success_type(operation: &Operation) -> TokenStream {
    match operation.only_success() {
        Some(success) if success.headers.is_empty() => {
            body_type(operation, success).unwrap_or_else(|| quote!(()))
        }
        _ => {
            let name = success_name(operation);
            quote!(#name)
        }
    }
}

/// The name of the type, of an operation with several successes or with headers.
pub(super) fn success_name(operation: &Operation) -> Ident {
    let suffix = if has_only_successes(operation) { "success" } else { "reply" };
    type_of(&operation.id, suffix)
}

/// The names of `types`.
pub(super) fn type_names(operation: &Operation) -> impl Iterator<Item = Ident> {
    let is_plain = operation.only_success().is_some_and(|success| success.headers.is_empty());
    let success = (!is_plain).then(|| success_name(operation));
    let chosen = operation.replies().filter(|success| success.representations.len() > 1);
    success.into_iter().chain(chosen.map(|success| body_name(operation, success)))
}

/// The types that a handler needs beside the schemas.
pub(super) fn types(operation: &Operation) -> TokenStream {
    let success = match operation.only_success() {
        Some(success) => reply_struct(operation, success),
        None => Some(success_enum(operation)),
    };
    let bodies = operation.replies().filter_map(|success| body_enum(operation, success));
    quote!(#success #(#bodies)*)
}

/// The type of a body, if there is one.
fn body_type(operation: &Operation, success: &Success) -> Option<TokenStream> {
    if success.representations.len() > 1 {
        let name = body_name(operation, success);
        return Some(quote!(#name));
    }
    success.body.as_ref().map(rust_type)
}

fn body_name(operation: &Operation, success: &Success) -> Ident {
    let status = match success.status {
        0 => "default-".to_owned(),
        status if operation.only_success().is_none() => format!("{}-", status_name(status)),
        _ => String::new(),
    };
    type_of(&operation.id, &format!("{status}body"))
}

/// The representations of a body, of which the handler chooses one.
fn body_enum(operation: &Operation, success: &Success) -> Option<TokenStream> {
    if success.representations.len() < 2 {
        return None;
    }
    let name = body_name(operation, success);
    let documentation = docs(&format!("The representations of a body of `{}`.", operation.id));
    let variants = success.representations.iter().map(|Representation { media_type, value }| {
        let (variant, value) = (type_name(media_type), rust_type(value));
        let documentation = docs(&format!("`{media_type}`"));
        quote!(#documentation #variant(#value))
    });
    let arms = success.representations.iter().map(|representation| {
        let variant = type_name(&representation.media_type);
        let response = body_response(representation, &quote!(StatusCode::OK));
        quote!(Self::#variant(body) => #response,)
    });
    Some(quote! {
        #documentation
        #[derive(Debug, Clone, PartialEq)]
        pub enum #name {
            #(#variants,)*
        }

        impl openapi_runtime::Written for #name {
            fn into_body_response(self) -> poem::Response {
                use openapi_runtime::Written as _;

                match self {
                    #(#arms)*
                }
            }
        }
    })
}

/// The response with `body` in one representation.
pub(super) fn body_response(representation: &Representation, status: &TokenStream) -> TokenStream {
    let Representation { media_type, value } = representation;
    let is_json = Format::of(media_type) == Format::Json && !matches!(value, Type::Content(_));
    match is_json && media_type != JSON {
        true => quote!(openapi_runtime::json_response(#status, #media_type, &body)),
        false => quote!(body.into_response_with(#status)),
    }
}

/// The headers and the body of the only success.
fn reply_struct(operation: &Operation, success: &Success) -> Option<TokenStream> {
    if success.headers.is_empty() {
        return None;
    }
    let name = success_name(operation);
    let what = format!("Headers and body of the response of `{}`.", operation.id);
    let (documentation, fields) = (docs(&what), fields(operation, success, &quote!(pub)));
    Some(quote! {
        #documentation
        #[derive(Debug, Clone, PartialEq)]
        pub struct #name {
            #(#fields,)*
        }
    })
}

fn fields(operation: &Operation, success: &Success, before: &TokenStream) -> Vec<TokenStream> {
    let headers = success.headers.iter().map(|header| {
        let Header { name, description, required, value } = header;
        let (ident, value) = (value_name(name), rust_type(value));
        let documentation = docs(&format!("The header `{name}`. {description}"));
        let value = if *required { value } else { quote!(Option<#value>) };
        quote!(#documentation #before #ident: #value)
    });
    let body = body_type(operation, success).map(|body| quote!(#before body: #body));
    headers.chain(body).collect()
}

fn success_enum(operation: &Operation) -> TokenStream {
    let name = success_name(operation);
    let only_successes = has_only_successes(operation);
    let what = if only_successes { "The successes" } else { "What a handler may return" };
    let documentation = docs(&format!("{what} of `{}`.", operation.id));
    let variants = operation.replies().map(|success| {
        let (variant, status) = match success.status {
            0 => (quote!(Default), "Any other status.".to_owned()),
            status => {
                let name = status_name(status);
                (quote!(#name), format!("Status {status}."))
            }
        };
        let documentation = docs(&status);
        let status = (success.status == 0).then(|| quote!(StatusCode));
        let fields = match success.headers.is_empty() {
            true => {
                let values = status.into_iter().chain(body_type(operation, success));
                let values: Vec<_> = values.collect();
                (!values.is_empty()).then(|| quote!((#(#values),*)))
            }
            false => {
                let status = status.map(|status| quote!(status: #status,));
                let fields = fields(operation, success, &TokenStream::new());
                Some(quote!({ #status #(#fields,)* }))
            }
        };
        quote!(#documentation #variant #fields)
    });
    quote! {
        #documentation
        #[derive(Debug, Clone, PartialEq)]
        pub enum #name {
            #(#variants,)*
        }
    }
}

fn has_only_successes(operation: &Operation) -> bool {
    operation.other.is_none() && operation.successes.iter().all(|success| success.status < 300)
}
