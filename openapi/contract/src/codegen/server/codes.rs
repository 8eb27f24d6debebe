//! Writes the error codes of `types.rs`, and how a problem becomes the document's error.

use proc_macro2::{Literal, TokenStream};
use quote::quote;
use serde_json::Value;

use super::{literal, objects::others_name, rust_type};
use crate::codegen::{
    config::{OUTSIDE, ROLES},
    format::{docs, template},
    model::{ErrorCode, ErrorForm, Field, Fill, Member, Model, Object, Type, object},
    names::{constant_name, status_name, type_name, value_name},
    read::{is_whole_number, max_length},
};

const JSON: &str = "application/json";

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
    let (name, body) = (type_name(&model.config.error.schema), body(model, &model.error_forms[0]));
    let other_forms = other_forms(model);
    let tokens = [
        ("documented", quote!(#(#documentation #variants,)*)),
        ("all", quote!(#(Self::#variants),*)),
        ("codes", quote!(#(Self::#variants => #codes,)*)),
        ("statuses", quote!(#(Self::#variants => StatusCode::#statuses,)*)),
        ("error", quote!(#name)),
        ("roles", roles),
        ("body", body),
        ("other_forms", quote!(#other_forms)),
    ];
    template(include_str!("templates/codes.rs.txt"), &tokens)
}

/// The codes that the runtime itself responds with.
fn roles(model: &Model) -> TokenStream {
    let code = |role: &str, status| {
        let of_status = |code: &&ErrorCode| status == Some(code.status);
        let known = || model.error_codes.iter();
        known().find(|code| code.code == role).or_else(|| known().find(of_status))
    };
    let roles = ROLES.into_iter().map(|(role, _)| (role, None));
    let roles = roles.chain(OUTSIDE.map(|(role, status)| (role, Some(status))));
    let roles = roles.filter_map(|(role, status)| {
        let (role, code) = (constant_name(role), type_name(&code(role, status)?.code));
        Some(quote!(const #role: Self = Self::#code;))
    });
    let details = &model.config.error.details;
    let details = (details != "details").then(|| quote!(const DETAILS: &'static str = #details;));
    let media_type = match &model.error_forms[0] {
        ErrorForm::Json { media_type, .. } if media_type != JSON => {
            Some(quote!(const MEDIA_TYPE: &'static str = #media_type;))
        }
        _ => None,
    };
    quote!(#media_type #details #(#roles)*)
}

/// The function that writes the forms after the usual one.
fn other_forms(model: &Model) -> Option<TokenStream> {
    let forms = model.error_forms.iter().enumerate().skip(1);
    let arms = forms.map(|(index, form)| {
        let index = Literal::usize_unsuffixed(index);
        let response = match form {
            ErrorForm::Json { media_type, .. } => {
                let body = body(model, form);
                quote!(openapi_runtime::json_response(self.status(), #media_type, &{ #body }))
            }
            ErrorForm::Text(media_type) => quote! {
                let message = openapi_runtime::message_with(message, details);
                openapi_runtime::text_response(self.status(), #media_type, message)
            },
            ErrorForm::Empty => quote!(poem::IntoResponse::into_response(self.status())),
        };
        quote!(#index => { #response })
    });
    let arms: Vec<_> = arms.collect();
    (!arms.is_empty()).then(|| {
        quote! {
            fn response(
                self, form: usize, message: String, details: Option<Value>
            ) -> poem::Response {
                match form {
                    #(#arms)*
                    _ => openapi_runtime::json_response(
                        self.status(), Self::MEDIA_TYPE, &self.error(message, details)
                    ),
                }
            }
        }
    })
}

/// The error with the members that `read` has found for it.
fn body(model: &Model, form: &ErrorForm) -> TokenStream {
    let ErrorForm::Json { schema, fill, .. } = form else { return TokenStream::new() };
    let name = type_name(schema);
    let Fill::Members { object: filled, members } = fill else {
        return quote!(openapi_runtime::FillError::<#name>::fill(self, message, details));
    };
    let object = |name: &str| object(&model.schemas, name).expect("`read` found an object");
    let (dropped, inner) = object_of(model, filled, object(filled), members);
    if filled == schema {
        return quote!(#dropped #inner);
    }
    let wrapped = object(schema).wrapped(&model.schemas);
    let (field, ..) = wrapped.expect("`read` found the object inside of it");
    let ident = value_name(&field.name);
    let inner = match &field.value {
        Type::List { .. } => quote!(Vec::from([#inner])),
        _ => inner,
    };
    let inner = if field.is_always_set() { inner } else { quote!(Some(#inner)) };
    quote!(#dropped #name { #ident: #inner })
}

fn object_of(
    model: &Model,
    name: &str,
    object: &Object,
    members: &[Member],
) -> (Option<TokenStream>, TokenStream) {
    let fields = object.fields.iter().zip(members).map(|(field, member)| {
        let (ident, value) = (value_name(&field.name), value(model, field, member));
        // A field with the name of its value needs no other.
        if value.to_string() == field.name { value } else { quote!(#ident: #value) }
    });
    let others = object.others.as_ref().map(|_| {
        let ident = others_name(object);
        quote!(#ident: BTreeMap::new(),)
    });
    // Where the error has no member for them, the message says what they say.
    let dropped = (!members.contains(&Member::Details))
        .then(|| quote!(let message = openapi_runtime::message_with(message, details);));
    let name = type_name(name);
    (dropped, quote!(#name { #(#fields,)* #others }))
}

fn value(model: &Model, field: &Field, member: &Member) -> TokenStream {
    let is_named = matches!(field.value, Type::Named(_));
    let is_number = is_whole_number(&field.value, &model.schemas);
    let value = match member {
        Member::Absent if field.is_always_set() => return quote!(Nullable::Null),
        Member::Absent => return quote!(Default::default()),
        Member::Details => {
            let name = rust_type(&field.value);
            let map = quote!(details.and_then(|it| it.as_object().cloned()).map(#name));
            let details = if is_named { map } else { quote!(details) };
            return match (field.is_always_set(), field.nullable) {
                (true, false) => quote!(#details.unwrap_or_default()),
                (true, true) => quote!(Nullable::from(#details)),
                (false, false) => details,
                (false, true) => {
                    quote!(#details.map_or(MaybeUndefined::Undefined, MaybeUndefined::Value))
                }
            };
        }
        Member::Constant(Value::Null) => return quote!(Nullable::Null),
        Member::Constant(Value::Array(_)) => return present(field, quote!(Vec::new())),
        Member::Constant(constant) => {
            return present(field, literal(model, &field.value, constant));
        }
        Member::Code | Member::Status if is_number => quote!(self.status().as_u16().into()),
        Member::Code => quote!(self.as_str().to_owned()),
        Member::Status => quote!(self.status().as_str().to_owned()),
        Member::Message | Member::Reason => {
            let text = match member {
                Member::Message => quote!(message),
                _ => quote!(self.status().canonical_reason().unwrap_or_default().to_owned()),
            };
            match max_length(&field.value, &model.schemas).map(Literal::u64_unsuffixed) {
                Some(most) => quote!(openapi_runtime::shortened(#text, #most)),
                None => text,
            }
        }
    };
    let name = rust_type(&field.value);
    present(field, if is_named { quote!(#name::new(#value)) } else { value })
}

/// A value of a field, which may be absent or null.
fn present(field: &Field, value: TokenStream) -> TokenStream {
    match (field.is_always_set(), field.nullable) {
        (true, false) => value,
        (true, true) => quote!(Nullable::Value(#value)),
        (false, false) => quote!(Some(#value)),
        (false, true) => quote!(MaybeUndefined::Value(#value)),
    }
}
