//! Writes `operations.rs`: what the document says of each operation.
//!
//! It refuses to match paths: that is written by hand, in `matching.rs`, over this table.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use crate::codegen::{
    format::docs,
    model::{Model, Operation},
    names::{constant_name, type_name},
};

pub(super) const OWNS: &str = "What the document says of each operation: the gate's table.\n\n\
    It refuses to decide: who may pass is the gate's business, this tells what the document asks for.";

pub(super) fn generate(model: &Model) -> TokenStream {
    let variants: Vec<_> = model
        .operations
        .iter()
        .map(|operation| type_name(&operation.id))
        .collect();
    let documentation = model
        .operations
        .iter()
        .map(|operation| docs(&format!("`{} {}`", operation.method, operation.path)));
    let statics: Vec<_> = model
        .operations
        .iter()
        .map(|operation| constant_name(&operation.id))
        .collect();
    let infos = model.operations.iter().map(info);
    quote! {
        use poem::http::Method;
        use super::{matching::{self, Found, Profile}, types::Scope};
        pub use super::matching::OperationInfo;

        /// Every operation of the document.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Operation {
            #(#documentation #variants,)*
        }

        impl Operation {
            /// Every operation, in the document's order.
            pub const ALL: &'static [Self] = &[#(Self::#variants),*];

            /// What the document says of it.
            #[must_use]
            pub fn info(self) -> &'static OperationInfo {
                match self {
                    #(Self::#variants => &#statics,)*
                }
            }

            /// The operation behind a method and a raw path; see [`matching::find`].
            #[must_use]
            pub fn find(method: &Method, raw_path: &str) -> Found {
                matching::find(method, raw_path)
            }
        }

        #(#infos)*
    }
}

fn info(operation: &Operation) -> TokenStream {
    let name = constant_name(&operation.id);
    let Operation { id, path, tag, .. } = operation;
    let method = constant_name(&operation.method);
    let profile = type_name(&operation.profile);
    let scope = type_name(&operation.scope);
    let (has_body, is_list) = (operation.body.is_some(), operation.is_list());
    let statuses = operation
        .statuses()
        .into_iter()
        .map(Literal::u16_unsuffixed);
    quote! {
        static #name: OperationInfo = OperationInfo {
            id: #id,
            method: Method::#method,
            path: #path,
            tag: #tag,
            profile: Profile::#profile,
            scope: Scope::#scope,
            has_body: #has_body,
            is_list: #is_list,
            statuses: &[#(#statuses),*],
        };
    }
}
