//! The builders of bodies. A builder collects the members as JSON, so that one check finds every
//! violation, also beside a value that could not be converted.

use openapi_document::Document;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::{Item, ItemStruct, Visibility, parse_quote};

use super::{
    setter::{argument_of, setter},
    types::{is_change, wire_name},
};
use crate::codegen::{
    client::{
        arguments::{self, Required},
        docs::{described, of_property},
        type_overrides::TypeOverrides,
    },
    names::constant_name,
};

/// The name of the builder of a component.
pub(super) fn builder_name(component: &str) -> Ident {
    format_ident!("{component}Builder")
}

pub(super) struct Body {
    pub(super) name: Ident,
    members: Vec<Member>,
    required: Required,
    /// The expression of its rules.
    rules: TokenStream,
}

struct Member {
    name: String,
    ident: Ident,
    target: syn::Type,
    is_change: bool,
    docs: String,
}

impl Body {
    pub(super) fn of(body: &ItemStruct, document: &Document, overrides: &TypeOverrides) -> Self {
        let component = body.ident.to_string();
        let members = body.fields.iter().map(|field| {
            let ident = field.ident.clone().expect("its fields have names");
            Member {
                name: wire_name(field),
                target: argument_of(&field.ty, "Option").unwrap_or(&field.ty).clone(),
                is_change: is_change(&field.ty),
                docs: of_property(document, overrides, &component, &ident.to_string()),
                ident,
            }
        });
        let constant = constant_name(&component);
        Self {
            members: members.collect(),
            required: arguments::of_body(document, overrides, &component),
            rules: quote! { super::rules::#constant },
            name: body.ident.clone(),
        }
    }

    fn members(&self, names: &[String]) -> Vec<&Member> {
        let member = |name: &String| self.members.iter().find(|member| member.name == *name);
        names.iter().filter_map(member).collect()
    }

    /// The method that makes the builder, with the arguments.
    pub(super) fn start(&self) -> syn::ImplItem {
        let builder = builder_name(&self.name.to_string());
        let arguments = self.members(&self.required.positional);
        let inputs = arguments.iter().map(|Member { ident, target, .. }| {
            quote! { #ident: impl TryInto<#target, Error: std::fmt::Display> }
        });
        let setters = arguments.iter().map(|member| &member.ident);
        let mut text = "A builder with the required values. A value that cannot be converted, or \
                        that breaks a rule, is an error of the call.\n"
            .to_owned();
        let bullets = |members: &[&Member]| -> String {
            let bullet = |member: &&Member| format!("\n- `{}`: {}", member.ident, member.docs);
            members.iter().map(bullet).collect()
        };
        text.push_str(&bullets(&arguments));
        let named = self.members(&self.required.named);
        if !named.is_empty() {
            text.push_str("\n\nThese are required too, and have setters:\n");
            text.push_str(&bullets(&named));
        }
        let text = described(&text);
        parse_quote! {
            #text
            pub fn builder(#(#inputs),*) -> builder::#builder {
                builder::#builder::default() #(.#setters(#setters))*
            }
        }
    }

    pub(super) fn builder(&self) -> [Item; 4] {
        let Self { name, rules, .. } = self;
        let builder = builder_name(&name.to_string());
        let text = format!(" Makes a [`{name}`](super::{name}); a call takes it as its body.");
        let setters = self.members.iter().map(|member| self.setter(member));
        [
            parse_quote! {
                #[doc = #text]
                #[derive(Clone, Debug, Default)]
                #[must_use = "it is the body of a call, which takes it as an argument"]
                pub struct #builder(pub(crate) crate::rules::Draft);
            },
            parse_quote! { impl #builder { #(#setters)* } },
            parse_quote! {
                impl TryFrom<#builder> for super::#name {
                    type Error = crate::Error;

                    fn try_from(builder: #builder) -> Result<Self, Self::Error> {
                        builder.0.read(#rules)
                    }
                }
            },
            parse_quote! {
                impl From<super::#name> for #builder {
                    fn from(body: super::#name) -> Self {
                        Self(crate::rules::Draft::of(&body))
                    }
                }
            },
        ]
    }

    fn setter(&self, member: &Member) -> syn::ImplItemFn {
        let Member { name, ident, target, is_change, docs } = member;
        let visibility: Visibility = match self.required.positional.contains(name) {
            true => parse_quote! { pub(super) },
            false => parse_quote! { pub },
        };
        let set = if *is_change {
            quote! { change }
        } else {
            quote! { set }
        };
        let given = quote! { self.0.#set(#name, value); };
        let docs = described(docs);
        setter(ident, target, &visibility, &docs, &given)
    }
}
