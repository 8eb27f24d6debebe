//! The requests of calls, by progenitor: it gets the operations without their names and schemas, so
//! that there is nothing to reject, and its `send` builds the request from the arguments. Responses
//! are the client's: progenitor loses status and request id of a body that it cannot parse.

use std::collections::HashMap;

use openapi_document::Location;
use openapiv3::OpenAPI;
use proc_macro2::{Group, Literal, TokenStream, TokenTree};
use progenitor::{GenerationSettings, Generator, InterfaceStyle, TagStyle};
use quote::{ToTokens, quote};
use serde_json::{Value, json};
use syn::{ImplItem, Item, ItemImpl, Local, Stmt};

use super::Api;
use crate::codegen::{
    model::{BodyFormat, Encoding, Format, Operation, Parameter, Part},
    names,
};

const SHAPE: &str = "progenitor is pinned, and its output has this shape";

/// For each operation, in their order, the statements that end with the request.
pub(super) fn of(api: &Api<'_>) -> Vec<TokenStream> {
    let mut settings = GenerationSettings::new();
    settings.with_interface(InterfaceStyle::Builder).with_tag(TagStyle::Merged);
    let generated = Generator::new(&settings).generate_tokens(&calls(api)).expect(SHAPE);
    let file: syn::File = syn::parse2(generated).expect(SHAPE);
    let builders = file.items.into_iter().find_map(|item| match item {
        Item::Mod(module) if module.ident == "builder" => module.content,
        _ => None,
    });
    let items = builders.into_iter().flat_map(|(_, items)| items);
    let blocks = items.filter_map(|item| match item {
        Item::Impl(block) => {
            let name = block.self_ty.to_token_stream().to_string();
            Some((name.split(' ').next()?.to_owned(), block))
        }
        _ => None,
    });
    let blocks: HashMap<String, ItemImpl> = blocks.collect();
    let requests = api.operations.iter().enumerate();
    requests
        .map(|(index, operation)| {
            let block = blocks.get(&format!("Op{index:03}")).expect(SHAPE);
            request(api, block, index, operation)
        })
        .collect()
}

/// The operations `op0`, `op1` and so on, with the parameters `p0`, `p1` and so on, of any type.
fn calls(api: &Api<'_>) -> OpenAPI {
    let mut paths = json!({});
    for (index, operation) in api.operations.iter().enumerate() {
        let arguments = api.arguments_of(operation);
        let parameters = arguments.iter().enumerate().map(|(index, parameter)| {
            let location = format!("{:?}", parameter.location).to_lowercase();
            let required = parameter.required;
            let name = format!("p{index:03}");
            json!({ "name": name, "in": location, "required": required, "schema": {} })
        });
        let mut call = json!({
            "operationId": format!("op{index:03}"),
            "parameters": parameters.collect::<Vec<Value>>(),
            "responses": {},
        });
        if operation.body.is_some() {
            let content = json!({ "application/json": { "schema": {} } });
            call["requestBody"] = json!({ "required": true, "content": content });
        }
        let path = operation.path.split(['{', '}']).enumerate().map(|(part, text)| {
            let is_it = |parameter: &&Parameter| {
                parameter.location == Location::Path && parameter.name == text
            };
            match arguments.iter().position(is_it).filter(|_| part % 2 == 1) {
                Some(index) => format!("{{p{index:03}}}"),
                None => text.to_owned(),
            }
        });
        paths[format!("/op{index:03}{}", path.collect::<String>())]["post"] = call;
    }
    let info = json!({ "title": "", "version": "" });
    let document = json!({ "openapi": "3.0.3", "info": info, "paths": paths });
    serde_json::from_value(document).expect("it has what a document needs")
}

/// The statements of `send` between its arguments and the response, with the client's own builder
/// of requests and the names of the document.
fn request(api: &Api<'_>, block: &ItemImpl, index: usize, operation: &Operation) -> TokenStream {
    let send = block.items.iter().find_map(|item| match item {
        ImplItem::Fn(method) if method.sig.ident == "send" => Some(&method.block.stmts),
        _ => None,
    });
    let arguments = api.arguments_of(operation);
    let values = arguments.len() + operation.body.iter().len();
    let mut statements = send.expect(SHAPE).iter().skip(1 + values);
    let is_header = |argument: &&Parameter| argument.location == Location::Header;
    let has_headers = api.client.by_hand || arguments.iter().any(is_header);
    let mut before = String::new();
    let built = loop {
        let statement = statements.next().expect(SHAPE);
        let text = statement.to_token_stream().to_string();
        match statement {
            Stmt::Local(Local { init: Some(init), .. }) if text.contains(". build ()") => {
                break init.expr.to_token_stream();
            }
            // progenitor always sends this header, which not every API has.
            _ if !api.client.by_hand && text.contains("\"api-version\"") => {}
            _ if !has_headers && text.starts_with("let mut header_map") => {}
            _ => before.push_str(&text),
        }
    };
    let method = &operation.method;
    let mut built = built.to_string();
    if !has_headers {
        built = built.replace(". headers (header_map)", "");
    }
    let mut text = format!("{before} Ok({built})")
        .replace("client . baseurl", "client . connection . base_url ()")
        .replace(":: reqwest ::", "reqwest ::")
        .replace(
            "client . client . post (",
            &format!("RequestBuilder :: new (reqwest :: Method :: {method} , "),
        )
        .replace(&format!("\"{{}}/op{index:03}"), "\"{}")
        .replace(". json (& body)", &body(operation).to_string())
        .replace(". build ()", &format!("{} . build ()", accept(operation)));
    for (index, style) in arguments.iter().map(|parameter| style(parameter)).enumerate() {
        let styled = style.map(|style| format!(". query_as ({style} , & (\"p{index:03}\""));
        let plain = format!(". query (& (\"p{index:03}\"");
        let found = format!(". query (& progenitor_client :: QueryParam :: new (\"p{index:03}\"");
        let inserted = format!("header_map . insert (\"p{index:03}\"");
        text = text
            .replace(&found, &styled.unwrap_or(plain))
            .replace(&inserted.replace("insert", "append"), &inserted);
    }
    renamed(text.parse().expect("calls were replaced by others"), &arguments)
}

