//! Writes `decode.rs`: what each operation reads from its request, and how the objects of bodies
//! are read.

use std::collections::BTreeSet;

use openapi_document::Location;
use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::{objects::default_name, rust_type, traits};
use crate::{
    format::docs,
    model::{Field, Kind, Model, Object, Operation, Parameter, Rule, Type},
    names::{type_name, value_name},
};

pub(super) const DOCS: &str = "What each operation reads from its request.";

pub(super) fn generate(model: &Model) -> TokenStream {
    let operations = || model.operations.iter();
    let variants: Vec<_> = operations().map(|operation| type_name(&operation.id)).collect();
    let names = operations().map(|operation| value_name(&operation.id));
    let documentation = operations().map(|operation| docs(&format!("Of `{}`.", operation.id)));
    let arguments = operations().map(traits::argument_types);
    let readers = operations().map(|operation| reader(model, operation));
    let reached = reached_objects(model);
    let objects = reached.iter().filter_map(|name| match &model.schema(name).kind {
        Kind::Object(table) => Some(object(name, table)),
        _ => None,
    });
    let imports = imports(model, &reached);
    quote! {
        #imports

        /// The arguments of an operation's handler.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Arguments {
            #(#documentation #variants(#(#arguments),*),)*
        }

        /// Reads a whole request: 415, then 400, then 422 with every violation.
        ///
        /// # Errors
        /// The first of these.
        pub fn decode(
            operation: Operation, request: &RequestForm<'_>
        ) -> Result<Arguments, Problem> {
            match operation {
                #(Operation::#variants => #names(request),)*
            }
        }

        #(#readers)*

        #(#objects)*
    }
}

