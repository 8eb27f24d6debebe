//! Adapts progenitor's output to the client. Its types are open to newer servers (`types`), a call
//! gets what is required as arguments and builds its request without sending it (`builders`), lists
//! have pages (`pages`), and tables say what else the document knows (`tables`). `Client::new` is
//! removed and `new_with_client` is private, so that every client has a key. No `reqwest::Client`
//! is left: one could panic, or follow redirects, by the features of other packages.

mod bodies;
mod builders;
mod pages;
mod setter;
mod tables;
mod types;

use std::collections::HashMap;

use heck::ToUpperCamelCase;
use openapi_document::{Document, Operation};
use proc_macro2::TokenStream;
use quote::format_ident;
use syn::{
    Field, FnArg, ImplItem, ImplItemFn, Item, ItemImpl, ItemStruct, Visibility, parse_quote,
};

use self::builders::Argument;
use super::{
    docs::{of_call, of_client},
    tokens,
    type_overrides::TypeOverrides,
};
use crate::codegen::{ClientConfig, Config};

const SHAPE: &str = "progenitor is pinned, and its output has this shape";

pub(super) fn adapt(
    generated: TokenStream,
    document: &Document,
    config: &Config,
    client: &ClientConfig,
    overrides: &TypeOverrides,
) -> syn::File {
    let mut file: syn::File = syn::parse2(tokens::tidy(generated)).expect(SHAPE);
    file.items.retain(|item| !matches!(item, Item::Mod(module) if module.ident == "prelude"));
    file.items.retain(|item| !is_hooks(item));
    let mut arguments = HashMap::new();
    for item in &mut file.items {
        match item {
            Item::Use(import) if matches!(import.vis, Visibility::Public(_)) => {
                *import = parse_quote! {
                    use crate::{ids::encode_path, request::{RequestBuilder, Unsent}};
                };
            }
            Item::Mod(module) if module.ident == "types" => {
                types::adapt(module, document, overrides)
            }
            Item::Mod(module) if module.ident == "builder" => {
                arguments = builders::adapt(module, document, config, overrides)
            }
            _ => {}
        }
    }
    for item in &mut file.items {
        match item {
            Item::Struct(structure) if structure.ident == "Client" => {
                document_struct(structure, &of_client(document));
                let mut fields = structure.fields.iter_mut();
                let http = fields.find(|field| is_named(field, "client")).expect(SHAPE);
                http.ty = parse_quote! { crate::transport::Transport };
            }
            Item::Impl(block) if block.trait_.is_none() => {
                adapt_client(block, document, client, overrides, &arguments)
            }
            Item::Impl(block) => inherent(block),
            _ => {}
        }
    }
    file.items.retain(|item| !matches!(item, Item::Use(import) if is_of_hooks(import)));
    file.items.extend(tables::of(document, config));
    file
}

/// progenitor's way to send a request, which the client does not use.
fn is_hooks(item: &Item) -> bool {
    let Item::Impl(ItemImpl { trait_: Some((_, path, _)), .. }) = item else {
        return false;
    };
    path.segments.last().is_some_and(|segment| segment.ident == "ClientHooks")
}

/// progenitor's description of the client, of which its version is needed.
fn inherent(block: &mut ItemImpl) {
    block.trait_ = None;
    block
        .items
        .retain(|item| matches!(item, ImplItem::Fn(method) if method.sig.ident == "api_version"));
    methods(block).for_each(|method| method.vis = parse_quote! { pub(crate) });
}

fn is_of_hooks(import: &syn::ItemUse) -> bool {
    quote::ToTokens::to_token_stream(import).to_string().contains("OperationInfo")
}

fn is_named(field: &Field, name: &str) -> bool {
    field.ident.as_ref().is_some_and(|ident| ident == name)
}

fn document_struct(item: &mut ItemStruct, docs: &TokenStream) {
    item.attrs.retain(|attribute| !attribute.path().is_ident("doc"));
    let own: ItemStruct = parse_quote! { #docs struct Documented; };
    item.attrs.splice(0..0, own.attrs);
}

/// The methods that start a call take what is required.
fn adapt_client(
    block: &mut ItemImpl,
    document: &Document,
    client: &ClientConfig,
    overrides: &TypeOverrides,
    arguments: &HashMap<String, Vec<Argument>>,
) {
    block.items.retain(|item| !matches!(item, ImplItem::Fn(method) if method.sig.ident == "new"));
    for method in methods(block) {
        if method.sig.ident == "new_with_client" {
            method.vis = parse_quote! { pub(crate) };
            method.attrs.clear();
            method.sig.inputs[1] = parse_quote! { client: crate::transport::Transport };
        } else if let Some(operation) = operation_of(document, &method.sig.ident.to_string()) {
            let text = of_call(document, client, overrides, operation);
            *method = with_arguments(method, &text, operation, arguments);
        }
    }
}

fn with_arguments(
    method: &ImplItemFn,
    docs: &TokenStream,
    operation: &Operation,
    arguments: &HashMap<String, Vec<Argument>>,
) -> ImplItemFn {
    let name = &method.sig.ident;
    let builder = format_ident!("{}", operation.id.to_upper_camel_case());
    let arguments = arguments.get(&builder.to_string()).map_or(&[][..], Vec::as_slice);
    let inputs = arguments.iter().map(|Argument { name, target }| -> FnArg {
        parse_quote! { #name: impl TryInto<#target, Error: std::fmt::Display> }
    });
    let setters = arguments.iter().map(|argument| &argument.name);
    parse_quote! {
        #docs
        pub fn #name(&self, #(#inputs),*) -> builder::#builder {
            builder::#builder::new(self.clone()) #(.#setters(#setters))*
        }
    }
}

fn methods(block: &mut ItemImpl) -> impl Iterator<Item = &mut ImplItemFn> {
    block.items.iter_mut().filter_map(|item| match item {
        ImplItem::Fn(method) => Some(method),
        _ => None,
    })
}

/// The operation of a method (`get_loan`) or of a builder (`GetLoan`).
fn operation_of<'document>(
    document: &'document Document,
    name: &str,
) -> Option<&'document Operation> {
    let name = name.to_upper_camel_case();
    document.operations().iter().find(|operation| operation.id.to_upper_camel_case() == name)
}
