//! Writes `traits.rs`: one trait per tag, for handlers to implement.

use openapi_document::Location;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::{many_arguments, parameter_type, rust_type, successes::success_type};
use crate::codegen::{
    format::docs,
    model::{Model, Operation, Parameter},
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
    let names = model
        .tags
        .iter()
        .filter(|tag| model.operations.iter().any(|operation| operation.tag == tag.name))
        .map(|tag| trait_name(&tag.name));
    let names: Vec<_> = names.collect();
    quote! {
        use std::future::Future;
        use serde_json::Value;
        use super::{Problem, types::*};

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

/// The arguments of a handler after the caller: the name and the type of each.
fn arguments(operation: &Operation) -> Vec<(Ident, TokenStream)> {
    let name = |parameter: &Parameter| parameter_name(&parameter.name);
    let path = operation
        .parameters_in(Location::Path)
        .map(|parameter| (name(parameter), rust_type(&parameter.value)));
    let query = operation.parameters_in(Location::Query).next().map(|_| {
        let query = type_name(&format!("{}Query", operation.type_id));
        (format_ident!("query"), quote!(#query))
    });
    let headers =
        operation.header_arguments().map(|parameter| (name(parameter), parameter_type(parameter)));
    let body = body_type(operation).map(|body| (format_ident!("body"), body));
    path.chain(query).chain(headers).chain(body).collect()
}

/// The types of a handler's arguments, after the caller.
pub(super) fn argument_types(operation: &Operation) -> Vec<TokenStream> {
    arguments(operation).into_iter().map(|(_, value)| value).collect()
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

fn method(operation: &Operation) -> TokenStream {
    let documentation = docs(&documentation(operation));
    let name = value_name(&operation.id);
    let (names, types): (Vec<_>, Vec<_>) = arguments(operation).into_iter().unzip();
    let allowed = many_arguments(names.len());
    let success = success_type(operation);
    quote! {
        #documentation
        #allowed
        fn #name(&self, caller: Self::Caller #(, #names: #types)*)
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
