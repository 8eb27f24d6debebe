//! Writes a `From` for each pair of object schemas of which one is a projection of the other, so
//! that a handler converts its row once.

use proc_macro2::TokenStream;
use quote::quote;

use crate::codegen::{
    model::{Field, Kind, Model, Object, Schema},
    names::{type_name, value_name},
};

pub(super) fn generate(model: &Model) -> TokenStream {
    let objects = || {
        model.own_schemas().filter_map(|schema| match &schema.kind {
            Kind::Object(object) => Some((schema, object)),
            _ => None,
        })
    };
    let pairs = objects().flat_map(|from| objects().map(move |to| (from, to)));
    pairs.filter_map(|(from, to)| projection(from, to)).collect()
}

/// Every field of `to` is one of `from`, and they are at least half of those: a smaller share is a
/// coincidence of names.
fn projection(from: (&Schema, &Object), to: (&Schema, &Object)) -> Option<TokenStream> {
    let ((from, from_object), (to, to_object)) = (from, to);
    if from.name == to.name || to_object.fields.len() < from_object.fields.len().div_ceil(2).max(3)
    {
        return None;
    }
    let fields: Vec<TokenStream> = to_object
        .fields
        .iter()
        .map(|field| {
            let source = from_object.fields.iter().find(|known| known.name == field.name)?;
            conversion(source, field)
        })
        .collect::<Option<_>>()?;
    let (from, to) = (type_name(&from.name), type_name(&to.name));
    Some(quote! {
        impl From<#from> for #to {
            fn from(from: #from) -> Self {
                Self { #(#fields,)* }
            }
        }
    })
}

/// A field may become optional, and nothing else.
fn conversion(from: &Field, to: &Field) -> Option<TokenStream> {
    let name = value_name(&from.name);
    if from.value != to.value || from.nullable != to.nullable {
        return None;
    }
    match (from.is_always_set(), to.is_always_set()) {
        (true, false) if from.nullable => Some(quote!(#name: from.#name.into())),
        (true, false) => Some(quote!(#name: Some(from.#name))),
        (false, true) => None,
        _ => Some(quote!(#name: from.#name)),
    }
}
