//! The requests of calls, by progenitor: it gets the operations without their schemas, and its
//! `send` builds the request from the arguments. Responses are the client's: progenitor loses
//! status and request id of a body that it cannot parse.

use std::collections::HashMap;

use openapiv3::OpenAPI;
use proc_macro2::TokenStream;
use progenitor::{GenerationSettings, Generator, InterfaceStyle, TagStyle};
use quote::ToTokens;
use serde_json::{Value, json};
use syn::{ImplItem, Item, ItemImpl, Local, Stmt};

use super::arguments_of;
use crate::codegen::{
    CodegenError,
    model::{Model, Operation},
    names::type_name,
};

const SHAPE: &str = "progenitor is pinned, and its output has this shape";

/// For each operation, by its builder, the statements that end with the request.
pub(super) fn of(model: &Model) -> Result<HashMap<String, TokenStream>, CodegenError> {
    let mut settings = GenerationSettings::new();
    settings.with_interface(InterfaceStyle::Builder).with_tag(TagStyle::Merged);
    let generated = Generator::new(&settings).generate_tokens(&calls(model))?;
    let file: syn::File = syn::parse2(generated).expect(SHAPE);
    let builders = file.items.into_iter().find_map(|item| match item {
        Item::Mod(module) if module.ident == "builder" => module.content,
        _ => None,
    });
    let blocks: Vec<ItemImpl> = builders
        .into_iter()
        .flat_map(|(_, items)| items)
        .filter_map(|item| match item {
            Item::Impl(block) => Some(block),
            _ => None,
        })
        .collect();
    let request = |operation: &Operation| {
        let name = type_name(&operation.id).to_string();
        let is_its = |block: &&ItemImpl| {
            block.self_ty.to_token_stream().to_string().split(' ').next() == Some(&name)
        };
        let block = blocks.iter().find(is_its).expect(SHAPE);
        (name.clone(), request(block, operation))
    };
    Ok(model.operations.iter().map(request).collect())
}

/// The operations with parameters and bodies of any type.
fn calls(model: &Model) -> OpenAPI {
    let mut paths = json!({});
    for operation in &model.operations {
        let parameters = arguments_of(operation).into_iter().map(|parameter| {
            let location = format!("{:?}", parameter.location).to_lowercase();
            let required = parameter.required;
            json!({ "name": parameter.name, "in": location, "required": required, "schema": {} })
        });
        let mut call = json!({
            "operationId": operation.id,
            "parameters": parameters.collect::<Vec<Value>>(),
            "responses": {},
        });
        if let Some(format) = operation.body_formats.first() {
            let content = json!({ format.media_type.as_str(): { "schema": {} } });
            call["requestBody"] = json!({ "required": true, "content": content });
        }
        paths[&operation.path][operation.method.to_lowercase()] = call;
    }
    let info = json!({ "title": "", "version": "" });
    let document = json!({ "openapi": "3.0.3", "info": info, "paths": paths });
    serde_json::from_value(document).expect("it has what a document needs")
}

/// The statements of `send` between its arguments and the response, with the client's own builder
/// of requests.
fn request(block: &ItemImpl, operation: &Operation) -> TokenStream {
    let send = block.items.iter().find_map(|item| match item {
        ImplItem::Fn(method) if method.sig.ident == "send" => Some(&method.block.stmts),
        _ => None,
    });
    let arguments = arguments_of(operation).len() + operation.body_formats.len().min(1);
    let mut statements = send.expect(SHAPE).iter().skip(1 + arguments);
    let mut before = String::new();
    let built = loop {
        let statement = statements.next().expect(SHAPE);
        let text = statement.to_token_stream().to_string();
        match statement {
            Stmt::Local(Local { init: Some(init), .. }) if text.contains(". build ()") => {
                break init.expr.to_token_stream();
            }
            _ => before.push_str(&text),
        }
    };
    let method = &operation.method;
    let text = format!("{before} Ok({built})")
        .replace(
            &format!("client . client . {} (", method.to_lowercase()),
            &format!("RequestBuilder :: new (reqwest :: Method :: {method} , "),
        )
        .replace("progenitor_client :: QueryParam :: new", "");
    text.parse().expect("calls were replaced by others")
}
