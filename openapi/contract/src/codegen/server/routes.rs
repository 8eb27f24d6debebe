//! Writes `routes.rs`: each route calls the trait's method and returns the operation's response.
//! With `poem-openapi`, the routes have the form of that framework.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::{
    many_arguments,
    successes::{body_response, success_name},
    traits::{self, Argument},
};
use crate::codegen::{
    format::template,
    model::{Header, Model, Operation, Success, Type},
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
    let (variant, name) = (type_name(&operation.id), value_name(&operation.id));
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
            Answer::of(
                Operation::#variant, &[#(#errors),*], result.map_err(Into::<Problem>::into),
                #success
            )
        }
    }
}

/// The function that makes the response of what a handler returned.
fn success(operation: &Operation) -> TokenStream {
    if let Some(only) = operation.only_success() {
        let response = response(only);
        return match (only.headers.is_empty(), only.body.is_some()) {
            (true, true) => quote!(|body| #response),
            (true, false) => quote!(|()| #response),
            (false, _) => {
                let (name, names) = (success_name(operation), names(only));
                quote!(|#name { #(#names),* }| #response)
            }
        };
    }
    let name = success_name(operation);
    let arms = operation.replies().map(|reply| {
        let (response, names) = (response(reply), names(reply));
        let variant = match reply.status {
            0 => quote!(Default),
            status => {
                let name = status_name(status);
                quote!(#name)
            }
        };
        match reply.headers.is_empty() {
            _ if names.is_empty() => quote!(#name::#variant => #response,),
            true => quote!(#name::#variant(#(#names),*) => #response,),
            false => quote!(#name::#variant { #(#names),* } => #response,),
        }
    });
    quote!(|success| match success { #(#arms)* })
}

/// The names of what a reply has.
fn names(reply: &Success) -> Vec<TokenStream> {
    let status = (reply.status == 0).then(|| quote!(status));
    let headers = reply.headers.iter().map(|header| {
        let ident = value_name(&header.name);
        quote!(#ident)
    });
    let body = reply.body.as_ref().map(|_| quote!(body));
    status.into_iter().chain(headers).chain(body).collect()
}

fn response(reply: &Success) -> TokenStream {
    let status = match reply.status {
        0 => quote!(status),
        status => {
            let name = constant_name(&status_name(status).to_string());
            quote!(StatusCode::#name)
        }
    };
    let response = match reply.representations.as_slice() {
        [] => quote!(#status.into_response()),
        [only] => body_response(only, &status),
        _ => quote!(body.into_response_with(#status)),
    };
    let headers = reply.headers.iter().map(|Header { name, required, value, .. }| {
        let (ident, name) = (value_name(name), name.to_lowercase());
        let is_list = matches!(value, Type::List { .. });
        let value = match (required, is_list) {
            (true, false) => quote!(Some(&#ident)),
            (true, true) => quote!(Some(&openapi_runtime::Joined(&#ident))),
            (false, false) => quote!(#ident.as_ref()),
            (false, true) => quote! {
                #ident.as_deref().map(openapi_runtime::Joined).as_ref()
            },
        };
        quote!(.documented_header(#name, #value))
    });
    quote!(#response #(#headers)*)
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
