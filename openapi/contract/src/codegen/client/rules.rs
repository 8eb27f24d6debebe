//! The rules of the document for what a client sends, as tables that `openapi_client::rules`
//! checks. Where one of several schemas is enough (`anyOf`, `oneOf`), the server alone checks.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::Api;
use crate::codegen::{
    model::{Kind, Numbers, Object, Rule, Schema, Text, Type},
    names::constant_name,
};

/// The module with the rules of each schema of a request.
pub(super) fn module(api: &Api<'_>) -> TokenStream {
    let tables = api.sent.iter().filter(|name| has_table(api, name)).map(|name| {
        let (constant, rules) = (constant_name(name), of_schema(api, api.model.schema(name)));
        quote! { pub(crate) static #constant: &[Rule] = &[#(#rules),*]; }
    });
    quote! {
        /// The rules of the document for the values of requests, beside their types.
        pub(crate) mod rules {
            #[allow(unused_imports)]
            use openapi_client::{pattern, rules::Rule};
            #(#tables)*
        }
    }
}

/// An expression of the rules of a type, for the module `builder`.
pub(super) fn expression(api: &Api<'_>, value: &Type) -> TokenStream {
    let rules = of_type(api, value);
    match value {
        _ if rules.is_empty() => quote! { &[] },
        Type::Named(name) => {
            let constant = constant_name(name);
            quote! { types::rules::#constant }
        }
        _ => quote! {{
            #[allow(unused_imports)]
            use {openapi_client::{pattern, rules::Rule}, types::rules::*};
            static RULES: &[Rule] = &[#(#rules),*];
            RULES
        }},
    }
}

/// An object and a map may contain themselves, so they have one in any case.
fn has_table(api: &Api<'_>, schema: &str) -> bool {
    let schema = api.model.schema(schema);
    matches!(schema.kind, Kind::Object(_) | Kind::Map(_)) || !of_schema(api, schema).is_empty()
}

fn of_type(api: &Api<'_>, value: &Type) -> Vec<TokenStream> {
    match value {
        Type::Named(name) | Type::Boxed(name) if has_table(api, name) => {
            let constant = constant_name(name);
            vec![quote! { Rule::Of(&#constant) }]
        }
        Type::Nullable(value) => of_type(api, value),
        Type::List { items, min_items, max_items, unique } => {
            let mut rules = counts(*min_items, *max_items);
            rules.extend(unique.then(|| quote! { Rule::Unique }));
            let items = of_type(api, items);
            rules.extend(within(quote!(Items), &items));
            rules
        }
        _ => Vec::new(),
    }
}

fn of_schema(api: &Api<'_>, Schema { kind, counts: count, .. }: &Schema) -> Vec<TokenStream> {
    match kind {
        Kind::Text(text) | Kind::Scalar(_, text) => of_text(text),
        Kind::Enum(values) => one_of(values).into_iter().collect(),
        Kind::Constant(value) => one_of(&[value]).into_iter().collect(),
        Kind::Integer(rule, _) => of_numbers(rule),
        Kind::Number(rule) => of_numbers(rule),
        Kind::TextMap(map) => {
            let mut rules = counts(count.min, count.max);
            let (names, values) = (of_text(&map.names), of_text(&map.values));
            rules.extend(within(quote!(Names), &names));
            rules.extend(within(quote!(Values), &values));
            rules
        }
        Kind::Map(values) => within(quote!(Values), &of_type(api, values)).into_iter().collect(),
        Kind::Object(object) => of_object(api, object),
        Kind::ValueMap | Kind::Union(_) | Kind::Alternatives(_) => Vec::new(),
    }
}

fn one_of<T: ToString>(values: &[T]) -> Option<TokenStream> {
    let values = values.iter().map(ToString::to_string);
    (values.len() > 0).then(|| quote! { Rule::OneOf(&[#(#values),*]) })
}

fn of_numbers<T: ToString>(rule: &Numbers<T>) -> Vec<TokenStream> {
    let least = if rule.excludes_minimum { quote!(MoreThan) } else { quote!(Minimum) };
    let most = if rule.excludes_maximum { quote!(LessThan) } else { quote!(Maximum) };
    let bounds =
        [(&rule.minimum, least), (&rule.maximum, most), (&rule.multiple_of, quote!(MultipleOf))];
    let bounds = bounds.into_iter().filter_map(|(bound, rule)| {
        let bound = bound.as_ref()?.to_string();
        Some(quote! { Rule::#rule(#bound) })
    });
    one_of(&rule.values).into_iter().chain(bounds).collect()
}

/// The rule that applies others to what a value contains; none where there are no others.
fn within(rule: TokenStream, rules: &[TokenStream]) -> Option<TokenStream> {
    (!rules.is_empty()).then(|| quote! { Rule::#rule(&[#(#rules),*]) })
}

/// The form of a text in a format; the server also knows which days there are.
const FORMATS: [(&str, &str); 4] = [
    (
        "date-time",
        "^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}\
         ([.][0-9]+)?([Zz]|[+-][0-9]{2}:[0-9]{2})$",
    ),
    ("date", "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"),
    ("uuid", "^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$"),
    ("decimal", "^-?[0-9]+([.][0-9]+)?$"),
];

fn of_text(text: &Text) -> Vec<TokenStream> {
    let format = text.format.as_ref().and_then(|format| {
        FORMATS.into_iter().find(|(known, _)| known == format).map(|(_, pattern)| pattern)
    });
    let pattern = text.pattern.as_deref().or(format).map(|pattern| {
        let message = text.pattern_message.as_ref().map(|message| quote! { , #message });
        quote! { pattern!(#pattern #message) }
    });
    pattern.into_iter().chain(counts(text.min_length, text.max_length)).collect()
}

fn counts(least: u64, most: Option<u64>) -> Vec<TokenStream> {
    let least = Some(least).filter(|least| *least > 0).map(Literal::u64_unsuffixed);
    let least = least.map(|count| quote! { Rule::AtLeast(#count) });
    let most = most.map(Literal::u64_unsuffixed).map(|count| quote! { Rule::AtMost(#count) });
    least.into_iter().chain(most).collect()
}

fn of_object(api: &Api<'_>, object: &Object) -> Vec<TokenStream> {
    let mut rules = Vec::new();
    for member in &object.fields {
        let name = &member.name;
        rules.extend(member.required.then(|| quote! { Rule::Required(#name) }));
        let mut own = of_type(api, &member.value);
        let mut further = Vec::new();
        for rule in &object.rules {
            match rule {
                Rule::NotZero { field } if field == name => own.push(quote! { Rule::NotZero }),
                Rule::NotNegative { field } if field == name => {
                    own.push(quote! { Rule::Minimum("0.00") });
                }
                Rule::LaterThan { field, other } if field == name => {
                    further.push(quote! { Rule::LaterThan(#name, #other) });
                }
                Rule::ExcludedBy { field, other } if field == name => {
                    further.push(quote! { Rule::ExcludedBy(#name, #other) });
                }
                Rule::RequiredWhen { field, other, value } if field == name => {
                    further.push(match value {
                        Some(value) => quote! { Rule::RequiredWhen(#name, #other, #value) },
                        None => quote! { Rule::RequiredWith(#name, #other) },
                    });
                }
                _ => {}
            }
        }
        rules.extend((!own.is_empty()).then(|| quote! { Rule::Property(#name, &[#(#own),*]) }));
        rules.extend(further);
    }
    rules
}
