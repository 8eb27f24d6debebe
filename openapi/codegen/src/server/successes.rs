//! The success of an operation: the body of the only one, or an enum of the generated `types.rs`
//! with a variant for each status.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use crate::{
    format::docs,
    model::Operation,
    names::{status_name, type_name},
};

/// What a handler of the operation returns.
pub(super) fn success_type(operation: &Operation) -> Ident {
    match operation.successes.as_slice() {
        [only] => type_name(&only.body),
        _ => type_name(&format!("{}Success", operation.id)),
    }
}

/// The enum, for an operation with several successes.
pub(super) fn success_enum(operation: &Operation) -> Option<TokenStream> {
    if operation.successes.len() == 1 {
        return None;
    }
    let name = success_type(operation);
    let documentation = docs(&format!("The successes of `{}`.", operation.id));
    let variants = operation.successes.iter().map(|success| {
        let documentation = docs(&format!("Status {}.", success.status));
        let (variant, body) = (status_name(success.status), type_name(&success.body));
        quote!(#documentation #variant(#body))
    });
    Some(quote! {
        #documentation
        #[derive(Debug, Clone, PartialEq)]
        pub enum #name {
            #(#variants,)*
        }
    })
}
