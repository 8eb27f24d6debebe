//! The types of requests and responses. Objects of responses keep the members that they do not
//! know; objects of requests have builders (`bodies`).

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::{Api, bodies::Body, docs::described, field, replies::Reply, rules};
use crate::codegen::{
    format::template,
    model::{Field, Kind, Object, Schema, Type, Union},
    names::{open_variant, type_name},
};

pub(super) fn module(api: &Api<'_>) -> TokenStream {
    let is_used = |schema: &&Schema| {
        let name = schema.name.as_str();
        api.sent.contains(name) || api.received.contains(name)
    };
    let mut schemas: Vec<_> = api.model.schemas.iter().filter(is_used).collect();
    schemas.sort_by_key(|schema| &schema.name);
    let builders = schemas.iter().filter_map(|schema| Body::of(api, schema));
    let builders = builders.map(|body| body.builder());
    let types = schemas.iter().filter(|schema| !api.has_type(&schema.name));
    let (types, rules) = (types.map(|schema| definition(api, schema)), rules::module(api));
    let operations = api.operations.iter();
    let replies = operations.filter_map(|operation| Reply::of(api, operation).definition());
    quote! {
        /// Types used as operation parameters and responses.
        #[allow(clippy::all)]
        pub mod types {
            #(#types)*
            #(#replies)*

            /// Types for composing complex structures.
            pub mod builder {
                #(#builders)*
            }

            #rules
        }
    }
}

fn definition(api: &Api<'_>, schema: &Schema) -> TokenStream {
    let (name, text) = (type_name(&schema.name), described(&schema.description));
    let same = schema.same_as.as_deref().map(type_name);
    match &schema.kind {
        Kind::Integer(..) | Kind::Number(_) | Kind::Constant(_) => TokenStream::new(),
        _ if same.is_some() => quote!(#text pub type #name = #same;),
        Kind::Enum(values) => open_set(&name, &text, values),
        Kind::Text(rule) if !rule.known_values.is_empty() => {
            open_set(&name, &text, &rule.known_values)
        }
        Kind::Text(_) | Kind::Scalar(..) => quote! { openapi_client::text! { #text #name } },
        Kind::ValueMap => {
            map(&name, &text, &quote!(::serde_json::Map), &quote!(::serde_json::Value))
        }
        Kind::TextMap(_) => {
            map(&name, &text, &quote!(::std::collections::HashMap), &quote!(String))
        }
        Kind::Map(values) => {
            map(&name, &text, &quote!(::std::collections::HashMap), &api.rust_type(values))
        }
        Kind::Object(object) => self::object(api, schema, object),
        Kind::Union(union) => self::union(api, &name, &text, union),
        Kind::Alternatives(all) => {
            let variants: Vec<_> = all.variants.iter().map(|(name, _)| type_name(name)).collect();
            let values = all.variants.iter().map(|(_, value)| api.rust_type(value));
            let is_text = all.variants.iter().all(|(_, value)| api.is_one_text(value));
            let display = is_text.then(|| {
                quote! { openapi_client::alternatives_as_text! { #name { #(#variants,)* } } }
            });
            quote! {
                openapi_client::alternatives! { #text #name { #(#variants(#values),)* } }
                #display
            }
        }
    }
}

/// Objects that a member tells apart.
fn union(api: &Api<'_>, name: &Ident, text: &TokenStream, union: &Union) -> TokenStream {
    let variants = union.variants.iter().map(|(values, object)| {
        let (variant, object) = (type_name(object), api.named(object));
        quote!(#variant(#object) = #(#values)|*,)
    });
    let member = &union.member;
    quote! { openapi_client::union! { #text #name by #member { #(#variants)* } } }
}

fn open_set(name: &Ident, text: &TokenStream, values: &[String]) -> TokenStream {
    let variants = values.iter().map(|value| open_variant(value));
    quote! { openapi_client::open_set! { #text #name { #(#variants = #values,)* } } }
}

fn map(name: &Ident, text: &TokenStream, map: &TokenStream, values: &TokenStream) -> TokenStream {
    let tokens =
        [("text", text.clone()), ("name", quote!(#name)), ("map", quote!(#map<String, #values>))];
    template(include_str!("templates/map.rs.txt"), &tokens)
}

fn object(api: &Api<'_>, schema: &Schema, object: &Object) -> TokenStream {
    let (name, text) = (type_name(&schema.name), described(&schema.description));
    let is_sent = api.sent.contains(schema.name.as_str());
    let mut fields: Vec<&Field> = object.fields.iter().collect();
    fields.sort_by_key(|field| &field.name);
    let default =
        (is_sent && fields.iter().all(|field| !field.required)).then(|| quote!(, Default));
    let fields = fields.into_iter().map(|field| member(api, field, is_sent));
    let others = object.others.as_ref().map(|values| {
        let values = api.rust_type(values);
        quote! {
            /// The values beside these, by their names.
            #[serde(flatten, deserialize_with = "openapi_client::alternatives::values")]
            pub others: ::std::collections::HashMap<String, #values>,
        }
    });
    let is_open = !is_sent && others.is_none();
    let expecting = format!("an object of the type {name}");
    let expecting = is_open.then(|| quote!(#[serde(expecting = #expecting)]));
    let unknown = is_open.then(|| {
        quote! {
            /// The members that this version of the client does not know.
            #[serde(flatten)]
            pub unknown_fields: openapi_client::UnknownFields,
        }
    });
    let start = Body::of(api, schema).map(|body| body.start());
    quote! {
        #text
        #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq #default)]
        #expecting
        #[non_exhaustive]
        pub struct #name {
            #(#fields,)*
            #others
            #unknown
        }

        #start
    }
}

/// A field; of what may be absent and null, a request tells apart which it is.
fn member(api: &Api<'_>, member: &Field, is_sent: bool) -> TokenStream {
    let (ident, value) = (field(&member.name), api.rust_type(&member.value));
    let name = &member.name;
    let mut serde = Vec::new();
    if ident != name {
        serde.push(quote!(rename = #name));
    }
    let is_nullable = member.nullable && member.value != Type::Any;
    let value = match (member.required, is_nullable) {
        (true, false) => value,
        (true, true) => {
            // serde's derive takes an absent `Option` for null, unless it has a function.
            serde.push(quote!(deserialize_with = "::serde::Deserialize::deserialize"));
            quote!(Option<#value>)
        }
        (false, true) if is_sent => {
            serde.push(quote!(default, skip_serializing_if = "openapi_client::Change::is_keep"));
            quote!(openapi_client::Change<#value>)
        }
        (false, _) => {
            serde.push(quote!(skip_serializing_if = "Option::is_none"));
            quote!(Option<#value>)
        }
    };
    let serde = (!serde.is_empty()).then(|| quote!(#[serde(#(#serde),*)]));
    let text = described(&api.about(member));
    quote!(#text #serde pub #ident: #value)
}