fn imports(model: &Model, reached: &BTreeSet<String>) -> TokenStream {
    let mut types: BTreeSet<Ident> = traits::argument_idents(model);
    let fields = reached.iter().flat_map(|name| match &model.schema(name).kind {
        Kind::Object(object) => object.fields.iter().map(|field| &field.value).collect(),
        _ => Vec::new(),
    });
    let headers = model.operations.iter().flat_map(|operation| {
        operation.parameters_in(Location::Header).map(|parameter| &parameter.value)
    });
    types.extend(fields.chain(headers).filter_map(named).map(type_name));
    types.extend(reached.iter().map(|name| type_name(name)));
    let has_list = reached.iter().any(|name| match &model.schema(name).kind {
        Kind::Object(object) => {
            object.fields.iter().any(|field| matches!(field.value, Type::List { .. }))
        }
        _ => false,
    });
    let has_any = reached.iter().any(|name| match &model.schema(name).kind {
        Kind::Object(object) => object.fields.iter().any(|field| field.value == Type::Any),
        _ => false,
    });
    let list = has_list.then(|| quote!(List,));
    let json = (!reached.is_empty()).then(|| quote!(Fields, FromJson, Invalid, Violations,));
    let value = match (reached.is_empty(), has_any) {
        (true, _) => TokenStream::new(),
        _ => quote!(
            use serde_json::Value;
        ),
    };
    quote! {
        #value
        use openapi_runtime::reading::{#json #list Reader, RequestForm};
        use super::{Problem, operations::Operation, types::{#(#types),*}};
    }
}

fn reader(model: &Model, operation: &Operation) -> TokenStream {
    let (variant, name) = (type_name(&operation.id), value_name(&operation.id));
    let parameters = |location| operation.parameters_in(location);
    let known = parameters(Location::Query).map(|parameter| &parameter.name);
    let paths = parameters(Location::Path).map(|parameter| {
        let (ident, name) = (value_name(&parameter.name), &parameter.name);
        quote!(let #ident = reader.path(#name);)
    });
    let queries = parameters(Location::Query).map(|parameter| {
        let ident = value_name(&parameter.name);
        let read = query(model, operation, parameter);
        quote!(let #ident = #read;)
    });
    let headers = parameters(Location::Header).map(|parameter| {
        let (ident, name) = (value_name(&parameter.name), parameter.name.to_lowercase());
        let value = rust_type(&parameter.value);
        quote!(let #ident = reader.header::<#value>(#name);)
    });
    let body = operation.body.as_deref().map(|body| {
        let body = type_name(body);
        quote!(let body = reader.body::<#body>();)
    });
    let path_values = parameters(Location::Path).map(|parameter| {
        let ident = value_name(&parameter.name);
        quote!(#ident?)
    });
    let query_value = parameters(Location::Query).next().map(|_| {
        let query = type_name(&format!("{}Query", operation.id));
        let fields = parameters(Location::Query).map(|parameter| {
            let ident = value_name(&parameter.name);
            let defaulted = parameter.defaulted.then(|| quote!(.unwrap_or_default()));
            quote!(#ident: #ident? #defaulted)
        });
        quote!(#query { #(#fields),* })
    });
    let body_value = operation.body.as_ref().map(|_| quote!(body?));
    let arguments: Vec<_> = path_values.chain(query_value).chain(body_value).collect();
    // A header that handlers do not get is checked.
    let checked = parameters(Location::Header).map(|parameter| {
        let ident = value_name(&parameter.name);
        quote!(#ident?;)
    });
    quote! {
        fn #name(request: &RequestForm<'_>) -> Result<Arguments, Problem> {
            let mut reader = Reader::new(request, &[#(#known),*]);
            #(#paths)*
            #(#queries)*
            #(#headers)*
            #body
            reader.finish(move || {
                #(#checked)*
                Ok(Arguments::#variant(#(#arguments),*))
            })
        }
    }
}

fn query(model: &Model, operation: &Operation, parameter: &Parameter) -> TokenStream {
    let name = &parameter.name;
    let is_cursor =
        named(&parameter.value).is_some_and(|name| matches!(model.schema(name).kind, Kind::Cursor));
    if is_cursor {
        let id = &operation.id;
        let filters = super::filters(model, operation).into_iter().map(|filter| &filter.name);
        return quote!(reader.cursor(#name, #id, &[#(#filters),*]));
    }
    if parameter.required {
        quote!(reader.query(#name))
    } else {
        quote!(reader.optional_query(#name))
    }
}

fn object(name: &str, object: &Object) -> TokenStream {
    let name = type_name(name);
    let idents: Vec<_> = object.fields.iter().map(|field| value_name(&field.name)).collect();
    let reads = object.fields.iter().map(field);
    let rules = object.rules.iter().map(|rule| rule_call(object, rule));
    let end = if object.closed { quote!(close) } else { quote!(ignore_others) };
    quote! {
        impl FromJson for #name {
            type Value = Self;

            fn from_json(
                value: Value, pointer: &str, violations: &mut Violations
            ) -> Result<Self, Invalid> {
                let mut fields = Fields::of(value, pointer, violations)?;
                #(let #idents = #reads;)*
                #(#rules)*
                fields.#end();
                Ok(Self { #(#idents: #idents?),* })
            }
        }
    }
}

fn field(field: &Field) -> TokenStream {
    let (name, schema) = (&field.name, schema(&field.value));
    if field.default.is_some() {
        let default = default_name(field);
        return quote!(fields.defaulted::<#schema>(#name, Self::#default));
    }
    match (field.required, field.nullable) {
        (true, false) => quote!(fields.required::<#schema>(#name)),
        (true, true) => quote!(fields.required::<openapi_runtime::Nullable<#schema>>(#name)),
        (false, false) => quote!(fields.optional::<#schema>(#name)),
        (false, true) => quote!(fields.nullable::<#schema>(#name)),
    }
}

/// Checks a rule between the fields that were read.
fn rule_call(object: &Object, rule: &Rule) -> TokenStream {
    match rule {
        Rule::NotZero { field } => {
            let ident = value_name(field);
            quote!(fields.not_zero(#field, &#ident);)
        }
        Rule::LaterThan { field, other } => {
            let (ident, other_ident) = (value_name(field), value_name(other));
            quote!(fields.later_than(#field, &#ident, #other, &#other_ident);)
        }
        Rule::RequiredWhen { field, other, value } => {
            let (ident, other_ident) = (value_name(field), value_name(other));
            let mut fields = object.fields.iter();
            let set =
                fields.find(|known| known.name == *other).map(|other| rust_type(&other.value));
            let value = type_name(value);
            quote!(fields.required_when(#field, &#ident, #other, &#other_ident, #set::#value);)
        }
    }
}

/// The type that reads the value: itself, except for an array, whose length has a rule.
fn schema(value: &Type) -> TokenStream {
    let Type::List { items, min_items, max_items } = value else {
        return rust_type(value);
    };
    let items = schema(items);
    let bound = |count: u64| proc_macro2::Literal::u64_unsuffixed(count);
    let min_items = bound(*min_items);
    let max_items = max_items.map(bound).map_or_else(|| quote!({ usize::MAX }), |max| quote!(#max));
    quote!(List<#items, #min_items, #max_items>)
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

fn named(value: &Type) -> Option<&str> {
    match value {
        Type::Named(name) => Some(name),
        Type::List { items, .. } => named(items),
        _ => None,
    }
}
