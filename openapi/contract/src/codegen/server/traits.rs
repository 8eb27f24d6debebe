//! Writes `traits.rs`: one trait per tag, for handlers to implement.

use std::collections::BTreeSet;

use openapi_document::Location;
use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::{
    json_value, many_arguments, parameter_type, rust_type,
    successes::{success_name, success_type},
};
use crate::codegen::{
    format::docs,
    model::{Model, Operation, Type},
    names::{parameter as parameter_name, type_name, value_name},
};

pub(super) const DOCS: &str = "What handlers implement: one trait per tag, one method per \
    operation. The caller and the failure are associated types, so that nothing here depends on \
    the server. The codes of each error response are in the document.";

pub(super) fn generate(model: &Model) -> TokenStream {
    let traits = model.tags.iter().filter_map(|tag| {
        let operations: Vec<_> =
            model.operations.iter().filter(|operation| operation.tag == tag.name).collect();
        if operations.is_empty() {
            return None;
        }
        let name = trait_name(&tag.name);
        let documentation = docs(&tag.description);
        let methods = operations.into_iter().map(method);
        Some(quote! {
            #documentation
            pub trait #name: Api {
                #(#methods)*
            }
        })
    });
    let types = imported_types(model);
    let names = model
        .tags
        .iter()
        .filter(|tag| model.operations.iter().any(|operation| operation.tag == tag.name))
        .map(|tag| trait_name(&tag.name));
    let names: Vec<_> = names.collect();
    let value = json_value(model.operations.iter().flat_map(Operation::bodies));
    quote! {
        use std::future::Future;
        #value
        use super::{Problem, types::{#(#types),*}};

        /// The types that all traits share.
        pub trait Api: Send + Sync + 'static {
            /// The admitted caller.
            type Caller: Clone + Send + Sync + 'static;

            /// The error of a handler.
            type Failure: Into<Problem> + Send;
        }

        #(#traits)*

        /// The handlers of every operation.
        pub trait Handlers: #(#names)+* {}

        impl<A: #(#names)+*> Handlers for A {}
    }
}

pub(super) fn trait_name(tag: &str) -> Ident {
    type_name(&format!("{tag}-api"))
}

/// The types of a handler's arguments, after the caller.
pub(super) fn argument_types(operation: &Operation) -> Vec<TokenStream> {
    let path = operation.parameters_in(Location::Path).map(|parameter| rust_type(&parameter.value));
    let query = operation.parameters_in(Location::Query).next().map(|_| {
        let query = type_name(&format!("{}Query", operation.type_id));
        quote!(#query)
    });
    let headers = operation.header_arguments().map(parameter_type);
    let body = body_type(operation);
    path.chain(query).chain(headers).chain(body).collect()
}

/// The named types of all arguments.
pub(super) fn argument_idents(model: &Model) -> BTreeSet<Ident> {
    let queries = model.operations.iter().filter_map(|operation| {
        operation.parameters_in(Location::Query).next()?;
        Some(type_name(&format!("{}Query", operation.type_id)))
    });
    let paths = model.operations.iter().flat_map(|operation| {
        operation.parameters_in(Location::Path).map(|parameter| &parameter.value)
    });
    let headers = model
        .operations
        .iter()
        .flat_map(|operation| operation.header_arguments().map(|parameter| &parameter.value));
    let bodies = model.operations.iter().filter_map(|operation| operation.body.as_ref());
    let named = paths.chain(headers).chain(bodies).filter_map(Type::name).map(type_name);
    queries.chain(named).collect()
}

/// The type of the body as an argument.
pub(super) fn body_type(operation: &Operation) -> Option<TokenStream> {
    let body = rust_type(operation.body.as_ref()?);
    // Without one, a text or a file is empty.
    Some(if operation.body_required || operation.has_raw_body() {
        body
    } else {
        quote!(Option<#body>)
    })
}

/// Every type that traits use, once, sorted.
pub(super) fn imported_types(model: &Model) -> Vec<Ident> {
    let successes =
        model.operations.iter().filter_map(|operation| match operation.only_success() {
            Some(only) => only.body.as_ref().and_then(Type::name).map(type_name),
            None => Some(type_name(&success_name(operation))),
        });
    argument_idents(model)
        .into_iter()
        .chain(successes)
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect()
}

fn method(operation: &Operation) -> TokenStream {
    let documentation = docs(&documentation(operation));
    let name = value_name(&operation.id);
    let path = operation.parameters_in(Location::Path).map(|parameter| {
        let (name, parameter_type) = (parameter_name(&parameter.name), rust_type(&parameter.value));
        quote!(, #name: #parameter_type)
    });
    let query = operation.parameters_in(Location::Query).next().map(|_| {
        let query = type_name(&format!("{}Query", operation.type_id));
        quote!(, query: #query)
    });
    let headers = operation.header_arguments().map(|parameter| {
        let (name, parameter_type) = (parameter_name(&parameter.name), parameter_type(parameter));
        quote!(, #name: #parameter_type)
    });
    let allowed = many_arguments(argument_types(operation).len());
    let body = body_type(operation).map(|body| quote!(, body: #body));
    let success = success_type(operation);
    quote! {
        #documentation
        #allowed
        fn #name(&self, caller: Self::Caller #(#path)* #query #(#headers)* #body)
            -> impl Future<Output = Result<#success, Self::Failure>> + Send;
    }
}

fn documentation(operation: &Operation) -> String {
    let Operation { summary, description, method, path, scope, successes, .. } = operation;
    let mut successes: Vec<String> =
        successes.iter().map(|success| success.status.to_string()).collect();
    successes.extend(operation.other.iter().map(|_| "any other status".to_owned()));
    let stop = if summary.ends_with('.') { "" } else { "." };
    let scope = scope.as_ref().map(|scope| format!(", scope `{scope}`")).unwrap_or_default();
    let summary = if summary.is_empty() { String::new() } else { format!("{summary}{stop}\n\n") };
    let description =
        if description.is_empty() { String::new() } else { format!("{description}\n\n") };
    format!("{summary}{description}`{method} {path}`{scope}, responds {}.", successes.join(", "))
}
