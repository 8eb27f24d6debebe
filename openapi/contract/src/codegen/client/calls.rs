//! The builders of calls. What is required comes with the method that makes the builder; the rest
//! has a setter each. A builder owns its client, so that a list outlives the client that it was
//! made with. `send` gives the request to the client, which sends and repeats it.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::{Api, bodies::builder_name, docs, pages::List, replies::Reply, requests, rules};
use crate::codegen::{
    format,
    model::{Operation, Parameter, Type},
    names::{call, constant_name, local, setter as setter_name, type_name, value_name},
};

/// A value of a call: a parameter, or the body.
struct Argument<'a> {
    ident: Ident,
    setter: Ident,
    value: &'a Type,
    /// None for the body.
    parameter: Option<&'a Parameter>,
    /// True if the method of the client takes it.
    is_positional: bool,
    is_required: bool,
}

impl Argument<'_> {
    /// The location of the value, as the server names it.
    fn location(&self) -> (Ident, String) {
        match self.parameter {
            None => (format_ident!("Body"), String::new()),
            Some(Parameter { location, name, .. }) => {
                (format_ident!("{location:?}"), format!("/{name}"))
            }
        }
    }
}

/// The body that a builder of its own makes.
fn drafted<'a>(api: &Api<'_>, argument: &Argument<'a>) -> Option<&'a str> {
    let is_body = argument.parameter.is_none() && api.is_built(argument.value);
    argument.value.name().filter(|_| is_body)
}

fn arguments<'a>(api: &Api<'a>, operation: &'a Operation) -> Vec<Argument<'a>> {
    let required = api.required_of_call(operation);
    let parameters = api.arguments_of(operation).into_iter().map(|parameter| Argument {
        ident: local(&parameter.name),
        setter: setter_name(&parameter.name),
        value: &parameter.value,
        parameter: Some(parameter),
        is_positional: required.positional.contains(&parameter.name.as_str()),
        is_required: parameter.required,
    });
    let body = operation.body.as_ref().map(|value| Argument {
        ident: format_ident!("body"),
        setter: format_ident!("body"),
        value,
        parameter: None,
        is_positional: operation.body_required,
        is_required: operation.body_required,
    });
    parameters.chain(body).collect()
}

fn target(api: &Api<'_>, argument: &Argument<'_>) -> TokenStream {
    match drafted(api, argument) {
        Some(schema) => {
            let builder = builder_name(schema);
            quote!(crate::types::builder::#builder)
        }
        None => api.rust_type(argument.value),
    }
}

pub(super) fn method(api: &Api<'_>, operation: &Operation) -> TokenStream {
    let (name, builder) = (value_name(&operation.id), call(&operation.id));
    let text = docs::of_call(api, operation);
    let required = api.required_of_call(operation).positional;
    let place = |argument: &Argument<'_>| {
        let name = argument.parameter.map(|parameter| parameter.name.as_str());
        required.iter().position(|known| Some(*known) == name).unwrap_or(required.len())
    };
    let mut given = arguments(api, operation);
    given.retain(|argument| argument.is_positional);
    given.sort_by_key(place);
    let inputs = given.iter().map(|argument| {
        let (ident, target) = (&argument.setter, target(api, argument));
        quote! { #ident: impl TryInto<#target, Error: std::fmt::Display> }
    });
    let setters: Vec<_> = given.iter().map(|argument| &argument.setter).collect();
    quote! {
        #text
        pub fn #name(&self, #(#inputs),*) -> builder::#builder {
            builder::#builder::new(self.clone()) #(.#setters(#setters))*
        }
    }
}

pub(super) fn module(api: &Api<'_>) -> TokenStream {
    let operations = api.operations.iter().copied().zip(requests::of(api));
    let builders = operations.map(|(operation, request)| builder(api, operation, request));
    let lists = api.operations.iter().filter_map(|operation| List::of(api, operation));
    let lists = lists.map(|list| list.implementations());
    quote! {
        /// Types for composing operation parameters.
        #[allow(clippy::all)]
        pub mod builder {
            use super::types;
            #[allow(unused_imports)]
            use super::{RequestBuilder, Unsent, encode_path, reqwest};

            #(#builders)*
            #(#lists)*
        }
    }
}

