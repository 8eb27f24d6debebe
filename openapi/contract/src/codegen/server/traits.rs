//! Writes `traits.rs`: one trait per tag, for handlers to implement.

use openapi_document::Location;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::{
    many_arguments, parameter_type, queries::query_name, rust_type, successes::success_type,
};
use crate::codegen::{
    format::{docs, template},
    model::{Model, Operation, Parameter, Tag},
    names::{parameter as parameter_name, trait_name, value_name},
};

pub(super) const DOCS: &str = "What handlers implement: one trait per tag, one method per \
    operation. The caller and the failure are associated types, so that nothing here depends on \
    the server. The codes of each error response are in the document.";

pub(super) fn generate(model: &Model) -> TokenStream {
    let tags = tags(model);
    let names: Vec<_> = tags.iter().map(|(name, ..)| name).collect();
    let traits = tags.iter().map(|(name, tag, operations)| {
        let documentation = docs(&tag.description);
        let methods = operations.iter().map(|operation| method(operation));
        quote! {
            #documentation
            pub trait #name: Api {
                #(#methods)*
            }
        }
    });
    let tokens = [("traits", quote!(#(#traits)*)), ("names", quote!(#(#names)+*))];
    template(include_str!("templates/traits.rs.txt"), &tokens)
}

/// The tags that have operations, each with the name of its trait.
pub(super) fn tags(model: &Model) -> Vec<(Ident, &Tag, Vec<&Operation>)> {
    let tags = model.tags.iter().map(|tag| {
        let operations = model.operations.iter().filter(|operation| operation.tag == tag.name);
        (trait_name(&tag.name), tag, operations.collect::<Vec<_>>())
    });
    tags.filter(|(_, _, operations)| !operations.is_empty()).collect()
}

/// An argument of a handler, after the caller.
pub(super) struct Argument<'m> {
    pub(super) ident: Ident,
    pub(super) value: TokenStream,
    /// Its extractor in the framework.
    pub(super) extractor: Ident,
    /// The parameter; none for the query as a whole, and for the body.
    pub(super) parameter: Option<&'m Parameter>,
}

pub(super) fn arguments(operation: &Operation) -> Vec<Argument<'_>> {
    let argument = |ident, value, extractor, parameter| {
        let extractor = format_ident!("{extractor}");
        Argument { ident, value, extractor, parameter }
    };
    let path = operation.parameters_in(Location::Path).map(|parameter| {
        let value = rust_type(&parameter.value);
        argument(parameter_name(&parameter.name), value, "Path", Some(parameter))
    });
    let query = operation.parameters_in(Location::Query).next().map(|_| {
        let query = query_name(operation);
        argument(format_ident!("query"), quote!(#query), "Query", None)
    });
    let headers = operation.header_arguments().map(|parameter| {
        let value = parameter_type(parameter);
        argument(parameter_name(&parameter.name), value, "Header", Some(parameter))
    });
    let accept = operation.has_representations().then(|| {
        argument(format_ident!("accept"), quote!(openapi_runtime::Accept), "Header", None)
    });
    let body = body_type(operation);
    let body = body.map(|body| argument(format_ident!("body"), body, "Json", None));
    path.chain(query).chain(headers).chain(accept).chain(body).collect()
}

pub(super) fn argument_types(operation: &Operation) -> Vec<TokenStream> {
    arguments(operation).into_iter().map(|argument| argument.value).collect()
}

fn body_type(operation: &Operation) -> Option<TokenStream> {
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
    let arguments = arguments(operation);
    let allowed = many_arguments(arguments.len());
    let arguments = arguments.iter().map(|Argument { ident, value, .. }| quote!(#ident: #value));
    let success = success_type(operation);
    quote! {
        #documentation
        #allowed
        fn #name(&self, caller: Self::Caller #(, #arguments)*)
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
