//! Writes the error codes of `types.rs`, and how a problem becomes the document's error.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use crate::codegen::{
    config::{OUTSIDE, ROLES},
    format::{docs, template},
    model::{Field, Kind, Model, Object, Type},
    names::{constant_name, status_name, type_name, value_name},
};

pub(super) fn error_codes(model: &Model) -> TokenStream {
    let codes: Vec<&String> = model.error_codes.iter().map(|code| &code.code).collect();
    let variants: Vec<_> = codes.iter().map(|code| type_name(code)).collect();
    let documentation = model
        .error_codes
        .iter()
        .map(|code| docs(&format!("`{}`, status {}.", code.code, code.status)));
    let statuses =
        model.error_codes.iter().map(|code| constant_name(&status_name(code.status).to_string()));
    let roles = roles(model);
    let (name, body) = (type_name(&model.config.error.schema), body(model));
    let tokens = [
        ("documented", quote!(#(#documentation #variants,)*)),
        ("all", quote!(#(Self::#variants),*)),
        ("codes", quote!(#(Self::#variants => #codes,)*)),
        ("statuses", quote!(#(Self::#variants => StatusCode::#statuses,)*)),
        ("error", quote!(#name)),
        ("roles", roles),
        ("body", body),
    ];
    template(include_str!("templates/codes.rs.txt"), &tokens)
}

/// The codes that the runtime itself answers with.
fn roles(model: &Model) -> TokenStream {
    let documented = |role: &&str| model.error_codes.iter().any(|known| known.code == **role);
    let names = |code: &str| (constant_name(code), type_name(code));
    let roles = ROLES.map(|(code, _)| code).into_iter().filter(documented).map(|code| {
        let (role, code) = names(code);
        quote!(const #role: Self = Self::#code;)
    });
    let outside = OUTSIDE.into_iter().filter(documented).map(|code| {
        let (role, code) = names(code);
        quote!(const #role: Option<Self> = Some(Self::#code);)
    });
    let details = &model.config.error.details;
    let details = (details != "details").then(|| quote!(const DETAILS: &'static str = #details;));
    quote!(#(#roles)* #details #(#outside)*)
}

/// The error object with the members that a problem fills; `read` has checked that there are no
/// other required ones.
fn body(model: &Model) -> TokenStream {
    let error = &model.config.error;
    let Kind::Object(object) = &model.schema(&error.schema).kind else {
        unreachable!("`read` checked that it is an object");
    };
    let name = type_name(&error.schema);
    match object.wrapped(&model.schemas) {
        None => {
            let (dropped, filled) = filled(model, &name, object);
            quote!(#dropped #filled)
        }
        Some((field, inner, object)) => {
            let ident = value_name(&field.name);
            let (dropped, inner) = filled(model, &type_name(inner), object);
            let inner = match &field.value {
                Type::List { .. } => quote!(Vec::from([#inner])),
                _ => inner,
            };
            let inner = if field.is_always_set() { inner } else { quote!(Some(#inner)) };
            quote!(#dropped #name { #ident: #inner })
        }
    }
}

fn filled(model: &Model, name: &Ident, object: &Object) -> (Option<TokenStream>, TokenStream) {
    let error = &model.config.error;
    let fields = object.fields.iter().map(|field| {
        let ident = value_name(&field.name);
        let value = if field.name == error.code {
            code(model, field)
        } else if field.name == error.message {
            set(field, &quote!(message))
        } else if field.name == error.details {
            quote!(details)
        } else if field.name == "status" && is_whole_number(field) {
            status(field)
        } else {
            quote!(Default::default())
        };
        // A field with the name of its value needs no other.
        if value.to_string() == field.name { value } else { quote!(#ident: #value) }
    });
    // Where the error has no member for them, the message says what they say.
    let has_details = object.fields.iter().any(|field| field.name == error.details);
    let dropped = (!has_details)
        .then(|| quote!(let message = openapi_runtime::message_with(message, details);));
    (dropped, quote!(#name { #(#fields),* }))
}

/// The code, or the status where the member is a number; a member with values of its own has none.
fn code(model: &Model, field: &Field) -> TokenStream {
    let is_text = match &field.value {
        Type::Named(name) => matches!(model.schema(name).kind, Kind::Text(_)),
        value => *value == Type::String,
    };
    match &field.value {
        _ if field.nullable => quote!(Default::default()),
        _ if is_text => set(field, &quote!(self.as_str().to_owned())),
        _ if is_whole_number(field) => status(field),
        _ => quote!(Default::default()),
    }
}

fn is_whole_number(field: &Field) -> bool {
    matches!(field.value, Type::Integer32 | Type::Integer64) && !field.nullable
}

fn status(field: &Field) -> TokenStream {
    let status = quote!(self.status().as_u16().into());
    if field.is_always_set() { status } else { quote!(Some(#status)) }
}

fn set(field: &Field, text: &TokenStream) -> TokenStream {
    let value = match &field.value {
        Type::Named(name) => {
            let name = type_name(name);
            quote!(#name::new(#text))
        }
        _ => text.clone(),
    };
    if field.is_always_set() { value } else { quote!(Some(#value)) }
}
