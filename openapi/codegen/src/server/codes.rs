//! Writes the error codes of `types.rs`.

use proc_macro2::TokenStream;
use quote::quote;

use crate::{
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
    let statuses =
        model.error_codes.iter().map(|code| constant_name(&status_name(code.status).to_string()));
    quote! {
        /// Every error code of the document; each has one status.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum ErrorCode {
            #(#documentation #variants,)*
        }

        impl ErrorCode {
            /// Every code, by status.
            pub const ALL: &'static [Self] = &[#(Self::#variants),*];

            /// The code as the document writes it.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    #(Self::#variants => #codes,)*
                }
            }

            /// The status of a response with this code.
            #[must_use]
            pub const fn status(self) -> StatusCode {
                match self {
                    #(Self::#variants => StatusCode::#statuses,)*
                }
            }
        }
    }
}
