//! The types of requests and responses. Objects of responses keep the members that they do not
//! know; bodies of requests have builders (`bodies`).

use openapi_document::Document;
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Fields, ImplItem, Item, ItemImpl, ItemMod, ItemStruct, parse_quote};

use super::{SHAPE, bodies::Body};
use crate::codegen::client::{
    docs::{described, of_property},
    rules,
    type_overrides::TypeOverrides,
};

pub(super) fn adapt(module: &mut ItemMod, document: &Document, overrides: &TypeOverrides) {
    let (_, items) = module.content.as_mut().expect(SHAPE);
    let is_sent = |item: &Item| overrides.in_requests.contains(&named(item));
    // Types that only a server sends need no builder.
    items.retain(|item| !is_builder_method(item) || is_sent(item));
    let bodies = items.iter().filter(|item| is_sent(item)).filter_map(|item| match item {
        Item::Struct(body) if matches!(body.fields, Fields::Named(_)) => Some(body),
        _ => None,
    });
    let bodies: Vec<Body> = bodies.map(|body| Body::of(body, document, overrides)).collect();
    let mut further: Vec<Item> = vec![rules::module(document, overrides)];
    for item in items.iter_mut() {
        if let Item::Struct(object) = item {
            document_fields(object, document, overrides);
        }
        let is_received = overrides.in_responses.contains(&named(item)) && !is_sent(item);
        match item {
            Item::Struct(object) if is_received && matches!(object.fields, Fields::Named(_)) => {
                further.push(opened(object))
            }
            Item::Struct(object) => {
                let changes = object.fields.iter_mut().filter(|field| is_change(&field.ty));
                changes.for_each(keep_absent);
                // Builders make it, so that another optional property breaks nobody.
                if matches!(object.fields, Fields::Named(_)) {
                    object.attrs.push(parse_quote! { #[non_exhaustive] });
                }
            }
            Item::Impl(block) if builder_of(block).is_some() => {
                let name = block.self_ty.to_token_stream().to_string();
                let mut bodies = bodies.iter();
                block.items = vec![bodies.find(|body| body.name == name).expect(SHAPE).start()];
            }
            Item::Mod(module) if module.ident == "builder" => {
                let (_, items) = module.content.as_mut().expect(SHAPE);
                *items = vec![parse_quote! { #[allow(unused_imports)] use super::*; }];
                items.extend(bodies.iter().flat_map(Body::builder));
            }
            _ => {}
        }
    }
    further.extend(overrides.definitions(document).into_iter().map(|definition| -> Item {
        parse_quote! { #definition }
    }));
    items.extend(further);
}

/// Fields without documentation get that of their component.
fn document_fields(object: &mut ItemStruct, document: &Document, overrides: &TypeOverrides) {
    let component = object.ident.to_string();
    for field in &mut object.fields {
        let has_docs = field.attrs.iter().any(|attribute| attribute.path().is_ident("doc"));
        if let Some(name) = field.ident.as_ref().filter(|_| !has_docs) {
            let text = of_property(document, overrides, &component, &name.to_string());
            let text = described(&text);
            let documented: ItemStruct = parse_quote! { #text struct Documented; };
            field.attrs.splice(0..0, documented.attrs);
        }
    }
}

/// Lets an object keep the members that it does not know; the item that reads it.
fn opened(object: &mut ItemStruct) -> Item {
    let Fields::Named(fields) = &mut object.fields else { unreachable!("its fields have names") };
    let table = fields.named.iter().map(|field| {
        let ident = field.ident.as_ref().expect("its fields have names");
        let (name, attributes) = (wire_name(field), serde_attributes(field));
        let need = match attributes.contains("skip_serializing_if") {
            true => quote! { optional },
            false => quote! { required },
        };
        quote! { #ident = #name #need, }
    });
    let table: TokenStream = table.collect();
    for field in &mut fields.named {
        field.attrs.iter_mut().for_each(without_deserialize);
        field.attrs.retain(|attribute| attribute.to_token_stream().to_string() != "# [serde ()]");
    }
    fields.named.push(parse_quote! {
        /// The members that this version of the client does not know.
        #[serde(flatten)]
        pub unknown_fields: crate::UnknownFields
    });
    for attribute in &mut object.attrs {
        if attribute.path().is_ident("derive") {
            *attribute = parse_quote! { #[derive(::serde::Serialize, Clone, Debug, PartialEq)] };
        }
    }
    object.attrs.push(parse_quote! { #[non_exhaustive] });
    let name = &object.ident;
    parse_quote! { crate::open_object::open_object! { #name { #table } } }
}

fn serde_attributes(field: &syn::Field) -> String {
    let attributes = field.attrs.iter().filter(|attribute| attribute.path().is_ident("serde"));
    attributes.map(|attribute| attribute.to_token_stream().to_string()).collect()
}

/// The name of a field as the document spells it.
pub(super) fn wire_name(field: &syn::Field) -> String {
    let attributes = serde_attributes(field);
    let name = attributes.split_once("rename = \"").and_then(|(_, rest)| rest.split_once('"'));
    let ident = || field.ident.as_ref().map(ToString::to_string).unwrap_or_default();
    name.map_or_else(ident, |(name, _)| name.to_owned())
}

/// Removes what serde's derive needs for reading alone.
fn without_deserialize(attribute: &mut syn::Attribute) {
    let syn::Meta::List(list) = &mut attribute.meta else { return };
    if !list.path.is_ident("serde") {
        return;
    }
    let Ok(kept) = list.parse_args_with(
        syn::punctuated::Punctuated::<syn::Meta, syn::Token![,]>::parse_terminated,
    ) else {
        return;
    };
    let reads = ["default", "deserialize_with"];
    let kept = kept.into_iter().filter(|meta| !reads.iter().any(|name| meta.path().is_ident(name)));
    list.tokens = quote! { #(#kept),* };
}

/// Whether it is the `impl` block with `builder()` only.
fn is_builder_method(item: &Item) -> bool {
    matches!(item, Item::Impl(block) if builder_of(block).is_some())
}

fn builder_of(block: &ItemImpl) -> Option<&syn::ImplItemFn> {
    match block.items.as_slice() {
        [ImplItem::Fn(only)] if block.trait_.is_none() && only.sig.ident == "builder" => Some(only),
        _ => None,
    }
}

/// The struct that an item defines or implements something for.
fn named(item: &Item) -> String {
    let last_segment =
        |path: &syn::Path| path.segments.last().map(|segment| segment.ident.to_string());
    match item {
        Item::Struct(structure) => structure.ident.to_string(),
        Item::Impl(block) => match block.self_ty.as_ref() {
            syn::Type::Path(own) => last_segment(&own.path).unwrap_or_default(),
            _ => String::new(),
        },
        _ => String::new(),
    }
}

pub(super) fn is_change(field_type: &syn::Type) -> bool {
    field_type.to_token_stream().to_string().starts_with("crate :: Change")
}

/// A `Change` that keeps the value is serialized as an absent field.
fn keep_absent(field: &mut syn::Field) {
    for attribute in &mut field.attrs {
        let syn::Meta::List(list) = &mut attribute.meta else {
            continue;
        };
        if list.path.is_ident("serde") {
            let rewritten = list
                .tokens
                .to_string()
                .replace("::std::option::Option::is_none", "crate::Change::is_keep");
            let arguments: TokenStream =
                rewritten.parse().expect("one path was replaced by another");
            list.tokens = quote! { default, #arguments };
        }
    }
}
