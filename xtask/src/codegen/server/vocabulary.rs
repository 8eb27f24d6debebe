//! Writes the words of `types.rs` that stand outside of schemas: error codes, scopes, tags.
//!
//! It refuses a schema: those stand in [`super::types`].

use proc_macro2::TokenStream;
use quote::quote;

use crate::codegen::{
    format::docs,
    model::Model,
    names::{constant_name, status_name, type_name},
};

pub(super) fn error_codes(model: &Model) -> TokenStream {
    let codes: Vec<&String> = model.error_codes.iter().map(|code| &code.code).collect();
    let variants: Vec<_> = codes.iter().map(|code| type_name(code)).collect();
    let documentation = model
        .error_codes
        .iter()
        .map(|code| docs(&format!("`{}`, status {}.", code.code, code.status)));
    let statuses = model
        .error_codes
        .iter()
        .map(|code| status_constant(code.status));
    quote! {
        /// Every error code of the document; each has one status.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum ErrorCode {
            #(#documentation #variants,)*
        }

        impl ErrorCode {
            /// Every code, by status.
            pub const ALL: &'static [Self] = &[#(Self::#variants),*];

            /// The code as it stands in the contract.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    #(Self::#variants => #codes,)*
                }
            }

            /// The status that it comes with.
            #[must_use]
            pub const fn status(self) -> StatusCode {
                match self {
                    #(Self::#variants => StatusCode::#statuses,)*
                }
            }
        }
    }
}

fn status_constant(status: u16) -> proc_macro2::Ident {
    constant_name(&status_name(status).to_string())
}

pub(super) fn scopes(model: &Model) -> TokenStream {
    let texts: Vec<&String> = model.scopes.iter().map(|scope| &scope.name).collect();
    let variants: Vec<_> = texts.iter().map(|text| type_name(text)).collect();
    let documentation = model.scopes.iter().map(|scope| docs(&scope.description));
    quote! {
        /// What a key may do. (§5)
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Scope {
            #(#documentation #variants,)*
        }

        impl Scope {
            /// Every scope, in the document's order.
            pub const ALL: &'static [Self] = &[#(Self::#variants),*];

            /// The scope as it stands in the contract.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    #(Self::#variants => #texts,)*
                }
            }

            /// The scope that stands so in the contract.
            #[must_use]
            pub fn parse(text: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|scope| scope.as_str() == text)
            }
        }
    }
}

pub(super) fn tags(model: &Model) -> TokenStream {
    let texts = model.tags.iter().map(|tag| &tag.name);
    let variants = model.tags.iter().map(|tag| type_name(&tag.name));
    let documentation = model.tags.iter().map(|tag| docs(&tag.description));
    quote! {
        /// The tags of the document, for the framework.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Tags)]
        pub enum Tag {
            #(#documentation #[oai(rename = #texts)] #variants,)*
        }
    }
}
