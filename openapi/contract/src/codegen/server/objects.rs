//! Writes the objects of `types.rs`, and the defaults of their properties.

use super::{default_function, default_name, field_type, rust_type};
use crate::codegen::{
    format::docs,
    model::{Field, Model, Object, Schema},
    names::{type_name, value_name},
};
use proc_macro2::{Ident, TokenStream};
use quote::quote;

pub(super) fn object_type(model: &Model, schema: &Schema, object: &Object) -> TokenStream {
    let name = type_name(&schema.name);
    let defaults = defaults(model, &name, object);
    // The framework's own macro does not know values beside the fields.
    let is_of_framework = object.others.is_none();
    let fields = object.fields.iter().map(|field| {
        let ident = value_name(&field.name);
        let documentation = docs(&field.description);
        let field_type = field_type(field);
        let (mut oai, mut serde) = (Vec::new(), Vec::new());
        if !is_of_framework || !camel_case_comes_back(&field.name) {
            let name = &field.name;
            oai.push(quote!(rename = #name));
            serde.push(quote!(rename = #name));
        }
        if field.default.is_some() {
            let function = format!("Self::{}", default_name(&field.name));
            oai.push(quote!(default = #function));
        }
        match (field.is_always_set(), field.nullable) {
            (true, _) => {}
            (false, false) => {
                oai.push(quote!(skip_serializing_if_is_none));
                serde.push(quote!(skip_serializing_if = "Option::is_none"));
            }
            (false, true) => {
                serde.push(quote!(skip_serializing_if = "MaybeUndefined::is_undefined"));
            }
        }
        let oai = (is_of_framework && !oai.is_empty()).then(|| quote!(#[oai(#(#oai),*)]));
        let serde = (!serde.is_empty()).then(|| quote!(#[serde(#(#serde),*)]));
        quote!(#documentation #oai #serde pub #ident: #field_type)
    });
    if let Some(others) = &object.others {
        let (ident, others) = (others_name(object), rust_type(others));
        return quote! {
            #[derive(Debug, Clone, PartialEq, Serialize)]
            pub struct #name {
                #(#fields,)*
                /// The values beside these, by their names.
                #[serde(flatten)]
                pub #ident: std::collections::BTreeMap<String, #others>,
            }
            framework!(#name);
            #defaults
        };
    }
    let closed = object.closed.then(|| quote!(, deny_unknown_fields));
    let is_absent_by_default = |field: &Field| !field.is_always_set();
    let default = object.fields.iter().all(is_absent_by_default).then(|| quote!(, Default));
    quote! {
        #[derive(Debug, Clone, PartialEq, Object, Serialize #default)]
        #[oai(rename_all = "camelCase" #closed)]
        #[serde(rename_all = "camelCase")]
        pub struct #name {
            #(#fields,)*
        }
        #defaults
    }
}

/// The field with the values beside the fields.
pub(super) fn others_name(object: &Object) -> Ident {
    let mut name = "others".to_owned();
    while object.fields.iter().any(|field| value_name(&field.name) == name) {
        name.push('_');
    }
    value_name(&name)
}

/// The defaults as functions, one for each property that has one.
fn defaults(model: &Model, name: &Ident, object: &Object) -> Option<TokenStream> {
    let functions = object.fields.iter().filter_map(|Field { name, value, default, .. }| {
        default_function(model, name, value, default.as_ref(), &quote!(pub(super)))
    });
    let functions: Vec<_> = functions.collect();
    (!functions.is_empty()).then(|| quote!(impl #name { #(#functions)* }))
}

/// Returns true if `rename_all` turns the field's name in Rust back into the document's.
fn camel_case_comes_back(name: &str) -> bool {
    let mut previous_is_upper = true;
    name.chars().enumerate().all(|(index, letter)| {
        let is_upper = letter.is_ascii_uppercase();
        let fits =
            if index == 0 { letter.is_ascii_lowercase() } else { letter.is_ascii_alphabetic() };
        let doubled = is_upper && previous_is_upper;
        previous_is_upper = is_upper;
        fits && !doubled
    })
}
