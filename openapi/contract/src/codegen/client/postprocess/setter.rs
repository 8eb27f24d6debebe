//! The setters of builders. progenitor's drop the reason of a failed conversion; these keep it, and
//! check the rules of the document.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{
    GenericArgument, Ident, ImplItemFn, PathArguments, TypeParamBound, Visibility, WherePredicate,
    parse_quote,
};

use super::SHAPE;

/// A setter that takes the value, not an `Option`: `given` stores what the conversion returned.
pub(super) fn setter(
    name: &Ident,
    target: &syn::Type,
    visibility: &Visibility,
    docs: &TokenStream,
    given: &TokenStream,
) -> ImplItemFn {
    parse_quote! {
        #docs
        #visibility fn #name<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<#target>,
            <V as std::convert::TryInto<#target>>::Error: std::fmt::Display,
        {
            let value = value.try_into();
            #given
            self
        }
    }
}

/// The type that a setter's value is converted into.
pub(super) fn target_of(method: &ImplItemFn) -> &syn::Type {
    let target = conversion_target(method).expect(SHAPE);
    argument_of(target, "Option").unwrap_or(target)
}

/// Returns true if progenitor stores an `Option` of the value.
pub(super) fn is_optional(method: &ImplItemFn) -> bool {
    let is_option =
        || conversion_target(method).is_some_and(|target| argument_of(target, "Option").is_some());
    method.block.to_token_stream().to_string().contains("map (Some)") || is_option()
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
pub(super) fn argument_of<'ty>(wrapped: &'ty syn::Type, wrapper: &str) -> Option<&'ty syn::Type> {
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
