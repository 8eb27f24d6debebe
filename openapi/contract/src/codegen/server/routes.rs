//! Writes `routes.rs`: the adapter from the framework to the traits. Each route extracts its
//! arguments, calls the trait's method and returns the operation's response.

use openapi_document::Location;
use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::{
    default_name, many_arguments, parameter_type, rust_type, successes::success_name, traits,
};
use crate::codegen::{
    format::doc_lines,
    model::{Format, Model, Operation, Parameter, Success},
    names::{parameter as parameter_name, status_name, type_name, value_name},
};

pub(super) const DOCS: &str =
    "The adapter from the framework to the traits, and the responses of every operation.";

pub(super) fn generate(model: &Model) -> TokenStream {
    let routes = model.operations.iter().map(route);
    let calls = model.operations.iter().map(call);
    quote! {
        use poem::{IntoResponse, Response, web::Data};
        use poem_openapi::{
            OpenApi, param::{Header, Path, Query}, payload::{Binary, Json, PlainText},
        };
        use openapi_runtime::{OperationResponse, responses};
        use serde_json::Value;
        use super::{decode::Arguments, traits::Handlers, types::*};

        /// Every route of the API, over the handlers `A`.
        #[derive(Debug)]
        pub struct Routes<A>(A);

        impl<A: Handlers> Routes<A> {
            /// The routes over these handlers.
            pub const fn new(handlers: A) -> Self {
                Self(handlers)
            }

            /// What the routes call.
            pub const fn handlers(&self) -> &A {
                &self.0
            }

            /// Calls the route of a request that `decode` has read: the framework would find the
            /// route and read its arguments again. Each operation has a future of its own, because
            /// the compiler takes very long for a single one of hundreds of operations.
            #[allow(clippy::too_many_lines, reason = "one arm for each operation")]
            pub fn call<'a>(
                &'a self, caller: &'a A::Caller, arguments: Arguments
            ) -> std::pin::Pin<Box<dyn std::future::Future<Output = Response> + Send + 'a>> {
                match arguments {
                    #(#calls)*
                }
            }
        }

        async fn respond<R: IntoResponse>(route: impl std::future::Future<Output = R>) -> Response {
            route.await.into_response()
        }

        #[OpenApi]
        impl<A: Handlers> Routes<A> {
            #(#routes)*
        }
    }
}

/// The responses of each operation, in the syntax of the macro `responses!`.
pub(super) fn responses(model: &Model) -> String {
    model.operations.iter().map(responses_of).collect()
}

fn responses_of(operation: &Operation) -> String {
    let (name, id) = (response_name(operation), &operation.id);
    let successes = operation.successes.iter().map(|Success { status, body }| {
        let body = body.as_ref().map(|body| rust_type(body).to_string().replace(' ', ""));
        let body = body.map(|body| format!(" {body}")).unwrap_or_default();
        format!("{}({status}){body}", status_name(*status))
    });
    let successes = successes.collect::<Vec<_>>().join(", ");
    let successes = match doc_lines(&successes).as_slice() {
        [_] => successes,
        lines => lines.join("\n   ").trim_start().to_owned(),
    };
    let other = operation.other.as_ref().map(|other| {
        let body = other.body.as_ref().map(|body| rust_type(body).to_string().replace(' ', ""));
        format!(";\n    Default {}", body.unwrap_or_default())
    });
    let other = other.unwrap_or_default();
    let returned = match operation.only_success() {
        Some(_) => String::new(),
        None => format!("-> {}\n    ", type_name(&success_name(operation))),
    };
    let errors = operation.errors.iter();
    let errors: Vec<String> =
        errors.map(|status| format!("{}({status})", status_name(*status))).collect();
    // The list is wrapped like documentation.
    let errors = doc_lines(&errors.join(", ")).join("\n   ");
    let all = format!("{returned}{successes};\n   {errors}{other}");
    format!("\nresponses! {{\n    {name}: \"{id}\", ErrorCode {all}\n}}\n")
}

fn response_name(operation: &Operation) -> Ident {
    type_name(&format!("{}Response", operation.type_id))
}

