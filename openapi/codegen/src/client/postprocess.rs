//! Adapts progenitor's output to the client: its own types, one way to read a response, and errors
//! with reasons. `Client::new` is removed and `new_with_client` is private, so that every client
//! has a key.

use heck::ToUpperCamelCase;
use openapi_document::{Document, Operation};
use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::{
    Fields, GenericArgument, ImplItem, ImplItemFn, Item, ItemImpl, ItemMod, ItemStruct,
    PathArguments, TypeParamBound, Visibility, WherePredicate, parse_quote,
};

use super::{
    docs::{of_client, of_operation, of_parameter, of_property, of_send},
    tokens,
    type_overrides::{TypeOverrides, success_component},
};
use crate::format::docs;

const SHAPE: &str = "progenitor is pinned, and its output has this shape";

pub(super) fn adapt(
    generated: TokenStream,
    document: &Document,
    overrides: &TypeOverrides,
) -> syn::File {
    let mut file: syn::File = syn::parse2(tokens::tidy(generated)).expect(SHAPE);
    file.items.retain(|item| !matches!(item, Item::Mod(module) if module.ident == "prelude"));
    for item in &mut file.items {
        match item {
            Item::Use(import) if matches!(import.vis, Visibility::Public(_)) => {
                import.vis = Visibility::Inherited;
            }
            Item::Use(import) => {
                *import = parse_quote! {
                    #[allow(unused_imports)]
                    use progenitor_client::{ClientHooks, OperationInfo, RequestBuilderExt};
                };
            }
            Item::Struct(client) if client.ident == "Client" => {
                document_struct(client, &of_client(document))
            }
            Item::Impl(block) if block.trait_.is_none() => adapt_client(block, document),
            Item::Mod(module) if module.ident == "types" => {
                adapt_types(module, document, overrides)
            }
            Item::Mod(module) if module.ident == "builder" => adapt_builders(module, document),
            _ => {}
        }
    }
    file.items.insert(0, parse_quote! { use crate::ids::encode_path; });
    file
}

