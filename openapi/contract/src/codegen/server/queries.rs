//! Writes the query parameters of operations as structs of `types.rs`.

use openapi_document::Location;
use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::{parameter_type, rust_type};
use crate::codegen::{
    format::docs,
    model::{Kind, Model, Operation, Parameter, Type},
    names::{parameter as parameter_name, type_name, value_name},
};

/// The query parameters of an operation as one struct.
pub(super) fn query(model: &Model, operation: &Operation) -> Option<TokenStream> {
    let parameters: Vec<_> = operation.parameters_in(Location::Query).collect();
    if parameters.is_empty() {
        return None;
    }
    let name = type_name(&format!("{}Query", operation.type_id));
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
    let defaults = parameters.iter().filter_map(|parameter| {
        let default = parameter.default.as_ref()?;
        let (function, value_type) = (default_name(parameter), rust_type(&parameter.value));
        let value = super::literal(model, &parameter.value, default);
        let documentation = docs(&format!("The default of `{}`.", parameter.name));
        Some(quote! {
            #documentation
            #[must_use]
            pub fn #function() -> #value_type {
                #value
            }
        })
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

/// The function that returns the default of a parameter.
pub(super) fn default_name(parameter: &Parameter) -> Ident {
    value_name(&format!("default-{}", parameter.name))
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
