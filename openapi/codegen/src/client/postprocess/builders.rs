//! The builders of calls. What is required comes with the method that makes the builder; the rest
//! has a setter each. `send` gives the request to the client, which sends and repeats it.

use std::collections::HashMap;

use heck::ToUpperCamelCase;
use openapi_document::{Document, Operation};
use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::{
    Block, Generics, Ident, ImplItem, ImplItemFn, Item, ItemImpl, ItemMod, PathArguments, Stmt,
    Visibility, parse_quote,
};

use super::{
    SHAPE, methods, operation_of, pages,
    setter::{setter, target_of},
};
use crate::{
    Config,
    client::{
        docs::{of_parameter, of_send},
        type_overrides::{is_argument, success_component},
    },
    format::docs,
};

/// A required value of a call.
pub(super) struct Argument {
    pub(super) name: Ident,
    /// The type that it is converted into.
    pub(super) target: syn::Type,
}

/// Adapts every builder; the arguments of each.
pub(super) fn adapt(
    module: &mut ItemMod,
    document: &Document,
    config: &Config,
) -> HashMap<String, Vec<Argument>> {
    let (_, items) = module.content.as_mut().expect(SHAPE);
    items.iter_mut().for_each(without_hooks);
    let mut arguments = HashMap::new();
    let mut lists = Vec::new();
    items.iter_mut().for_each(with_own_client);
    for item in items.iter_mut() {
        let Item::Impl(block) = item else { continue };
        let name = block.self_ty.to_token_stream().to_string();
        let operation =
            operation_of(document, &name).expect("each builder belongs to an operation");
        arguments.insert(name, adapt_builder(block, operation));
        block.items.push(send(document, operation));
        if let Some(list) = pages::List::of(document, config, operation) {
            block.items.extend(list.methods());
            lists.push(list);
        }
    }
    items.extend(lists.iter().flat_map(pages::List::implementations));
    arguments
}

/// A builder owns its client, so that a list outlives the client that it was made with.
fn with_own_client(item: &mut Item) {
    match item {
        Item::Struct(builder) => {
            builder.generics = Generics::default();
            let client = builder.fields.iter_mut().next().expect(SHAPE);
            client.ty = parse_quote! { super::Client };
            builder
                .attrs
                .push(parse_quote! { #[must_use = "nothing is sent until `send` is called"] });
        }
        Item::Impl(block) => {
            block.generics = Generics::default();
            let syn::Type::Path(own) = block.self_ty.as_mut() else { unreachable!("{SHAPE}") };
            own.path.segments.last_mut().expect(SHAPE).arguments = PathArguments::None;
        }
        _ => {}
    }
}

fn adapt_builder(block: &mut ItemImpl, operation: &Operation) -> Vec<Argument> {
    let required = required(operation);
    block.items.retain(|item| !is_named(item, "body_map"));
    let mut arguments = Vec::new();
    for method in methods(block) {
        match method.sig.ident.to_string().as_str() {
            "new" => {
                method.vis = parse_quote! { pub(super) };
                method.sig.inputs = parse_quote! { client: super::Client };
            }
            "send" => *method = request(method, operation),
            name => {
                let text = match name {
                    "body" => docs("The body: the value, or its builder."),
                    parameter => of_parameter(operation, parameter),
                };
                let position = required.iter().position(|required| required == name);
                let visibility: Visibility = match position {
                    Some(_) => parse_quote! { pub(super) },
                    None => parse_quote! { pub },
                };
                if let Some(position) = position {
                    let target = target_of(method).clone();
                    arguments.push((position, Argument { name: method.sig.ident.clone(), target }));
                }
                *method = setter(method, &visibility, &text);
            }
        }
    }
    arguments.sort_by_key(|(position, _)| *position);
    arguments.into_iter().map(|(_, argument)| argument).collect()
}

/// The names of what a call needs, in the order of the document: parameters, then the body.
fn required(operation: &Operation) -> Vec<String> {
    let parameters = operation.parameters.iter();
    let parameters = parameters.filter(|parameter| parameter.required && is_argument(parameter));
    let names = parameters.map(|parameter| heck::AsSnakeCase(&parameter.name).to_string());
    let body = operation.body.as_ref().filter(|body| body.required);
    names.chain(body.map(|_| "body".to_owned())).collect()
}

/// progenitor's `send` until the request is built, by the client's own builder of requests. The
/// version of the API is not its own header, but one of those that the client adds to every request.
fn request(send: &ImplItemFn, operation: &Operation) -> ImplItemFn {
    let method = operation.method.to_string();
    let http = format!("client . client . {} (", method.to_lowercase());
    let builder = format!("RequestBuilder :: new (reqwest :: Method :: {method} , ");
    let own = |statement: &dyn ToTokens| {
        let text = statement.to_token_stream().to_string().replace(&http, &builder);
        let text = text.replace("progenitor_client :: QueryParam :: new", "");
        text.replace("Error :: InvalidRequest", "Unsent")
    };
    let is_request = |statement: &Stmt| {
        matches!(statement, Stmt::Local(local)
            if local.pat.to_token_stream().to_string() == "mut request")
    };
    let end = send.block.stmts.iter().position(is_request).expect(SHAPE);
    let Stmt::Local(local) = &send.block.stmts[end] else { unreachable!("it is the request") };
    let mut built = own(&local.init.as_ref().expect(SHAPE).expr);
    built.truncate(built.trim_end_matches([' ', '?']).len());
    let before = send.block.stmts[..end].iter().map(|statement| own(statement));
    let mut before: Vec<String> =
        before.filter(|statement| !statement.contains("\"api-version\"")).collect();
    if !before.iter().any(|statement| statement.contains("header_map . append")) {
        before.retain(|statement| !statement.contains("header_map"));
        built = built.replace(". headers (header_map)", "");
    }
    let block = format!("{{ {} {built} }}", before.concat());
    let block: Block = syn::parse_str(&block).expect("calls were replaced by others");
    parse_quote! { fn request(self) -> Result<reqwest::Request, Unsent> #block }
}

fn send(document: &Document, operation: &Operation) -> ImplItem {
    let success = success_component(document, operation).expect("`read` checked it");
    let success = format_ident!("{success}");
    let variant = format_ident!("{}", operation.id.to_upper_camel_case());
    let text = of_send(operation);
    parse_quote! {
        #text
        pub async fn send(self) -> Result<crate::Response<types::#success>, crate::Error> {
            let client = self.client.clone();
            client.call(crate::Operation::#variant, self.request()).await
        }
    }
}

/// The imports of what `request` left out.
fn without_hooks(item: &mut Item) {
    if let Item::Use(import) = item
        && import.to_token_stream().to_string().contains("ByteStream")
    {
        let kept: TokenStream =
            quote! { #[allow(unused_imports)] use super::{RequestBuilder, Unsent, encode_path}; };
        *item = syn::parse2(kept).expect("it is an import");
    }
}

fn is_named(item: &ImplItem, name: &str) -> bool {
    matches!(item, ImplItem::Fn(method) if method.sig.ident == name)
}
