//! Writes `types.rs`: schemas, queries and error codes. The macros of the runtime give the types
//! their behaviour.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::{alternatives, codes, decode, objects, projections, queries, rust_type, successes};
use crate::codegen::{
    format::docs,
    model::{Integer, Kind, Model, Number, Schema, Text, TextMap, Union},
    names::type_name,
};

pub(super) const DOCS: &str = "The schemas of the document as types, and its error codes.";

pub(super) fn generate(model: &Model) -> TokenStream {
    let imports = imports(model);
    let schemas = model.schemas.iter().map(|item| schema(model, item));
    let media_types = model.media_types.iter().map(|(name, media_type)| {
        let name = type_name(name);
        let documentation = docs(&format!("`{media_type}`"));
        quote! {
            #documentation
            #[derive(Debug, Clone, Copy, PartialEq, Eq)]
            pub struct #name;
            openapi_runtime::media_type!(#name, #media_type);
        }
    });
    let queries = model.operations.iter().filter_map(|operation| queries::query(model, operation));
    let successes = model.operations.iter().filter_map(successes::success_enum);
    let projections = projections::generate(model);
    let error_codes = codes::error_codes(model);
    quote! {
        #imports
        #(#schemas)*
        #(#media_types)*
        #(#queries)*
        #(#successes)*
        #projections
        #error_codes
    }
}

/// Imports whatever a document can need, and the scalars that this one has.
fn imports(model: &Model) -> TokenStream {
    let scalars = model.schemas.iter().filter_map(|schema| match schema.kind {
        Kind::Scalar(scalar, _) => {
            let (known, own) = (format_ident!("{scalar:?}"), type_name(&schema.name));
            Some(if known == own { quote!(#known) } else { quote!(#known as #own) })
        }
        _ => None,
    });
    let enums = model.schemas.iter().filter_map(|schema| match schema.kind {
        Kind::Enum(_) => Some(type_name(&schema.name)),
        _ => None,
    });
    let scope = (!model.scopes.is_empty()).then(|| quote!(Scope,));
    quote! {
        use std::collections::BTreeMap;
        use poem::http::StatusCode;
        use poem_openapi::{Object, types::MaybeUndefined};
        use serde::Serialize;
        use serde_json::{Map, Value};
        use openapi_runtime::{
            Nullable, alternatives, alternatives_in_text, constant, enum_schema, framework, integer,
            named_map, number, reading::{List, Text, TextMap}, text, union,
        };
        pub use openapi_runtime::{#(#scalars),*};
        pub use super::value_sets::{#scope #(#enums),*};
    }
}

fn schema(model: &Model, schema: &Schema) -> TokenStream {
    let name = type_name(&schema.name);
    let documentation = docs(&schema.description);
    let item = match &schema.kind {
        Kind::Scalar(..) => return TokenStream::new(),
        Kind::Text(text) => return text_type(schema, text),
        Kind::Integer(integer) => integer_type(schema, integer),
        Kind::Number(number) => number_type(schema, number),
        Kind::Enum(_) => return quote!(enum_schema!(#name);),
        Kind::Constant(value) => quote! {
            #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
            pub struct #name;
            constant!(#name, #value);
        },
        Kind::Object(object) => objects::object_type(model, schema, object),
        Kind::TextMap(map) => text_map_type(schema, map),
        Kind::Map(values) => {
            let (values, read) = (rust_type(values), decode::schema(values));
            quote! {
                #[derive(Debug, Clone, PartialEq, Default, Serialize)]
                pub struct #name(pub BTreeMap<String, #values>);
                named_map!(#name, #read);
            }
        }
        Kind::Union(union) => union_type(&name, union),
        Kind::Alternatives(all) => alternatives::alternatives_type(model, &name, all),
        Kind::ValueMap => quote! {
            #[derive(Debug, Clone, PartialEq, Default, Serialize)]
            pub struct #name(pub Map<String, Value>);
            named_map!(#name, Value);
        },
    };
    quote!(#documentation #item)
}

/// An enum of objects; each has the member that tells them apart.
fn union_type(name: &Ident, Union { member, variants }: &Union) -> TokenStream {
    let objects: Vec<_> = variants.iter().map(|(_, object)| type_name(object)).collect();
    let values: Vec<_> = variants.iter().map(|(value, _)| value).collect();
    let documentation = values.iter().map(|value| docs(&format!("`{member}` is `{value}`.")));
    quote! {
        #[derive(Debug, Clone, PartialEq, Serialize)]
        #[serde(untagged)]
        #[allow(clippy::large_enum_variant, reason = "the document's schemas")]
        pub enum #name {
            #(#documentation #objects(#objects),)*
        }
        union!(#name, #member, #(#objects = #values),*);
    }
}

fn text_type(schema: &Schema, text: &Text) -> TokenStream {
    let name = type_name(&schema.name);
    let documentation = docs(&schema.description);
    let lengths = lengths(text);
    let message = text.pattern_message.as_ref().map(|message| quote!(, #message));
    let pattern = text.pattern.as_ref().map(|pattern| quote!(, #pattern #message));
    quote! {
        #documentation
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct #name(String);
        text!(#name, #lengths #pattern);
    }
}

/// The rule of a text without its pattern.
fn lengths(text: &Text) -> TokenStream {
    let at_least = (text.min_length > 0).then(|| {
        let length = Literal::u64_unsuffixed(text.min_length);
        quote!(.at_least(#length))
    });
    let at_most = text.max_length.map(|length| {
        let length = Literal::u64_unsuffixed(length);
        quote!(.at_most(#length))
    });
    quote!(Text::ANY #at_least #at_most)
}

fn text_map_type(schema: &Schema, map: &TextMap) -> TokenStream {
    let name = type_name(&schema.name);
    let TextMap { max_names, names, values } = map;
    let at_most = max_names.map(|count| {
        let count = Literal::u64_unsuffixed(count);
        quote!(.at_most(#count))
    });
    let part = |method: Ident, rule: &Text| {
        let lengths = lengths(rule);
        (*rule != Text::default()).then(|| quote!(.#method(#lengths)))
    };
    let (names, values) =
        (part(format_ident!("names"), names), part(format_ident!("values"), values));
    let rule = (*map != TextMap::default()).then(|| quote!(, TextMap::ANY #at_most #names #values));
    quote! {
        #[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
        pub struct #name(pub BTreeMap<String, String>);
        named_map!(#name, String #rule);
    }
}

fn integer_type(schema: &Schema, integer: &Integer) -> TokenStream {
    let name = type_name(&schema.name);
    let minimum = Literal::i64_unsuffixed(integer.minimum);
    let maximum = Literal::i64_unsuffixed(integer.maximum);
    let default = integer.default.map(|value| {
        let value = Literal::i64_unsuffixed(value);
        quote!(, #value)
    });
    let step = integer.multiple_of.map(|step| {
        let step = Literal::i64_unsuffixed(step);
        quote!(multiple_of(#step))
    });
    let values = (!integer.values.is_empty()).then(|| {
        let values = integer.values.iter().map(|value| Literal::i64_unsuffixed(*value));
        quote!(one_of(&[#(#values),*]))
    });
    let rules: Vec<_> = step.into_iter().chain(values).collect();
    let rules = (!rules.is_empty()).then(|| quote!(; #(#rules),*));
    quote! {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct #name(i64);
        integer!(#name, #minimum, #maximum #default #rules);
    }
}

#[expect(clippy::disallowed_types, reason = "a number of a document, no money")]
fn number_type(schema: &Schema, number: &Number) -> TokenStream {
    let name = type_name(&schema.name);
    let bound = |method: &str, bound: Option<f64>| {
        let method = format_ident!("{method}");
        bound.map(Literal::f64_unsuffixed).map(|bound| quote!(.#method(#bound)))
    };
    let least =
        bound(if number.excludes_minimum { "more_than" } else { "at_least" }, number.minimum);
    let most = bound(if number.excludes_maximum { "less_than" } else { "at_most" }, number.maximum);
    let step = bound("multiple_of", number.multiple_of);
    let values = (!number.values.is_empty()).then(|| {
        let values = number.values.iter().map(|value| Literal::f64_unsuffixed(*value));
        quote!(.one_of(&[#(#values),*]))
    });
    quote! {
        #[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
        pub struct #name(f64);
        number!(#name, openapi_runtime::reading::Number::ANY #least #most #step #values);
    }
}
