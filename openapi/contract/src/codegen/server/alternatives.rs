//! Writes the schemas of `types.rs` whose alternatives no member tells apart.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::{decode, rust_type};
use crate::codegen::{
    model::{Alternatives, Model},
    names::type_name,
};

pub(super) fn alternatives_type(
    model: &Model,
    name: &Ident,
    alternatives: &Alternatives,
) -> TokenStream {
    let combine = format_ident!("{}", if alternatives.is_exclusive { "one_of" } else { "any_of" });
    let variants: Vec<_> = alternatives.variants.iter().map(|(name, _)| type_name(name)).collect();
    let types = || alternatives.variants.iter().map(|(_, value)| value);
    let values: Vec<_> = types().map(rust_type).collect();
    let reads = types().map(decode::schema);
    let in_text = is_in_text(model, alternatives)
        .then(|| quote!(alternatives_in_text!(#name, #combine, #(#variants(#values)),*);));
    quote! {
        #[derive(Debug, Clone, PartialEq, Serialize)]
        #[serde(untagged)]
        #[allow(clippy::large_enum_variant, reason = "the document's schemas")]
        pub enum #name {
            #(#variants(#values),)*
        }
        alternatives!(#name, #combine, #(#variants(#values) = #reads),*);
        #in_text
    }
}

/// Returns true if a parameter can have such a schema.
fn is_in_text(model: &Model, alternatives: &Alternatives) -> bool {
    alternatives.variants.iter().all(|(_, value)| !value.is_structured(&model.schemas))
}