fn builder(api: &Api<'_>, operation: &Operation, request: TokenStream) -> TokenStream {
    let (name, variant) = (call(&operation.id), type_name(&operation.id));
    let maker = value_name(&operation.id);
    let text = format::docs(&format!(
        "Builder for [`Client::{maker}`]\n\n[`Client::{maker}`]: super::Client::{maker}"
    ));
    let arguments = arguments(api, operation);
    let names: Vec<_> = arguments.iter().map(|argument| &argument.ident).collect();
    let types = arguments.iter().map(|argument| {
        let value = api.rust_type(argument.value);
        match (drafted(api, argument), argument.is_required) {
            (Some(_), true) => quote!(openapi_client::rules::Draft),
            (Some(_), false) => quote!(Option<openapi_client::rules::Draft>),
            (None, true) => quote!(openapi_client::rules::Given<#value>),
            (None, false) => quote!(openapi_client::rules::Given<Option<#value>>),
        }
    });
    let before = arguments.iter().map(|argument| before(api, argument));
    let setters = arguments.iter().map(|argument| setter_of(api, argument));
    let drafts = arguments.iter().filter_map(|argument| {
        let (ident, rules) = (&argument.ident, constant_name(drafted(api, argument)?));
        let checked = match argument.is_required {
            true => quote! { #ident.checked(types::rules::#rules) },
            false => quote! { #ident.map(|it| it.checked(types::rules::#rules)).transpose() },
        };
        Some(quote! { let #ident = #checked; })
    });
    let checked = (!names.is_empty()).then(|| quote!(openapi_client::all_or_return!(#(#names),*);));
    let (send, reply) = (docs::of_send(api, operation), Reply::of(api, operation));
    let (redirects, support) = (reply.redirects(), &api.support);
    let operation_argument = api.client.by_hand.then(|| quote!(crate::Operation::#variant,));
    let list = List::of(api, operation).map(|list| list.methods());
    let tokens = [
        ("text", text),
        ("name", quote!(#name)),
        ("operation", quote!(#operation_argument)),
        ("fields", quote!(#(#names: #types,)*)),
        ("before", quote!(#(#names: #before,)*)),
        ("setters", quote!(#(#setters)*)),
        ("names", quote!(#(#names),*)),
        ("drafts", quote!(#(#drafts)*)),
        ("checked", quote!(#checked)),
        ("request", request),
        ("send", send),
        ("success", reply.success_type()),
        ("support", quote!(#support)),
        ("redirects", quote!(#(#redirects),*)),
        ("reader", reply.reader()),
        ("list", quote!(#list)),
    ];
    format::template(include_str!("templates/call.rs.txt"), &tokens)
}

/// A value before its setter is called: a required one is missing, and a positional one always set.
fn before(api: &Api<'_>, argument: &Argument<'_>) -> TokenStream {
    let (location, path) = argument.location();
    match argument {
        argument if drafted(api, argument).is_some() => quote!(Default::default()),
        Argument { is_required: false, .. } => quote!(Ok(None)),
        Argument { is_positional: true, .. } => quote!(Err(Vec::new())),
        _ => quote!(openapi_client::rules::missing(openapi_client::Location::#location, #path)),
    }
}

fn setter_of(api: &Api<'_>, argument: &Argument<'_>) -> TokenStream {
    let Argument { ident, setter: name, .. } = argument;
    let text = match argument.parameter {
        Some(parameter) => docs::of_parameter(api, parameter),
        None => format::docs("The body: the value, or its builder."),
    };
    let given = if drafted(api, argument).is_some() {
        let given = quote!(openapi_client::rules::Draft::given(value.map(|builder| builder.0)));
        match argument.is_required {
            true => quote! { self.#ident = #given; },
            false => quote! { self.#ident = Some(#given); },
        }
    } else {
        let (location, path) = argument.location();
        let rules = rules::expression(api, argument.value);
        let stored = (!argument.is_required).then(|| quote!(.map(Some)));
        let location = quote!(openapi_client::Location::#location);
        let given = match argument.value {
            Type::Bytes => quote!(openapi_client::rules::converted(#location, #path, value)),
            _ => quote!(openapi_client::rules::given(#location, #path, value, #rules)),
        };
        quote! { self.#ident = #given #stored; }
    };
    setter(name, &target(api, argument), argument.is_positional, &text, &given)
}

/// A setter that takes the value, not an `Option`: `given` stores what the conversion returned.
pub(super) fn setter(
    name: &Ident,
    target: &TokenStream,
    is_argument: bool,
    text: &TokenStream,
    given: &TokenStream,
) -> TokenStream {
    let visibility = if is_argument { quote!(pub(super)) } else { quote!(pub) };
    quote! {
        #text
        #visibility fn #name<V>(mut self, value: V) -> Self
        where
            V: TryInto<#target, Error: std::fmt::Display>,
        {
            let value = value.try_into();
            #given
            self
        }
    }
}
