//! Writes `types.rs`: schemas, queries and error codes. The macros of the runtime give the types
//! their behaviour.

use openapi_document::Location;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::{alternatives, codes, decode, objects, projections, queries, rust_type, successes};
use crate::codegen::{
    format::docs,
    model::{Integer, Kind, Model, Number, Operation, Schema, Text, TextMap, Type, Union},
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

/// Imports only what the document needs: an unused import is a warning.
fn imports(model: &Model) -> TokenStream {
    let kinds = || model.schemas.iter().map(|schema| &schema.kind);
    let fields = || {
        kinds()
            .filter_map(|kind| match kind {
                Kind::Object(object) => Some(&object.fields),
                _ => None,
            })
            .flatten()
    };
    let is = |kind: fn(&Kind) -> bool| kinds().any(kind);
    let (has_text, has_map) =
        (is(|kind| matches!(kind, Kind::Text(_))), is(|kind| matches!(kind, Kind::TextMap(_))));
    let has_value_map = is(|kind| matches!(kind, Kind::ValueMap));
    let has_tree_map = has_map || is(|kind| matches!(kind, Kind::Map(_)));
    let has_nullable = fields().any(|field| field.required && field.nullable);
    let has_maybe = fields().any(|field| !field.required && field.nullable);
    let used = [
        (is(|kind| matches!(kind, Kind::Alternatives(_))), quote!(alternatives)),
        (alternatives::any_in_text(model), quote!(alternatives_in_text)),
        (is(|kind| matches!(kind, Kind::Constant(_))), quote!(constant)),
        (is(|kind| matches!(kind, Kind::Enum(_))), quote!(enum_schema)),
        (is(has_others), quote!(framework)),
        (is(|kind| matches!(kind, Kind::Integer(_))), quote!(integer)),
        (has_value_map || has_tree_map, quote!(named_map)),
        (is(|kind| matches!(kind, Kind::Number(_))), quote!(number)),
        (has_text, quote!(text)),
        (is(|kind| matches!(kind, Kind::Union(_))), quote!(union)),
        (has_nullable, quote!(Nullable)),
    ];
    let used = used.into_iter().filter_map(|(is_used, name)| is_used.then_some(name));
    let (rules, scalars) = (rules(model), scalars(model));
    let map = has_tree_map.then(|| {
        quote!(
            use std::collections::BTreeMap;
        )
    });
    let map_of_values = has_value_map.then(|| quote!(Map,));
    let value = quote!(
        use serde_json::{#map_of_values Value};
    );
    let maybe = has_maybe.then(|| {
        quote!(
            use poem_openapi::types::MaybeUndefined;
        )
    });
    let enums = model.schemas.iter().filter_map(|schema| match schema.kind {
        Kind::Enum(_) => Some(type_name(&schema.name)),
        _ => None,
    });
    let scope = (!model.scopes.is_empty()).then(|| quote!(Scope,));
    quote! {
        #map
        use poem::http::StatusCode;
        use poem_openapi::Object;
        use serde::Serialize;
        #maybe
        #value
        #rules
        use openapi_runtime::{#(#used),*};
        #scalars
        pub use super::value_sets::{#scope #(#enums),*};
    }
}

fn has_others(kind: &Kind) -> bool {
    matches!(kind, Kind::Object(object) if object.others.is_some())
}

/// The rules of texts and of maps of texts that the document uses.
fn rules(model: &Model) -> Option<TokenStream> {
    let is = |kind: fn(&Kind) -> bool| model.schemas.iter().any(|schema| kind(&schema.kind));
    let has_text = is(|kind| match kind {
        Kind::Text(_) => true,
        Kind::TextMap(map) => map.limits_texts(),
        _ => false,
    });
    let has_map = is(|kind| matches!(kind, Kind::TextMap(map) if *map != TextMap::default()));
    let has_list = model.schemas.iter().any(|schema| match &schema.kind {
        Kind::Object(object) => object.others.iter().any(decode::is_list),
        Kind::Map(_) | Kind::Alternatives(_) => {
            schema.kind.types().into_iter().any(decode::is_list)
        }
        _ => false,
    });
    let list = has_list.then(|| quote!(List,));
    let text = has_text.then(|| quote!(Text,));
    let map = has_map.then(|| quote!(TextMap,));
    (has_list || has_text || has_map).then(|| {
        quote!(
            use openapi_runtime::reading::{#list #text #map};
        )
    })
}

/// The scalars of the runtime that the document uses.
fn scalars(model: &Model) -> Option<TokenStream> {
    let own = &model.config.scalars;
    let names = [
        ("Cursor", &own.cursor),
        ("Money", &own.money),
        ("MoneySum", &own.money_sum),
        ("RequestTimestamp", &own.request_timestamp),
        ("Timestamp", &own.timestamp),
    ];
    let names = names.into_iter().filter(|(_, name)| uses(model, name));
    let names: Vec<_> = names
        .map(|(known, own)| {
            let (known, own) = (format_ident!("{known}"), type_name(own));
            if known == own { quote!(#known) } else { quote!(#known as #own) }
        })
        .collect();
    (!names.is_empty()).then(|| {
        quote!(
            pub use openapi_runtime::{#(#names),*};
        )
    })
}

fn uses(model: &Model, name: &str) -> bool {
    let is_it = |value: &Type| value.name() == Some(name);
    let in_field = model.schemas.iter().any(|schema| schema.kind.types().into_iter().any(is_it));
    in_field
        || model.operations.iter().flat_map(Operation::bodies).any(is_it)
        || model
            .operations
            .iter()
            .flat_map(|operation| &operation.parameters)
            .any(|parameter| parameter.location == Location::Query && is_it(&parameter.value))
}

fn schema(model: &Model, schema: &Schema) -> TokenStream {
    let name = type_name(&schema.name);
    let documentation = docs(&schema.description);
    let item = match &schema.kind {
        Kind::Money | Kind::MoneySum | Kind::Timestamp | Kind::RequestTimestamp | Kind::Cursor => {
            return TokenStream::new();
        }
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
