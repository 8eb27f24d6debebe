//! Writes the objects of `types.rs`, and the defaults of their properties.

use super::{default_function, field_type, rust_type};
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
    let fields = object.fields.iter().map(|field| {
        let ident = value_name(&field.name);
        let documentation = docs(&field.description);
        let field_type = field_type(field);
        let mut serde = Vec::new();
        if !camel_case_comes_back(&field.name) {
            let name = &field.name;
            serde.push(quote!(rename = #name));
        }
        match (field.is_always_set(), field.nullable) {
            (true, _) => {}
            (false, false) => serde.push(quote!(skip_serializing_if = "Option::is_none")),
            (false, true) => {
                serde.push(quote!(skip_serializing_if = "MaybeUndefined::is_undefined"));
            }
        }
        let serde = (!serde.is_empty()).then(|| quote!(#[serde(#(#serde),*)]));
        quote!(#documentation #serde pub #ident: #field_type)
    });
    let others = object.others.as_ref().map(|values| {
        let (ident, values) = (others_name(object), rust_type(values));
        quote! {
            /// The values beside these, by their names.
            #[serde(flatten)]
            pub #ident: BTreeMap<String, #values>,
        }
    });
    let is_absent_by_default = |field: &Field| !field.is_always_set();
    let default = object.fields.iter().all(is_absent_by_default).then(|| quote!(, Default));
    quote! {
        #[derive(Debug, Clone, PartialEq, Serialize #default)]
        #[serde(rename_all = "camelCase")]
        pub struct #name {
            #(#fields,)*
            #others
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