/// Writes the names of the document for those that progenitor got.
fn renamed(tokens: TokenStream, arguments: &[&Parameter]) -> TokenStream {
    let argument = |text: &str| {
        let index: usize = text.strip_prefix('p')?.parse().ok()?;
        arguments.get(index)
    };
    let token = |token| match token {
        TokenTree::Group(group) => {
            Group::new(group.delimiter(), renamed(group.stream(), arguments)).into()
        }
        TokenTree::Ident(ident) => match argument(&ident.to_string()) {
            Some(parameter) => names::local(&parameter.name).into(),
            None => TokenTree::Ident(ident),
        },
        TokenTree::Literal(literal) => match argument(literal.to_string().trim_matches('"')) {
            Some(Parameter { location: Location::Header, name, .. }) => {
                Literal::string(&name.to_lowercase()).into()
            }
            Some(parameter) => Literal::string(&parameter.name).into(),
            None => TokenTree::Literal(literal),
        },
        token @ TokenTree::Punct(_) => token,
    };
    tokens.into_iter().map(token).collect()
}

/// How a value of the query is written, where it is not one text or a text for each item.
fn style(parameter: &Parameter) -> Option<TokenStream> {
    let encoding = parameter.encoding.or(parameter.separator.map(Encoding::Separated));
    encoding.map(written_as)
}

fn written_as(encoding: Encoding) -> TokenStream {
    let style = match encoding {
        Encoding::Brackets => quote!(Brackets),
        Encoding::Json => quote!(Json),
        Encoding::Separated(separator) => quote!(Joined(#separator)),
        Encoding::Exploded => quote!(Members),
    };
    quote!(openapi_client::request::Style::#style)
}

/// The call that asks for the representations that the client reads, where a response has others.
fn accept(operation: &Operation) -> TokenStream {
    if !operation.has_representations() {
        return TokenStream::new();
    }
    let mut preferred: Vec<&str> = Vec::new();
    for representation in operation.replies().filter_map(|it| it.representations.first()) {
        if !preferred.contains(&&*representation.media_type) {
            preferred.push(&representation.media_type);
        }
    }
    let preferred = preferred.join(", ");
    quote!(.accept(#preferred))
}

/// The call that adds the body to the request.
fn body(operation: &Operation) -> TokenStream {
    let Some(BodyFormat { format, media_type, encodings, parts }) = operation.body_formats.first()
    else {
        return TokenStream::new();
    };
    let parts = parts.iter().filter_map(|(name, part)| {
        let part = match part {
            Part::Text => return None,
            Part::Json | Part::JsonList => quote!(Json),
            Part::File { media_types, .. } => {
                let mut exact = media_types.iter().filter(|it| !it.contains('*'));
                let media_type = exact.next().map_or("application/octet-stream", String::as_str);
                quote!(File(#media_type))
            }
        };
        Some(quote!((#name, openapi_client::request::Part::#part)))
    });
    let encodings = encodings.iter().map(|(name, encoding)| {
        let style = written_as(*encoding);
        quote!((#name, #style))
    });
    let added = |raw: TokenStream| match format {
        Format::Json if media_type == "application/json" => quote!(json(&body)),
        Format::Json => quote!(json(&body).content_type(#media_type)),
        Format::Form => quote!(form(&body, &[#(#encodings),*])),
        Format::Multipart => quote!(multipart(&body, &[#(#parts),*])),
        Format::Text | Format::Bytes => quote!(body(#raw).content_type(#media_type)),
    };
    if operation.body_required {
        let added = added(quote!(body));
        return quote!(.#added);
    }
    let added = added(quote!(body.clone()));
    quote!(.with(body.as_ref(), |request, body| request.#added))
}
