//! Writes the query parameters of operations as structs of `types.rs`.

use openapi_document::Location;
use proc_macro2::TokenStream;
use quote::quote;

use super::parameter_type;
use crate::{
    format::docs,
    model::{Kind, Model, Operation, Type},
    names::{type_name, value_name},
};

/// The query parameters of an operation as one struct.
pub(super) fn query(model: &Model, operation: &Operation) -> Option<TokenStream> {
    let parameters: Vec<_> = operation.parameters_in(Location::Query).collect();
    if parameters.is_empty() {
        return None;
    }
    let name = type_name(&format!("{}Query", operation.id));
    let documentation = docs(&format!("The query parameters of `{}`.", operation.id));
    let fields = parameters.iter().map(|parameter| {
        let ident = value_name(&parameter.name);
        let documentation = docs(&parameter.description);
        let parameter_type = parameter_type(parameter);
        quote!(#documentation pub #ident: #parameter_type)
    });
    let eq =
        parameters.iter().all(|parameter| has_eq(model, &parameter.value)).then(|| quote!(, Eq));
    let filters = super::filters(model, operation);
    let values = filters.iter().map(|parameter| {
        let (ident, name) = (value_name(&parameter.name), &parameter.name);
        let text = match parameter.value {
            Type::List { .. } => {
                quote!(value.iter().map(ToString::to_string).collect::<Vec<_>>().join(","))
            }
            _ => quote!(value.to_string()),
        };
        match (&parameter.value, parameter.required || parameter.defaulted) {
            (Type::List { .. }, true) => quote!(Some(&self.#ident).map(|value| (#name, #text))),
            (_, true) => quote!(Some((#name, self.#ident.to_string()))),
            (_, false) => quote!(self.#ident.as_ref().map(|value| (#name, #text))),
        }
    });
    let body = if filters.is_empty() {
        quote!(Vec::new())
    } else {
        quote!([#(#values),*].into_iter().flatten().collect())
    };
    Some(quote! {
        #documentation
        #[derive(Debug, Clone, PartialEq #eq)]
        pub struct #name {
            #(#fields,)*
        }

        impl #name {
            /// The filters that are set, by name: every parameter that selects rows.
            #[must_use]
            pub fn filters(&self) -> Vec<(&'static str, String)> {
                #body
            }
        }
    })
}

/// Whether the Rust type of a parameter implements `Eq`, which numbers with a fraction do not.
fn has_eq(model: &Model, value: &Type) -> bool {
    let is_inexact =
        |name| matches!(model.schema(name).kind, Kind::Number(_) | Kind::Alternatives(_));
    !value.holds(&Type::Number) && !value.name().is_some_and(is_inexact)
}
