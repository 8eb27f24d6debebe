//! The success of an operation: the body of the only one, or an enum of the generated `types.rs`
//! with a variant for each status.

use proc_macro2::TokenStream;
use quote::quote;

use super::rust_type;
use crate::codegen::{
    format::docs,
    model::{Operation, Success},
    names::{status_name, type_name},
};

/// The type that a handler of the operation returns.
pub(super) fn success_type(operation: &Operation) -> TokenStream {
    match operation.only_success() {
        Some(Success { body: Some(body), .. }) => rust_type(body),
        Some(_) => quote!(()),
        None => {
            let name = type_name(&success_name(operation));
            quote!(#name)
        }
    }
}

/// The name of the enum, of an operation with several successes.
pub(super) fn success_name(operation: &Operation) -> String {
    let only_successes = has_only_successes(operation);
    let suffix = if only_successes { "success" } else { "reply" };
    format!("{}-{suffix}", operation.type_id)
}

pub(super) fn success_enum(operation: &Operation) -> Option<TokenStream> {
    if operation.only_success().is_some() {
        return None;
    }
    let name = success_type(operation);
    let only_successes = has_only_successes(operation);
    let what = if only_successes { "The successes" } else { "What a handler may return" };
    let documentation = docs(&format!("{what} of `{}`.", operation.id));
    let variants = operation.successes.iter().map(|success| {
        let documentation = docs(&format!("Status {}.", success.status));
        let variant = status_name(success.status);
        let body = success.body.as_ref().map(|body| {
            let body = rust_type(body);
            quote!((#body))
        });
        quote!(#documentation #variant #body)
    });
    let other = operation.other.as_ref().map(|other| {
        let body = other.body.as_ref().map(|body| {
            let body = rust_type(body);
            quote!(, #body)
        });
        quote! {
            /// Any other status.
            Default(StatusCode #body),
        }
    });
    Some(quote! {
        #documentation
        #[derive(Debug, Clone, PartialEq)]
        pub enum #name {
            #(#variants,)*
            #other
        }
    })
}

fn has_only_successes(operation: &Operation) -> bool {
    operation.other.is_none() && operation.successes.iter().all(|success| success.status < 300)
}
