//! Writes `value_sets.rs`: an enum for each value set of the document, and for the scopes.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use crate::codegen::{
    format::doc_lines,
    model::{Kind, Model, Schema},
    names::type_name,
};

pub(super) const DOCS: &str = "The value sets of the document and its scopes, as enums.\n\n\
    Responses may gain values of an open set, so `types` has those as texts; the enums here are \
    for what the server itself writes.";

pub(super) fn generate(model: &Model) -> TokenStream {
    let has_set = tables(model).lines().next().is_some();
    let import = has_set.then(|| {
        quote!(
            use openapi_runtime::value_set;
        )
    });
    let transitions = model.own_schemas().filter(|schema| !schema.transitions.is_empty());
    let transitions = transitions.map(successors);
    quote! {
        #import
        #(#transitions)*
    }
}

fn successors(schema: &Schema) -> TokenStream {
    let name = type_name(&schema.name);
    let rows = schema.transitions.iter().map(|(value, next)| {
        let (value, next) = (type_name(value), next.iter().map(|value| type_name(value)));
        quote!(Self::#value => &[#(Self::#next),*],)
    });
    quote! {
        impl #name {
            /// Returns the values that may follow this one, in the document's order.
            #[must_use]
            pub const fn successors(self) -> &'static [Self] {
                match self {
                    #(#rows)*
                }
            }
        }
    }
}

/// The sets, in the syntax of the macro `value_set!`.
pub(super) fn tables(model: &Model) -> String {
    let sets = model.own_schemas().filter_map(|schema| {
        let values = match &schema.kind {
            Kind::Enum(values) => values,
            Kind::Text(text) if !text.known_values.is_empty() => &text.known_values,
            _ => return None,
        };
        Some(table(&schema.name, &schema.description, values))
    });
    let has_scopes = !model.scopes.is_empty();
    let scopes = has_scopes.then(|| table("Scope", "What a key may do.", &model.scopes));
    scopes.into_iter().chain(sets).collect()
}

fn table(name: &str, description: &str, values: &[String]) -> String {
    let name = type_name(name);
    let documentation: String =
        doc_lines(description).iter().map(|line| format!("    ///{line}\n")).collect();
    let values: String = values
        .iter()
        .map(|value| format!("        {} = {},\n", type_name(value), Literal::string(value)))
        .collect();
    format!("\nvalue_set! {{\n{documentation}    {name} {{\n{values}    }}\n}}\n")
}
