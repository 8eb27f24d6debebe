//! Writes the query parameters of operations as structs of `types.rs`.

use openapi_document::Location;
use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::{default_function, parameter_type};
use crate::codegen::{
    format::docs,
    model::{Kind, Model, Operation, Parameter, Type},
    names::{parameter as parameter_name, type_of},
};

/// The name of the struct.
pub(super) fn query_name(operation: &Operation) -> Ident {
    type_of(&operation.id, "query")
}

pub(super) fn query(model: &Model, operation: &Operation) -> Option<TokenStream> {
    let parameters: Vec<_> = operation.parameters_in(Location::Query).collect();
    if parameters.is_empty() {
        return None;
    }
    let name = query_name(operation);
    let documentation = docs(&format!("The query parameters of `{}`.", operation.id));
    let fields = parameters.iter().map(|parameter| {
        let ident = parameter_name(&parameter.name);
        let documentation = docs(&parameter.description);
        let parameter_type = parameter_type(parameter);
        quote!(#documentation pub #ident: #parameter_type)
    });
    let eq =
        parameters.iter().all(|parameter| has_eq(model, &parameter.value)).then(|| quote!(, Eq));
    let filters = super::filters(model, operation);
    let defaults = parameters.iter().filter_map(|Parameter { name, value, default, .. }| {
        default_function(model, name, value, default.as_ref(), &quote!(#[must_use] pub))
    });
    let values = filters.iter().map(|parameter| {
        let (ident, name) = (parameter_name(&parameter.name), &parameter.name);
        let text = match parameter.value {
            _ if parameter.encoding.is_some() => {
                quote!(serde_json::to_string(value).unwrap_or_default())
            }
            Type::List { .. } => {
                quote!(value.iter().map(ToString::to_string).collect::<Vec<_>>().join(","))
            }
            _ => quote!(value.to_string()),
        };
        let is_whole = matches!(parameter.value, Type::List { .. }) || parameter.encoding.is_some();
        match (is_whole, parameter.is_always_set()) {
            (true, true) => quote!(Some(&self.#ident).map(|value| (#name, #text))),
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
            #(#defaults)*

            /// The filters that are set, by name: every parameter that selects rows.
            #[must_use]
            pub fn filters(&self) -> Vec<(&'static str, String)> {
                #body
            }
        }
    })
}

/// Returns true if the Rust type of a parameter implements `Eq`; numbers with a fraction do not.
fn has_eq(model: &Model, value: &Type) -> bool {
    let is_inexact = |name| {
        let kind = &model.schema(name).kind;
        matches!(kind, Kind::Number(_) | Kind::Alternatives(_))
            || kind.is_structured(&model.schemas)
    };
    !value.holds(&Type::Number) && !value.name().is_some_and(is_inexact)
}
