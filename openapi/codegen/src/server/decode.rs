//! Writes `decode.rs`: the rules of every request as tables, for the schemas that requests reach.

use std::collections::BTreeSet;

use payout_openapi::Location;
use proc_macro2::{Literal, TokenStream};
use quote::quote;

use crate::{
    format::docs,
    model::{Field, Kind, Model, Object, Operation, Parameter, Type},
    names::{constant_name, type_name},
};

pub(super) const DOCS: &str = "The rules of every request, as tables for `validation`.";

pub(super) fn generate(model: &Model) -> TokenStream {
    let operations = || model.operations.iter();
    let variants = operations().map(|operation| type_name(&operation.id));
    let names = operations().map(|operation| constant_name(&operation.id));
    let forms = operations().map(|operation| form(model, operation));
    let reached = reached_objects(model);
    let objects = reached.iter().map(|name| match &model.schema(name).kind {
        Kind::Object(table) => object(model, name, table),
        _ => TokenStream::new(),
    });
    let types = named_rules(model, &reached);
    let types = (!types.is_empty()).then(|| quote!(types::{#(#types),*},));
    let parameters = operations().any(|operation| !operation.parameters.is_empty());
    let parameters = parameters.then(|| quote!(Parameter, Rule,));
    let fields = (!reached.is_empty()).then(|| quote!(Field, Object,));
    quote! {
        use super::{
            validation::{Decoded, Form, RequestForm, decode_with, #fields #parameters},
            operations::Operation,
            problem::Problem,
            #types
        };

        /// Validates a whole request: 415, then 400, then 422 with every violation. (R4)
        ///
        /// # Errors
        /// The first of these.
        pub fn decode(operation: Operation, request: &RequestForm<'_>) -> Result<Decoded, Problem> {
            decode_with(form(operation), request)
        }

        /// The rules of one operation's request.
        #[must_use]
        pub fn form(operation: Operation) -> &'static Form {
            match operation {
                #(Operation::#variants => &#names,)*
            }
        }

        #(#forms)*
        #(#objects)*
    }
}

fn form(model: &Model, operation: &Operation) -> TokenStream {
    let name = constant_name(&operation.id);
    let parameters = |location| {
        let tables =
            operation.parameters_in(location).map(|parameter| self::parameter(model, parameter));
        quote!(&[#(#tables),*])
    };
    let (path, query, headers) =
        (parameters(Location::Path), parameters(Location::Query), parameters(Location::Header));
    let body = match &operation.body {
        Some(body) => {
            let rule = rule(model, &Type::Named(body.clone()));
            quote!(Some(#rule))
        }
        None => quote!(None),
    };
    quote! {
        static #name: Form = Form { path: #path, query: #query, headers: #headers, body: #body };
    }
}

fn parameter(model: &Model, parameter: &Parameter) -> TokenStream {
    let name = match parameter.location {
        Location::Header => parameter.name.to_lowercase(),
        _ => parameter.name.clone(),
    };
    let (required, rule) = (parameter.required, rule(model, &parameter.value));
    quote!(Parameter { name: #name, required: #required, rule: #rule })
}

fn object(model: &Model, name: &str, object: &Object) -> TokenStream {
    let documentation = docs(&format!("The rule of `{name}`."));
    let table = constant_name(&format!("{name}Object"));
    let closed = object.closed;
    let fields = object.fields.iter().map(|field| self::field(model, field));
    quote! {
        #documentation
        static #table: Object = Object { closed: #closed, fields: &[#(#fields),*] };
    }
}

fn field(model: &Model, field: &Field) -> TokenStream {
    let Field { name, required, nullable, .. } = field;
    let mut rule = rule(model, &field.value);
    if *nullable {
        rule = quote!(Rule::Nullable(&#rule));
    }
    quote!(Field { name: #name, required: #required, rule: #rule })
}

fn rule(model: &Model, value: &Type) -> TokenStream {
    match value {
        Type::String => quote!(Rule::Text(&super::validation::Text::ANY)),
        Type::Boolean => quote!(Rule::Boolean),
        Type::Integer32 => quote!(Rule::Integer(&super::validation::Integer::ANY_32)),
        Type::Integer64 => quote!(Rule::Integer(&super::validation::Integer::ANY)),
        Type::Any => quote!(Rule::Any),
        Type::List { items, min_items, max_items } => {
            let items = rule(model, items);
            let min_items = Literal::u64_unsuffixed(*min_items);
            let max_items = match max_items {
                Some(count) => {
                    let count = Literal::u64_unsuffixed(*count);
                    quote!(Some(#count))
                }
                None => quote!(None),
            };
            quote! {
                Rule::List(&super::validation::List {
                    items: #items, min_items: #min_items, max_items: #max_items
                })
            }
        }
        Type::Named(name) => named_rule(model, name),
    }
}

fn named_rule(model: &Model, name: &str) -> TokenStream {
    let rust = type_name(name);
    match &model.schema(name).kind {
        Kind::Text(_) => quote!(Rule::Text(&#rust::RULE)),
        Kind::Integer(_) => quote!(Rule::Integer(&#rust::RULE)),
        Kind::Enum(_) => quote!(Rule::Enum(#rust::VALUES)),
        Kind::Money => quote!(Rule::Money),
        Kind::Timestamp => quote!(Rule::Timestamp),
        Kind::ValueMap => quote!(Rule::Map(&Rule::Any)),
        Kind::TextMap => quote!(Rule::Map(&Rule::Text(&super::validation::Text::ANY))),
        Kind::Object(_) => {
            let table = constant_name(&format!("{name}Object"));
            quote!(Rule::Object(&#table))
        }
    }
}

/// The object schemas that requests reach, sorted.
fn reached_objects(model: &Model) -> BTreeSet<String> {
    let mut reached = BTreeSet::new();
    let mut pending: Vec<&str> =
        model.operations.iter().filter_map(|operation| operation.body.as_deref()).collect();
    while let Some(name) = pending.pop() {
        let Kind::Object(object) = &model.schema(name).kind else {
            continue;
        };
        if reached.insert(name.to_owned()) {
            pending.extend(object.fields.iter().filter_map(|field| named(&field.value)));
        }
    }
    reached
}

/// The types whose rules the tables use, sorted.
fn named_rules(model: &Model, reached: &BTreeSet<String>) -> BTreeSet<proc_macro2::Ident> {
    let parameters = model.operations.iter().flat_map(|operation| &operation.parameters);
    let parameters = parameters.filter_map(|parameter| named(&parameter.value));
    let fields = reached.iter().flat_map(|name| match &model.schema(name).kind {
        Kind::Object(object) => {
            object.fields.iter().filter_map(|field| named(&field.value)).collect()
        }
        _ => Vec::new(),
    });
    let is_type = |name: &&str| {
        matches!(model.schema(name).kind, Kind::Text(_) | Kind::Integer(_) | Kind::Enum(_))
    };
    parameters.chain(fields).filter(is_type).map(type_name).collect()
}

fn named(value: &Type) -> Option<&str> {
    match value {
        Type::Named(name) => Some(name),
        Type::List { items, .. } => named(items),
        _ => None,
    }
}
