//! Writes `versions.rs`: the versions of the document that the server supports.

use proc_macro2::TokenStream;
use quote::quote;

use crate::codegen::model::{Model, Version};

pub(super) const DOCS: &str = "The supported versions of the document: the released ones, and its \
    own.";

pub(super) fn generate(model: &Model) -> TokenStream {
    let ends = model.versions.iter().any(|version| version.deprecation.is_some());
    let imports = if ends { quote!({Deprecation, Version}) } else { quote!(Version) };
    let versions = model.versions.iter().map(version);
    quote! {
        use openapi_runtime::#imports;

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
