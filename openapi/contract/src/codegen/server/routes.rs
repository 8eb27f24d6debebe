//! Writes `routes.rs`: each route calls the trait's method and returns the operation's response.
//! With `poem-openapi`, the routes have the form of that framework.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::{
    many_arguments,
    successes::success_name,
    traits::{self, Argument},
};
use crate::codegen::{
    format::template,
    model::{Model, Operation, Success},
    names::{constant_name, status_name, type_name, value_name},
};

pub(super) const DOCS: &str = "The adapter from the framework to the traits.";

pub(super) fn generate(model: &Model) -> TokenStream {
    let is_framework = model.config.server.as_ref().is_some_and(|server| server.poem_openapi);
    let routes = model.operations.iter().map(|operation| route(operation, is_framework));
    let calls = model.operations.iter().map(|operation| call(operation, is_framework));
    let of_framework = |tokens: TokenStream| if is_framework { tokens } else { quote!() };
    let imports = quote! {
        use poem_openapi::{OpenApi, param::{Header, Path, Query}, payload::Json};
    };
    let tokens = [
        ("data", of_framework(quote!(web::Data))),
        ("imports", of_framework(imports)),
        ("argument", of_framework(quote!(Argument,))),
        ("attribute", of_framework(quote!(#[OpenApi]))),
        ("calls", quote!(#(#calls)*)),
        ("routes", quote!(#(#routes)*)),
    ];
    template(include_str!("templates/routes.rs.txt"), &tokens)
}

fn route(operation: &Operation, is_framework: bool) -> TokenStream {
    let name = value_name(&operation.id);
    let path = framework_path(&operation.path);
    let (method, id) = (operation.method.to_lowercase(), &operation.id);
    let arguments = traits::arguments(operation);
    let allowed = many_arguments(arguments.len());
    let inputs = arguments.iter().map(|Argument { ident, value, extractor, parameter }| {
        if !is_framework {
            return quote!(, #ident: #value);
        }
        let name = parameter.map(|parameter| &parameter.name);
        let name = name.map(|name| quote!(#[oai(name = #name)]));
        quote!(, #name #ident: #extractor<Argument<#value>>)
    });
    let idents = arguments.iter().map(|argument| &argument.ident);
    let errors = operation.errors.iter().map(|status| Literal::u16_unsuffixed(*status));
    let success = success(operation);
    let (attribute, caller, inner) = match is_framework {
        true => (
            Some(quote!(#[oai(path = #path, method = #method, operation_id = #id)])),
            quote!(Data<&A::Caller>),
            Some(quote!(.0)),
        ),
        false => (None, quote!(&A::Caller), None),
    };
    let idents = idents.map(|ident| if is_framework { quote!(#ident.0.0) } else { quote!(#ident) });
    quote! {
        #attribute
        #allowed
        async fn #name(&self, caller: #caller #(#inputs)*) -> Answer {
            let result = self.0.#name(caller #inner .clone() #(, #idents)*).await;
            Answer::of(#id, &[#(#errors),*], result.map_err(Into::<Problem>::into), #success)
        }
    }
}

/// The function that makes the response of what a handler returned.
fn success(operation: &Operation) -> TokenStream {
    let response = |status: &TokenStream, body: bool| match body {
        true => quote!(body.into_response_with(#status)),
        false => quote!(#status.into_response()),
    };
    let constant = |status: u16| {
        let name = constant_name(&status_name(status).to_string());
        quote!(StatusCode::#name)
    };
    if let Some(Success { status, body }) = operation.only_success() {
        let input = if body.is_some() { quote!(body) } else { quote!(()) };
        let response = response(&constant(*status), body.is_some());
        return quote!(|#input| #response);
    }
    let name = type_name(&success_name(operation));
    let arms = operation.successes.iter().map(|Success { status, body }| {
        let (variant, response) =
            (status_name(*status), response(&constant(*status), body.is_some()));
        let body = body.as_ref().map(|_| quote!((body)));
        quote!(#name::#variant #body => #response,)
    });
    let other = operation.other.as_ref().map(|Success { body, .. }| {
        let response = response(&quote!(status), body.is_some());
        let body = body.as_ref().map(|_| quote!(, body));
        quote!(#name::Default(status #body) => #response,)
    });
    quote!(|success| match success { #(#arms)* #other })
}

fn call(operation: &Operation, is_framework: bool) -> TokenStream {
    let (variant, name) = (type_name(&operation.id), value_name(&operation.id));
    let arguments = traits::arguments(operation);
    let idents: Vec<_> = arguments.iter().map(|argument| &argument.ident).collect();
    let inputs = arguments.iter().map(|Argument { ident, extractor, .. }| match is_framework {
        true => quote!(#extractor(Argument(#ident))),
        false => quote!(#ident),
    });
    let caller = if is_framework { quote!(Data(caller)) } else { quote!(caller) };
    quote! {
        Arguments::#variant(#(#idents),*) => {
            let route = self.#name(#caller #(, #inputs)*);
            Box::pin(respond(route))
        }
    }
}

/// The document's `{id}` is the framework's `:id`.
fn framework_path(path: &str) -> String {
    let segments = path.split('/').map(|segment| {
        let name = segment.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
        name.map_or_else(|| segment.to_owned(), |name| format!(":{name}"))
    });
    segments.collect::<Vec<_>>().join("/")
}
