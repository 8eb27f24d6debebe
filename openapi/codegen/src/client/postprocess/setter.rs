//! The setters of builders. progenitor's drop the reason of a failed conversion; these keep it.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{
    GenericArgument, ImplItemFn, PathArguments, TypeParamBound, Visibility, WherePredicate,
    parse_quote,
};

use super::SHAPE;

/// A setter that takes the value, not an `Option`.
pub(super) fn setter(
    method: &ImplItemFn,
    visibility: &Visibility,
    docs: &TokenStream,
) -> ImplItemFn {
    let name = &method.sig.ident;
    let target = target_of(method);
    let body = method.block.to_token_stream().to_string();
    // Optional values are stored as an `Option`, and bodies as their builder.
    let is_optional = body.contains("map (Some)") || is_option(method);
    let stored = match () {
        () if is_optional => Some(quote! { .map(Some) }),
        () if body.contains("map (From :: from)") => Some(quote! { .map(From::from) }),
        () => None,
    };
    let message = format!("{}: {{reason}}", name.to_string().trim_start_matches("r#"));
    parse_quote! {
        #docs
        #visibility fn #name<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<#target>,
            <V as std::convert::TryInto<#target>>::Error: std::fmt::Display,
        {
            self.#name = value.try_into() #stored .map_err(|reason| format!(#message));
            self
        }
    }
}

/// The type that a setter's value is converted into.
pub(super) fn target_of(method: &ImplItemFn) -> &syn::Type {
    let target = conversion_target(method).expect(SHAPE);
    argument_of(target, "Option").unwrap_or(target)
}

fn is_option(method: &ImplItemFn) -> bool {
    conversion_target(method).is_some_and(|target| argument_of(target, "Option").is_some())
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
