//! The rules of the document for what a client sends, as tables that `crate::rules` of the client
//! checks. Where one of several schemas is enough (`anyOf`, `oneOf`), the server alone checks.

use openapi_document::Document;
use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};
use serde_json::{Map, Value};
use syn::{Item, parse_quote};

use super::type_overrides::{TypeOverrides, component_of};
use crate::codegen::names::constant_name;

/// The module with the rules of each component of a request.
pub(super) fn module(document: &Document, overrides: &TypeOverrides) -> Item {
    let tables = overrides.in_requests.iter().map(|name| {
        let (constant, rules) = (constant_name(name), of_component(document, name));
        let is_used = !rules.is_empty() || is_object(document, name);
        is_used.then(|| quote! { pub(crate) static #constant: &[Rule] = &[#(#rules),*]; })
    });
    parse_quote! {
        /// What the document requires of the values of requests, beside their types.
        pub(crate) mod rules {
            #[allow(unused_imports)]
            use crate::rules::{Rule, pattern};
            #(#tables)*
        }
    }
}

/// An expression of the rules of the schema at a pointer, for the module `builder`.
pub(super) fn expression(document: &Document, pointer: &str) -> TokenStream {
    if let Some(name) = component_of(document, pointer) {
        let constant = constant_name(&name);
        let is_empty = of_component(document, &name).is_empty();
        return if is_empty {
            quote! { &[] }
        } else {
            quote! { types::rules::#constant }
        };
    }
    let rules = document.value().pointer(pointer).map(|schema| of(document, schema));
    match rules.filter(|rules| !rules.is_empty()) {
        Some(rules) => quote! {{
            #[allow(unused_imports)]
            use {crate::rules::{Rule, pattern}, types::rules::*};
            static RULES: &[Rule] = &[#(#rules),*];
            RULES
        }},
        None => quote! { &[] },
    }
}

fn is_object(document: &Document, name: &str) -> bool {
    document.value()["components"]["schemas"][name]["type"] == "object"
}

fn of_component(document: &Document, name: &str) -> Vec<TokenStream> {
    of(document, &document.value()["components"]["schemas"][name])
}

fn of(document: &Document, schema: &Value) -> Vec<TokenStream> {
    let below = |schema: &Value| of(document, schema);
    let list = |name: &str| schema[name].as_array().into_iter().flatten();
    if let Some(name) = schema["$ref"]
        .as_str()
        .and_then(|reference| component_of(document, reference.trim_start_matches('#')))
    {
        // An object may contain itself.
        let is_empty = !is_object(document, &name) && of_component(document, &name).is_empty();
        let constant = constant_name(&name);
        return if is_empty { Vec::new() } else { vec![quote! { Rule::Of(&#constant) }] };
    }
    let mut rules: Vec<TokenStream> = list("allOf").flat_map(below).collect();
    for alternatives in ["anyOf", "oneOf"] {
        let mut values = list(alternatives).filter(|schema| !document.is_null_alone(schema));
        if let (Some(only), None) = (values.next(), values.next()) {
            rules.extend(below(only));
        }
    }
    rules.extend(of_text(schema));
    rules.extend(of_number(schema));
    let counts = [
        ("minLength", "AtLeast"),
        ("minItems", "AtLeast"),
        ("minProperties", "AtLeast"),
        ("maxLength", "AtMost"),
        ("maxItems", "AtMost"),
        ("maxProperties", "AtMost"),
    ];
    for (keyword, rule) in counts {
        let rule = format_ident!("{rule}");
        let count = schema[keyword].as_u64().map(Literal::u64_unsuffixed);
        rules.extend(count.map(|count| quote! { Rule::#rule(#count) }));
    }
    if schema["uniqueItems"] == true {
        rules.push(quote! { Rule::Unique });
    }
    let is_map = schema.get("properties").is_none();
    let inner = [
        ("items", "Items", true),
        ("x-property-names", "Names", true),
        ("additionalProperties", "Values", is_map),
    ];
    for (keyword, rule, _) in inner.into_iter().filter(|(_, _, applies)| *applies) {
        let rule = format_ident!("{rule}");
        let inner = schema.get(keyword).map(below).unwrap_or_default();
        rules.extend((!inner.is_empty()).then(|| quote! { Rule::#rule(&[#(#inner),*]) }));
    }
    rules.extend(of_object(schema, &below));
    rules
}

fn of_text(schema: &Value) -> Vec<TokenStream> {
    let mut rules = Vec::new();
    if let Some(pattern) = schema["pattern"].as_str() {
        let message = schema["x-pattern-message"].as_str().map(|message| quote! { , #message });
        rules.push(quote! { pattern!(#pattern #message) });
    }
    if let Some(values) = schema["enum"].as_array() {
        let values = values.iter().filter(|value| !value.is_null());
        let values =
            values.map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned));
        rules.push(quote! { Rule::OneOf(&[#(#values),*]) });
    }
    rules
}

fn of_number(schema: &Value) -> Vec<TokenStream> {
    let excludes = |keyword: &str| schema[keyword] == true;
    let rows = [
        (
            "minimum",
            if excludes("exclusiveMinimum") {
                quote! { MoreThan }
            } else {
                quote! { Minimum }
            },
        ),
        (
            "maximum",
            if excludes("exclusiveMaximum") {
                quote! { LessThan }
            } else {
                quote! { Maximum }
            },
        ),
        ("multipleOf", quote! { MultipleOf }),
    ];
    let rule = |(keyword, rule): (&str, TokenStream)| {
        let bound = schema.get(keyword)?.as_number()?.to_string();
        Some(quote! { Rule::#rule(#bound) })
    };
    rows.into_iter().filter_map(rule).collect()
}

fn of_object(schema: &Value, below: &dyn Fn(&Value) -> Vec<TokenStream>) -> Vec<TokenStream> {
    let properties: Option<&Map<String, Value>> = schema["properties"].as_object();
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut rules = Vec::new();
    for (name, property) in properties.into_iter().flatten() {
        rules.extend(required.contains(&name.as_str()).then(|| quote! { Rule::Required(#name) }));
        let mut own = below(property);
        if property["x-not-zero"] == true {
            own.push(quote! { Rule::NotZero });
        }
        rules.extend((!own.is_empty()).then(|| quote! { Rule::Property(#name, &[#(#own),*]) }));
        let other = property["x-later-than"].as_str();
        rules.extend(other.map(|other| quote! { Rule::LaterThan(#name, #other) }));
        for (other, value) in property["x-required-when"].as_object().into_iter().flatten() {
            let value = value.as_str().unwrap_or_default();
            rules.push(quote! { Rule::RequiredWhen(#name, #other, #value) });
        }
    }
    rules
}
