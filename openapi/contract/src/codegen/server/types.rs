//! Writes `types.rs`: schemas, queries and error codes. The macros of the runtime give the types
//! their behaviour.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::{codes, decode, objects, projections, queries, rust_type, successes};
use crate::codegen::{
    format::{docs, template},
    model::{Alternatives, Counts, Kind, Model, Numbers, Schema, Text, TextMap, Union},
    names::type_name,
};

pub(super) const DOCS: &str = "The schemas of the document as types, and its error codes.";

pub(super) fn generate(model: &Model) -> TokenStream {
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
    let successes = model.operations.iter().map(successes::types);
    let projections = projections::generate(model);
    let error_codes = codes::error_codes(model);
    let scalars = model.schemas.iter().filter_map(|schema| match schema.kind {
        Kind::Scalar(scalar, _) => {
            let (known, own) = (format_ident!("{scalar:?}"), type_name(&schema.name));
            Some(if known == own { quote!(#known) } else { quote!(#known as #own) })
        }
        _ => None,
    });
    let enums = model.own_schemas().filter_map(|schema| match schema.kind {
        Kind::Enum(_) => Some(type_name(&schema.name)),
        _ => None,
    });
    let scope = (!model.scopes.is_empty()).then(|| quote!(Scope,));
    let items = quote!(#(#schemas)* #(#media_types)* #(#queries)* #(#successes)*);
    let tokens = [
        ("scalars", quote!(#(#scalars),*)),
        ("enums", quote!(#scope #(#enums),*)),
        ("items", quote!(#items #projections #error_codes)),
    ];
    template(include_str!("templates/types.rs.txt"), &tokens)
}

fn schema(model: &Model, schema: &Schema) -> TokenStream {
    let name = type_name(&schema.name);
    let documentation = docs(&schema.description);
    if let Some(same) = schema.same_as.as_deref().map(type_name) {
        return quote!(#documentation pub type #name = #same;);
    }
    let item = match &schema.kind {
        Kind::Scalar(..) => return TokenStream::new(),
        Kind::Text(text) => return text_type(schema, text),
        Kind::Integer(rule, default) => {
            let number = format_ident!("i64");
            number_type(schema, &number, rule, *default, Literal::i64_unsuffixed)
        }
        Kind::Number(rule) => {
            number_type(schema, &format_ident!("f64"), rule, None, Literal::f64_unsuffixed)
        }
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
            let counts = counts(schema).map(|counts| quote!(, #counts));
            quote! {
                #[derive(Debug, Clone, PartialEq, Default, Serialize)]
                pub struct #name(pub BTreeMap<String, #values>);
                named_map!(#name, #read #counts);
            }
        }
        Kind::Union(union) => union_type(&name, union),
        Kind::Alternatives(all) => alternatives_type(model, &name, all),
        Kind::ValueMap => {
            let counts = counts(schema).map(|counts| quote!(, #counts));
            quote! {
                #[derive(Debug, Clone, PartialEq, Default, Serialize)]
                pub struct #name(pub Map<String, Value>);
                named_map!(#name, Value #counts);
            }
        }
    };
    quote!(#documentation #item)
}

/// An enum of objects; each has the member that tells them apart.
fn union_type(name: &Ident, Union { member, variants }: &Union) -> TokenStream {
    let objects: Vec<_> = variants.iter().map(|(_, object)| type_name(object)).collect();
    let values: Vec<_> = variants.iter().map(|(value, _)| value).collect();
    let documentation =
        values.iter().map(|of_one| docs(&format!("`{member}` is `{}`.", of_one.join("` or `"))));
    quote! {
        #[derive(Debug, Clone, PartialEq, Serialize)]
        #[serde(untagged)]
        pub enum #name {
            #(#documentation #objects(#objects),)*
        }
        union!(#name, #member, #(#objects = #(#values)|*),*);
    }
}

fn alternatives_type(model: &Model, name: &Ident, alternatives: &Alternatives) -> TokenStream {
    let combine = format_ident!("{}", if alternatives.is_exclusive { "one_of" } else { "any_of" });
    let variants: Vec<_> = alternatives.variants.iter().map(|(name, _)| type_name(name)).collect();
    let types = || alternatives.variants.iter().map(|(_, value)| value);
    let values: Vec<_> = types().map(rust_type).collect();
    let reads = types().map(decode::schema);
    // A parameter can have single values alone.
    let in_text = types()
        .all(|value| !value.is_structured(&model.schemas))
        .then(|| quote!(alternatives_in_text!(#name, #combine, #(#variants(#values)),*);));
    quote! {
        #[derive(Debug, Clone, PartialEq, Serialize)]
        #[serde(untagged)]
        pub enum #name {
            #(#variants(#values),)*
        }
        alternatives!(#name, #combine, #(#variants(#values) = #reads),*);
        #in_text
    }
}

fn text_type(schema: &Schema, text: &Text) -> TokenStream {
    let name = type_name(&schema.name);
    let documentation = docs(&schema.description);
    let lengths = lengths(text);
    let format = text.format.as_ref().map(|format| quote!(.in_format(#format)));
    let message = text.pattern_message.as_ref().map(|message| quote!(, #message));
    let pattern = text.pattern.as_ref().map(|pattern| quote!(, #pattern #message));
    quote! {
        #documentation
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct #name(String);
        text!(#name, #lengths #format #pattern);
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

/// The arguments by which the runtime counts properties, if there is a limit.
pub(super) fn counts(schema: &Schema) -> Option<TokenStream> {
    let Counts { min, max } = schema.counts;
    let is_limited = schema.counts != Counts::default();
    let (min, max) = (Literal::u64_unsuffixed(min), max.map(Literal::u64_unsuffixed));
    let max = decode::optional(max);
    is_limited.then(|| quote!(#min, #max))
}

fn text_map_type(schema: &Schema, map: &TextMap) -> TokenStream {
    let name = type_name(&schema.name);
    let TextMap { names, values } = map;
    let Counts { min, max } = schema.counts;
    let at_least = (min > 0).then(|| {
        let count = Literal::u64_unsuffixed(min);
        quote!(.at_least(#count))
    });
    let at_most = max.map(|count| {
        let count = Literal::u64_unsuffixed(count);
        quote!(.at_most(#count))
    });
    let part = |method: Ident, rule: &Text| {
        let lengths = lengths(rule);
        (*rule != Text::default()).then(|| quote!(.#method(#lengths)))
    };
    let (names, values) =
        (part(format_ident!("names"), names), part(format_ident!("values"), values));
    let is_ruled = *map != TextMap::default() || schema.counts != Counts::default();
    let rule = is_ruled.then(|| quote!(, TextMap::ANY #at_least #at_most #names #values));
    quote! {
        #[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
        pub struct #name(pub BTreeMap<String, String>);
        named_map!(#name, String #rule);
    }
}

/// A newtype over a number; `literal` writes one.
fn number_type<T: Copy>(
    schema: &Schema,
    number: &Ident,
    rule: &Numbers<T>,
    default: Option<T>,
    literal: fn(T) -> Literal,
) -> TokenStream {
    let name = type_name(&schema.name);
    let least = if rule.excludes_minimum { "more_than" } else { "at_least" };
    let most = if rule.excludes_maximum { "less_than" } else { "at_most" };
    let rules = [(least, rule.minimum), (most, rule.maximum), ("multiple_of", rule.multiple_of)]
        .into_iter();
    let rules = rules.filter_map(|(method, number)| {
        let (method, number) = (format_ident!("{method}"), literal(number?));
        Some(quote!(#method(#number)))
    });
    let values = (!rule.values.is_empty()).then(|| {
        let values = rule.values.iter().map(|value| literal(*value));
        quote!(one_of(&[#(#values),*]))
    });
    let rules = rules.chain(values);
    let default = default.map(literal).map(|default| quote!(, #default));
    let order = match number == "i64" {
        true => quote!(PartialEq, Eq, Hash, PartialOrd, Ord),
        false => quote!(PartialEq, PartialOrd),
    };
    quote! {
        #[derive(Debug, Clone, Copy, #order)]
        pub struct #name(#number);
        number!(#name, #number, [#(#rules),*] #default);
    }
}
