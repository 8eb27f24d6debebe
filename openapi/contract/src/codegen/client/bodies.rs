//! The builders of bodies. A builder collects the members as JSON, so that one check finds every
//! violation, also beside a value that could not be converted.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::{Api, arguments::Required, calls::setter, docs::described, field};
use crate::codegen::{
    format::template,
    model::{Field, Kind, Object, Schema, Type},
    names::{constant_name, type_name},
};

pub(super) fn builder_name(schema: &str) -> Ident {
    format_ident!("{}Builder", type_name(schema))
}

pub(super) struct Body<'a> {
    api: &'a Api<'a>,
    schema: &'a Schema,
    object: &'a Object,
    required: Required<'a>,
}

impl<'a> Body<'a> {
    /// The body of a schema; none if it is no object of a request.
    pub(super) fn of(api: &'a Api<'a>, schema: &'a Schema) -> Option<Self> {
        let Kind::Object(object) = &schema.kind else { return None };
        let required = api.required_of_body(object);
        api.sent.contains(schema.name.as_str()).then_some(Self { api, schema, object, required })
    }

    fn members(&self, names: &[&str]) -> Vec<&'a Field> {
        let member = |name: &&str| self.object.fields.iter().find(|member| member.name == **name);
        names.iter().filter_map(member).collect()
    }

    /// The type that a setter converts into: a `Change` of what can be cleared.
    fn target(&self, member: &Field) -> (TokenStream, bool) {
        let value = self.api.rust_type(&member.value);
        let is_change = !member.required && member.nullable && member.value != Type::Any;
        (if is_change { quote!(openapi_client::Change<#value>) } else { value }, is_change)
    }

    /// The method that makes the builder, with the arguments.
    pub(super) fn start(&self) -> TokenStream {
        let (name, builder) = (type_name(&self.schema.name), builder_name(&self.schema.name));
        let arguments = self.members(&self.required.positional);
        let inputs = arguments.iter().map(|member| {
            let (ident, (target, _)) = (field(&member.name), self.target(member));
            quote! { #ident: impl TryInto<#target, Error: std::fmt::Display> }
        });
        let setters: Vec<_> = arguments.iter().map(|member| field(&member.name)).collect();
        let mut text = "A builder with the required values. A value that cannot be converted, or \
                        that breaks a rule, is an error of the call.\n"
            .to_owned();
        let bullets = |members: &[&Field]| -> String {
            let bullet = |member: &&Field| {
                format!("\n- `{}`: {}", field(&member.name), self.api.about(member))
            };
            members.iter().map(bullet).collect()
        };
        text.push_str(&bullets(&arguments));
        let named = self.members(&self.required.named);
        if !named.is_empty() {
            text.push_str("\n\nThese are required too, and have setters:\n");
            text.push_str(&bullets(&named));
        }
        let text = described(&text);
        quote! {
            impl #name {
                #text
                pub fn builder(#(#inputs),*) -> builder::#builder {
                    builder::#builder(Default::default()) #(.#setters(#setters))*
                }
            }
        }
    }

    pub(super) fn builder(&self) -> TokenStream {
        let (name, builder) = (type_name(&self.schema.name), builder_name(&self.schema.name));
        if let Some(same) = self.schema.same_as.as_deref().map(builder_name) {
            return quote!(pub type #builder = #same;);
        }
        let rules = constant_name(&self.schema.name);
        let support = &self.api.support;
        let setters = self.object.fields.iter().map(|member| self.setter(member));
        let tokens = [
            ("name", quote!(#name)),
            ("builder", quote!(#builder)),
            ("rules", quote!(#rules)),
            ("support", quote!(#support)),
            ("setters", quote!(#(#setters)*)),
        ];
        template(include_str!("templates/body.rs.txt"), &tokens)
    }

    fn setter(&self, member: &Field) -> TokenStream {
        let (name, (target, is_change)) = (&member.name, self.target(member));
        let set = format_ident!("{}", if is_change { "change" } else { "set" });
        let is_argument = self.required.positional.contains(&name.as_str());
        let text = described(&self.api.about(member));
        let given = quote! { self.0.#set(#name, value); };
        setter(&field(name), &target, is_argument, &text, &given)
    }
}
