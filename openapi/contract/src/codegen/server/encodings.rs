//! Writes how `decode.rs` reads bodies, and objects in a query.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

use super::decode::{optional, schema};
use crate::codegen::model::{
    BodyFormat, Encoding, Format, Kind, Model, Object, Operation, Parameter, Part, Type,
};

/// The names in a query that belong to a parameter.
pub(super) fn known_names(model: &Model, parameter: &Parameter) -> Vec<String> {
    let name = parameter.name.clone();
    match parameter.encoding {
        Some(Encoding::Brackets) => vec![format!("{name}[]"), name],
        Some(Encoding::Exploded) => properties(model, &parameter.value),
        _ => vec![name],
    }
}

fn properties(model: &Model, value: &Type) -> Vec<String> {
    match value.name().map(|name| &model.schema(name).kind) {
        Some(Kind::Object(object)) => {
            let fields = object.fields.iter().map(|field| &field.name);
            fields.chain(&object.ignored).cloned().collect()
        }
        _ => Vec::new(),
    }
}

pub(super) fn encoding_of(model: &Model, parameter: &Parameter, encoding: Encoding) -> TokenStream {
    if encoding == Encoding::Exploded {
        let properties = properties(model, &parameter.value);
        return quote!(openapi_runtime::reading::Encoding::Exploded(&[#(#properties),*]));
    }
    encoding_name(encoding)
}

fn encoding_name(encoding: Encoding) -> TokenStream {
    let encoding = match encoding {
        Encoding::Brackets => quote!(Brackets),
        Encoding::Json => quote!(Json),
        Encoding::Separated(separator) => quote!(Separated(#separator)),
        Encoding::Exploded => quote!(Exploded(&[])),
    };
    quote!(openapi_runtime::reading::Encoding::#encoding)
}

/// Reads the body in one of its formats.
pub(super) fn read_body(model: &Model, operation: &Operation, body: &Type) -> TokenStream {
    let body = schema(body);
    let prefix = if operation.body_required { "" } else { "optional_" };
    let method = |name: &str| format_ident!("{prefix}{name}");
    let formats = operation.body_formats.as_slice();
    let media_types = formats.iter().map(|format| &format.media_type);
    let read = match formats {
        [BodyFormat { format: Format::Text, .. }, ..] => {
            let method = method("text_body");
            quote!(#method(&[#(#media_types),*]))
        }
        [BodyFormat { format: Format::Bytes, .. }, ..] => {
            let method = method("bytes_body");
            quote!(#method(&[#(#media_types),*]))
        }
        [BodyFormat { format: Format::Json, media_type, .. }] if media_type == JSON => {
            let method = method("body");
            quote!(#method::<#body>())
        }
        formats => {
            let limit = model.config.server.as_ref().and_then(|server| server.part_limit);
            let formats = formats.iter().map(|format| body_format(format, limit));
            let method = method("body_in");
            quote!(#method::<#body>(&[#(#formats),*]))
        }
    };
    let is_empty = !operation.body_required && operation.has_raw_body();
    let or_empty = is_empty.then(|| quote!(.map(Option::unwrap_or_default)));
    quote!(let body = reader.#read #or_empty;)
}

const JSON: &str = "application/json";

fn body_format(format: &BodyFormat, part_limit: Option<u64>) -> TokenStream {
    let media_type = &format.media_type;
    let format = match format.format {
        Format::Form => {
            let encodings = format.encodings.iter().map(|(name, encoding)| {
                let encoding = encoding_name(*encoding);
                quote!((#name, #encoding))
            });
            quote!(Form(&[#(#encodings),*]))
        }
        Format::Multipart => {
            let parts = format.parts.iter().map(|(name, part)| {
                let part = body_part(part);
                quote!((#name, openapi_runtime::reading::Part::#part))
            });
            let limit = optional(part_limit.map(Literal::u64_unsuffixed));
            quote!(Multipart(&[#(#parts),*], #limit))
        }
        _ => quote!(Json(#media_type)),
    };
    quote!(openapi_runtime::reading::BodyFormat::#format)
}

fn body_part(part: &Part) -> TokenStream {
    match part {
        Part::Text => quote!(Text),
        Part::Json => quote!(Json),
        Part::JsonList => quote!(JsonList),
        Part::File { media_types, min_bytes, max_bytes } => {
            let min_bytes = Literal::u64_unsuffixed(*min_bytes);
            let max_bytes = optional(max_bytes.map(Literal::u64_unsuffixed));
            quote!(File {
                media_types: &[#(#media_types),*],
                min_bytes: #min_bytes,
                max_bytes: #max_bytes,
            })
        }
    }
}

/// How an object of a form or a query gets the types of JSON.
pub(super) fn of_text(object: &Object) -> TokenStream {
    let fields = object.fields.iter().map(|field| {
        let (name, value) = (&field.name, schema(&field.value));
        quote!((#name, <#value as FromJson>::of_text))
    });
    let others = object.others.as_ref().map_or_else(
        || quote!(None),
        |values| {
            let values = schema(values);
            quote!(Some(<#values as FromJson>::of_text))
        },
    );
    quote! {
        fn of_text(value: Value) -> Value {
            openapi_runtime::reading::object_of_text(value, &[#(#fields),*], #others)
        }
    }
}