fn route(operation: &Operation) -> TokenStream {
    let name = value_name(&operation.id);
    let path = framework_path(&operation.path);
    let (method, id) = (operation.method.to_lowercase(), &operation.id);
    let paths: Vec<_> = operation.parameters_in(Location::Path).collect();
    let queries: Vec<_> = operation.parameters_in(Location::Query).collect();
    let path_arguments = paths
        .iter()
        .map(|parameter| argument(parameter, &quote!(Path), rust_type(&parameter.value)));
    let query_arguments = queries.iter().map(|parameter| query_argument(operation, parameter));
    let headers: Vec<_> = operation.header_arguments().collect();
    let header_arguments = headers
        .iter()
        .map(|parameter| argument(parameter, &quote!(Header), parameter_type(parameter)));
    let count = paths.len() + queries.len() + headers.len() + usize::from(operation.body.is_some());
    let allowed = many_arguments(count);
    let payload = payload_of(operation).map(type_name);
    let body_argument = traits::body_type(operation).map(|body| quote!(, body: #payload<#body>));
    let path_values = paths.iter().map(|parameter| {
        let name = parameter_name(&parameter.name);
        quote!(, #name.0)
    });
    let query_value = (!queries.is_empty()).then(|| {
        let query = type_name(&format!("{}Query", operation.type_id));
        let fields = queries.iter().map(|parameter| {
            let name = parameter_name(&parameter.name);
            let inner = parameter.encoding.map(|_| quote!(.0));
            quote!(#name: #name.0 #inner)
        });
        quote!(, #query { #(#fields),* })
    });
    let header_values = headers.iter().map(|parameter| {
        let name = parameter_name(&parameter.name);
        quote!(, #name.0)
    });
    let body_value = operation.body.as_ref().map(|_| quote!(, body.0));
    let response = response_name(operation);
    quote! {
        #[oai(path = #path, method = #method, operation_id = #id)]
        #allowed
        async fn #name(
            &self, caller: Data<&A::Caller> #(#path_arguments)* #(#query_arguments)*
            #(#header_arguments)* #body_argument
        ) -> #response {
            let caller = caller.0.clone();
            let result = self.0
                .#name(caller #(#path_values)* #query_value #(#header_values)* #body_value)
                .await;
            #response::from_result(result)
        }
    }
}

fn call(operation: &Operation) -> TokenStream {
    let (variant, name) = (type_name(&operation.id), value_name(&operation.id));
    let idents = |location| {
        let parameters = operation.parameters_in(location);
        parameters.map(|parameter| parameter_name(&parameter.name)).collect::<Vec<_>>()
    };
    let (paths, queries) = (idents(Location::Path), idents(Location::Query));
    let mut bound: Vec<_> = paths.iter().map(|path| quote!(#path)).collect();
    if !queries.is_empty() {
        let query = type_name(&format!("{}Query", operation.type_id));
        bound.push(quote!(#query { #(#queries),* }));
    }
    let headers: Vec<_> =
        operation.header_arguments().map(|parameter| parameter_name(&parameter.name)).collect();
    let query_values = operation.parameters_in(Location::Query).map(|parameter| {
        let name = parameter_name(&parameter.name);
        parameter.encoding.map_or(quote!(#name), |_| quote!(openapi_runtime::Encoded(#name)))
    });
    bound.extend(headers.iter().map(|header| quote!(#header)));
    bound.extend(operation.body.as_ref().map(|_| quote!(body)));
    let payload = payload_of(operation).map(type_name);
    let body = operation.body.as_ref().map(|_| quote!(, #payload(body)));
    quote! {
        Arguments::#variant(#(#bound),*) => {
            let route = self.#name(Data(caller) #(, Path(#paths))* #(, Query(#query_values))*
                #(, Header(#headers))* #body);
            Box::pin(respond(route))
        }
    }
}

/// The framework's payload of a body.
fn payload_of(operation: &Operation) -> Option<&'static str> {
    let format = operation.body_formats.first()?.format;
    Some(match format {
        Format::Text => "PlainText",
        Format::Bytes | Format::Multipart => "Binary",
        Format::Json | Format::Form => "Json",
    })
}

fn query_argument(operation: &Operation, parameter: &Parameter) -> TokenStream {
    let value = parameter_type(parameter);
    if parameter.encoding.is_some() {
        // The framework's document has an object only as the JSON of a text.
        let (name, ident) = (&parameter.name, parameter_name(&parameter.name));
        return quote!(, #[oai(name = #name)] #ident: Query<openapi_runtime::Encoded<#value>>);
    }
    let Some(function) = parameter.default.as_ref().map(|_| default_name(&parameter.name)) else {
        return argument(parameter, &quote!(Query), value);
    };
    let query = type_name(&format!("{}Query", operation.type_id));
    let default = format!("{query}::{function}");
    let (name, ident) = (&parameter.name, parameter_name(&parameter.name));
    quote!(, #[oai(name = #name, default = #default)] #ident: Query<#value>)
}

fn argument(parameter: &Parameter, extractor: &TokenStream, value: TokenStream) -> TokenStream {
    let (name, ident) = (&parameter.name, parameter_name(&parameter.name));
    let default = parameter.defaulted.then(|| quote!(, default));
    let joined = parameter.separator.map(|_| quote!(, explode = false));
    quote!(, #[oai(name = #name #default #joined)] #ident: #extractor<#value>)
}

/// The document's `{id}` is the framework's `:id`.
fn framework_path(path: &str) -> String {
    let segments = path.split('/').map(|segment| {
        let name = segment.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
        name.map_or_else(|| segment.to_owned(), |name| format!(":{name}"))
    });
    segments.collect::<Vec<_>>().join("/")
}
