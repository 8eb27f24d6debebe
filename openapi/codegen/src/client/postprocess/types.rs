//! The types of requests and responses. Objects of responses keep the members that they do not
//! know; builders of bodies take the required properties, and have a setter for each other one.

use std::collections::HashMap;

use openapi_document::Document;
use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::{Fields, FnArg, ImplItem, Item, ItemImpl, ItemMod, ItemStruct, Visibility, parse_quote};

use super::{
    SHAPE,
    builders::Argument,
    methods,
    setter::{setter, target_of},
};
use crate::client::{docs::of_property, type_overrides::TypeOverrides};

pub(super) fn adapt(module: &mut ItemMod, document: &Document, overrides: &TypeOverrides) {
    let (_, items) = module.content.as_mut().expect(SHAPE);
    let is_sent = |item: &Item| overrides.in_requests.contains(&named(item));
    // Types that only a server sends need no builder.
    items.retain(|item| !is_builder_method(item) || is_sent(item));
    let arguments = items.iter_mut().find_map(|item| match item {
        Item::Mod(builders) if builders.ident == "builder" => {
            Some(adapt_body_builders(builders, document, overrides))
        }
        _ => None,
    });
    let arguments = arguments.unwrap_or_default();
    let mut further: Vec<Item> = Vec::new();
    for item in items.iter_mut() {
        if let Item::Struct(object) = item {
            document_fields(object, document);
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
            Item::Impl(block) if block.trait_.is_none() => with_required(block, &arguments),
            _ => {}
        }
    }
    further.extend(items.iter().filter(|item| is_sent(item)).filter_map(from_str));
    further.extend(overrides.definitions(document).into_iter().map(|definition| -> Item {
        parse_quote! { #definition }
    }));
    items.extend(further);
}

/// Fields without documentation get that of their component.
fn document_fields(object: &mut ItemStruct, document: &Document) {
    let component = object.ident.to_string();
    for field in &mut object.fields {
        let has_docs = field.attrs.iter().any(|attribute| attribute.path().is_ident("doc"));
        if let Some(name) = field.ident.as_ref().filter(|_| !has_docs) {
            let text = of_property(document, &component, &name.to_string());
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
        let attributes = field.attrs.iter().filter(|attribute| attribute.path().is_ident("serde"));
        let attributes: String =
            attributes.map(|attribute| attribute.to_token_stream().to_string()).collect();
        let name = attributes.split_once("rename = \"").and_then(|(_, rest)| rest.split_once('"'));
        let name = name.map_or_else(|| ident.to_string(), |(name, _)| name.to_owned());
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

/// The conversion from `&str` of a text without limits; progenitor writes it for the others.
fn from_str(item: &Item) -> Option<Item> {
    let Item::Struct(ItemStruct { ident, fields: Fields::Unnamed(fields), .. }) = item else {
        return None;
    };
    let [field] = fields.unnamed.iter().collect::<Vec<_>>()[..] else {
        return None;
    };
    let is_text = field.ty.to_token_stream().to_string() == ":: std :: string :: String";
    let has_limits = matches!(field.vis, Visibility::Inherited);
    (is_text && !has_limits).then(|| {
        parse_quote! {
            impl From<&str> for #ident {
                fn from(text: &str) -> Self {
                    Self(text.to_owned())
                }
            }
        }
    })
}

/// Whether it is the `impl` block with `builder()` only.
fn is_builder_method(item: &Item) -> bool {
    matches!(item, Item::Impl(block) if block.trait_.is_none() && builder_of(block).is_some())
}

fn builder_of(block: &ItemImpl) -> Option<&syn::ImplItemFn> {
    match block.items.as_slice() {
        [ImplItem::Fn(only)] if only.sig.ident == "builder" => Some(only),
        _ => None,
    }
}

/// `builder()` takes the required properties.
fn with_required(block: &mut ItemImpl, arguments: &HashMap<String, Vec<Argument>>) {
    if builder_of(block).is_none() {
        return;
    }
    let name = format_ident!("{}", block.self_ty.to_token_stream().to_string());
    let arguments = arguments.get(&name.to_string()).map_or(&[][..], Vec::as_slice);
    let inputs = arguments.iter().map(|Argument { name, target }| -> FnArg {
        parse_quote! { #name: impl TryInto<#target, Error: std::fmt::Display> }
    });
    let setters = arguments.iter().map(|argument| &argument.name);
    block.items = vec![parse_quote! {
        /// A builder with the required values. A value that cannot be converted, or that breaks a
        /// rule, is an error of the call.
        pub fn builder(#(#inputs),*) -> builder::#name {
            builder::#name::default() #(.#setters(#setters))*
        }
    }];
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

/// The required properties of each body, in the order of the document.
fn adapt_body_builders(
    module: &mut ItemMod,
    document: &Document,
    overrides: &TypeOverrides,
) -> HashMap<String, Vec<Argument>> {
    let (_, items) = module.content.as_mut().expect(SHAPE);
    items.retain(|item| overrides.in_requests.contains(&named(item)));
    for item in items.iter_mut() {
        if let Item::Struct(builder) = item {
            let text = format!(" Makes a [`{0}`](super::{0}).", builder.ident);
            builder.attrs.insert(0, parse_quote! { #[doc = #text] });
            builder.attrs.push(parse_quote! {
                #[must_use = "it is the body of a call, which takes it as an argument"]
            });
        }
    }
    let blocks = items.iter_mut().filter_map(|item| match item {
        Item::Impl(block) if block.trait_.is_none() => Some(block),
        _ => None,
    });
    blocks.map(|block| adapt_body_builder(block, document)).collect()
}

fn adapt_body_builder(block: &mut ItemImpl, document: &Document) -> (String, Vec<Argument>) {
    let component = block.self_ty.to_token_stream().to_string();
    let schema = &document.value()["components"]["schemas"][&component];
    let required = schema["required"].as_array().into_iter().flatten();
    let required: Vec<String> = required
        .filter_map(|name| name.as_str())
        .map(|name| heck::AsSnakeCase(name).to_string())
        .collect();
    let mut arguments = Vec::new();
    for method in methods(block) {
        let name = method.sig.ident.to_string();
        let text = of_property(document, &component, &name);
        let position = required.iter().position(|required| *required == name);
        let visibility: Visibility = match position {
            Some(_) => parse_quote! { pub(super) },
            None => parse_quote! { pub },
        };
        if let Some(position) = position {
            let target = from_types(target_of(method));
            arguments.push((position, Argument { name: method.sig.ident.clone(), target }));
        }
        *method = setter(method, &visibility, &text);
    }
    arguments.sort_by_key(|(position, _)| *position);
    (component, arguments.into_iter().map(|(_, argument)| argument).collect())
}

/// A type of the module `builder`, as its parent module names it.
fn from_types(target: &syn::Type) -> syn::Type {
    let text = target.to_token_stream().to_string().replace("super ::", "");
    syn::parse_str(&text).expect("a path without its first segment is a path")
}

fn is_change(field_type: &syn::Type) -> bool {
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