fn document_struct(item: &mut ItemStruct, docs: &TokenStream) {
    item.attrs.retain(|attribute| !attribute.path().is_ident("doc"));
    let own: ItemStruct = parse_quote! { #docs struct Documented; };
    item.attrs.splice(0..0, own.attrs);
}

fn adapt_client(block: &mut ItemImpl, document: &Document) {
    block.items.retain(|item| !matches!(item, ImplItem::Fn(method) if method.sig.ident == "new"));
    for method in methods(block) {
        if method.sig.ident == "new_with_client" {
            method.vis = parse_quote! { pub(crate) };
            method.attrs.clear();
        } else if let Some(operation) = operation_of(document, &method.sig.ident.to_string()) {
            let text = of_operation(operation);
            *method = with_docs(method, &text);
        }
    }
}

fn adapt_types(module: &mut ItemMod, document: &Document, overrides: &TypeOverrides) {
    let (_, items) = module.content.as_mut().expect(SHAPE);
    // Types that only a server sends need no builder.
    items.retain(|item| !is_builder_method(item) || overrides.in_requests.contains(&named(item)));
    for item in items.iter_mut() {
        match item {
            Item::Struct(structure) => {
                let changes = structure.fields.iter_mut().filter(|field| is_change(&field.ty));
                changes.for_each(keep_absent);
            }
            Item::Mod(module) if module.ident == "builder" => {
                let (_, items) = module.content.as_mut().expect(SHAPE);
                items.retain(|item| overrides.in_requests.contains(&named(item)));
                items.iter_mut().for_each(|item| adapt_body_builder(item, document));
            }
            _ => {}
        }
    }
    let sent = |item: &&Item| overrides.in_requests.contains(&named(item));
    let conversions: Vec<Item> = items.iter().filter(sent).filter_map(from_str).collect();
    items.extend(conversions);
    let definitions = overrides.definitions(document).into_iter();
    items.extend(definitions.map(|definition| -> Item {
        parse_quote! { #definition }
    }));
}

/// The conversion from `&str` of a text without limits; progenitor writes it for the others.
fn from_str(item: &Item) -> Option<Item> {
    let Item::Struct(ItemStruct { ident, fields, .. }) = item else {
        return None;
    };
    let Fields::Unnamed(fields) = fields else {
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
    let Item::Impl(block) = item else {
        return false;
    };
    block.trait_.is_none()
        && matches!(block.items.as_slice(), [ImplItem::Fn(only)] if only.sig.ident == "builder")
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

/// Setters of optional fields take the value, not an `Option`.
fn adapt_body_builder(item: &mut Item, document: &Document) {
    let Item::Impl(block) = item else { return };
    if block.trait_.is_some() {
        return;
    }
    let component = block.self_ty.to_token_stream().to_string();
    for method in methods(block) {
        let name = method.sig.ident.to_string();
        let text = of_property(document, &component, &name);
        *method = setter(method, &text);
    }
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

fn adapt_builders(module: &mut ItemMod, document: &Document) {
    let (_, items) = module.content.as_mut().expect(SHAPE);
    for item in items {
        let Item::Impl(block) = item else { continue };
        let name = block.self_ty.to_token_stream().to_string();
        let name = name.split(' ').next().unwrap_or_default();
        let operation = operation_of(document, name).expect("each builder belongs to an operation");
        for method in methods(block) {
            match method.sig.ident.to_string().as_str() {
                "new" => method.vis = parse_quote! { pub(super) },
                "send" => {
                    method.sig.ident = format_ident!("send_unread");
                    method.vis = Visibility::Inherited;
                    method.attrs.clear();
                }
                "body" => {
                    *method = with_docs(method, &docs("The body: the value, or its builder."))
                }
                "body_map" => {
                    *method = with_docs(method, &docs("Changes the body that was given so far."))
                }
                parameter => {
                    let text = of_parameter(operation, parameter);
                    *method = setter(method, &text);
                }
            }
        }
        block.items.push(send(document, operation));
    }
}

fn send(document: &Document, operation: &Operation) -> ImplItem {
    let success = success_component(document, operation).expect("`read` checked it");
    let success = format_ident!("{success}");
    let text = of_send(operation);
    parse_quote! {
        #text
        pub async fn send(self) -> Result<crate::Response<types::#success>, crate::Error> {
            crate::response::read(self.send_unread().await).await
        }
    }
}

/// progenitor's setter drops the reason of a failed conversion; this one keeps it.
fn setter(method: &ImplItemFn, docs: &TokenStream) -> ImplItemFn {
    let name = &method.sig.ident;
    let target = conversion_target(method).expect(SHAPE);
    let optional = method.block.to_token_stream().to_string().contains("map (Some)");
    let (target, optional) = match argument_of(target, "Option") {
        Some(inner) => (inner, true),
        None => (target, optional),
    };
    let wrapped = optional.then(|| quote! { .map(Some) });
    let message = format!("{}: {{reason}}", name.to_string().trim_start_matches("r#"));
    parse_quote! {
        #docs
        pub fn #name<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<#target>,
            <V as std::convert::TryInto<#target>>::Error: std::fmt::Display,
        {
            self.#name = value.try_into() #wrapped .map_err(|reason| format!(#message));
            self
        }
    }
}

/// The `T` of `where V: TryInto<T>`.
fn conversion_target(method: &ImplItemFn) -> Option<&syn::Type> {
    let predicates = &method.sig.generics.where_clause.as_ref()?.predicates;
    let WherePredicate::Type(predicate) = predicates.first()? else {
        return None;
    };
    let TypeParamBound::Trait(bound) = predicate.bounds.first()? else {
        return None;
    };
    argument(&bound.path)
}

/// The `T` of a type `Wrapper<T>`.
fn argument_of<'ty>(wrapped: &'ty syn::Type, wrapper: &str) -> Option<&'ty syn::Type> {
    let syn::Type::Path(outer) = wrapped else {
        return None;
    };
    (outer.path.segments.last()?.ident == wrapper).then(|| argument(&outer.path))?
}

fn argument(path: &syn::Path) -> Option<&syn::Type> {
    let PathArguments::AngleBracketed(arguments) = &path.segments.last()?.arguments else {
        return None;
    };
    match arguments.args.first()? {
        GenericArgument::Type(target) => Some(target),
        _ => None,
    }
}

fn methods(block: &mut ItemImpl) -> impl Iterator<Item = &mut ImplItemFn> {
    block.items.iter_mut().filter_map(|item| match item {
        ImplItem::Fn(method) => Some(method),
        _ => None,
    })
}

fn with_docs(method: &ImplItemFn, docs: &TokenStream) -> ImplItemFn {
    let ImplItemFn { vis, sig, block, .. } = method;
    parse_quote! { #docs #vis #sig #block }
}

/// The operation of a method (`get_loan`) or of a builder (`GetLoan`).
fn operation_of<'document>(
    document: &'document Document,
    name: &str,
) -> Option<&'document Operation> {
    let name = name.to_upper_camel_case();
    document.operations().iter().find(|operation| operation.id.to_upper_camel_case() == name)
}
