//! Writes `operations.rs`: the table of operations that the runtime searches.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use crate::{
    format::docs,
    model::{Kind, Model, Operation},
    names::{constant_name, type_name},
};

pub(super) const DOCS: &str =
    "The operations of the document: method, path, scope and statuses of each.";

pub(super) fn generate(model: &Model) -> TokenStream {
    let variants: Vec<_> =
        model.operations.iter().map(|operation| type_name(&operation.id)).collect();
    let documentation = model
        .operations
        .iter()
        .map(|operation| docs(&format!("`{} {}`", operation.method, operation.path)));
    let statics: Vec<_> =
        model.operations.iter().map(|operation| constant_name(&operation.id)).collect();
    let infos = model.operations.iter().map(|operation| info(model, operation));
    quote! {
        use poem::http::Method;
        use openapi_runtime::{Found, Idempotency, Operations, find};
        use super::types::Scope;

        /// What the document says of an operation.
        pub type OperationInfo = openapi_runtime::OperationInfo<Scope>;

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

            /// The operation for a method and a raw path.
            #[must_use]
            pub fn find(method: &Method, raw_path: &str) -> Found<Self> {
                find(method, raw_path)
            }
        }

        impl Operations for Operation {
            type Scope = Scope;

            const ALL: &'static [Self] = Self::ALL;

            fn info(self) -> &'static OperationInfo {
                Self::info(self)
            }
        }

        #(#infos)*
    }
}

fn info(model: &Model, operation: &Operation) -> TokenStream {
    let name = constant_name(&operation.id);
    let Operation { id, path, .. } = operation;
    let method = constant_name(&operation.method);
    let scope = type_name(&operation.scope);
    let (has_body, is_list) =
        (operation.body.is_some(), operation.is_list(&model.config.lists.cursor));
    let body_fields = operation.body.as_deref().map(|body| match &model.schema(body).kind {
        Kind::Object(object) => object.fields.iter().map(|field| field.name.as_str()).collect(),
        _ => Vec::new(),
    });
    let body_fields = body_fields.into_iter().flatten();
    let idempotency = type_name(&format!("{:?}", operation.idempotency));
    let statuses = operation.statuses().into_iter().map(Literal::u16_unsuffixed);
    quote! {
        static #name: OperationInfo = OperationInfo {
            id: #id,
            method: Method::#method,
            path: #path,
            scope: Scope::#scope,
            has_body: #has_body,
            body_fields: &[#(#body_fields),*],
            is_list: #is_list,
            idempotency: Idempotency::#idempotency,
            statuses: &[#(#statuses),*],
        };
    }
}
