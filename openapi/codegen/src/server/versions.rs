//! Writes `versions.rs`: the versions of the document that the server supports.

use proc_macro2::TokenStream;
use quote::quote;

use crate::model::{Model, Version};

pub(super) const DOCS: &str = "The supported versions of the document: the released ones, and its \
    own. (X12)";

pub(super) fn generate(model: &Model) -> TokenStream {
    let versions = model.versions.iter().map(version);
    quote! {
        /// A version of the document.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct Version {
            /// As the header `api-version` names it.
            pub name: &'static str,
            /// Set where the version will end.
            pub deprecation: Option<Deprecation>,
        }

        /// When a version is deprecated, and when it ends, as the values of two headers.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct Deprecation {
            /// `Deprecation`, RFC 9745.
            pub deprecated: &'static str,
            /// `Sunset`, RFC 8594.
            pub sunset: &'static str,
        }

        /// Oldest first; the last is the document's own.
        pub const VERSIONS: &[Version] = &[#(#versions),*];
    }
}

fn version(Version { name, deprecation }: &Version) -> TokenStream {
    let deprecation = match deprecation {
        None => quote!(None),
        Some(deprecation) => {
            let (deprecated, sunset) = (&deprecation.deprecated, &deprecation.sunset);
            quote!(Some(Deprecation { deprecated: #deprecated, sunset: #sunset }))
        }
    };
    quote!(Version { name: #name, deprecation: #deprecation })
}
