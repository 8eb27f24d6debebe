//! Lists: an operation with the parameter of a cursor, whose success has items and, one level
//! below, the next cursor.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens as _, quote};

use super::{Api, field};
use crate::codegen::{
    format::template,
    model::{Field, Operation, Scalar, Type, object},
    names::type_name,
};

/// A list: what its templates say of it.
pub(super) struct List(Vec<(&'static str, TokenStream)>);

impl List {
    pub(super) fn of(api: &Api<'_>, operation: &Operation) -> Option<Self> {
        let (model, config) = (api.model, &api.model.config);
        let object = |value: &Type| object(&model.schemas, value.name()?);
        if !operation.is_list(&config.lists.cursor) {
            return None;
        }
        let page = operation.successes.first()?.body.as_ref()?;
        let is_items = |member: &&Field| matches!(member.value, Type::List { .. });
        let items = object(page)?.fields.iter().find(is_items)?;
        let is_next = |member: &&Field| member.value.name() == Some(config.scalar(Scalar::Cursor));
        let (pagination, next) = object(page)?.fields.iter().find_map(|member| {
            let members = &object(&member.value).filter(|_| !is_items(&member))?.fields;
            Some((member, members.iter().find(is_next)?))
        })?;
        let ident = |ident: Ident| ident.to_token_stream();
        let (items_name, pagination_name) = (&items.name, &pagination.name);
        Some(Self(vec![
            ("builder", ident(type_name(&operation.id))),
            ("page", ident(type_name(page.name()?))),
            ("item", ident(type_name(items.value.name()?))),
            ("items", quote!(#items_name)),
            ("items_field", ident(field(items_name))),
            ("pagination", quote!(#pagination_name)),
            ("pagination_field", ident(field(pagination_name))),
            ("pagination_type", ident(type_name(pagination.value.name()?))),
            ("next", ident(field(&next.name))),
            ("parameter", ident(field(&config.lists.cursor))),
            ("cursor", ident(type_name(config.scalar(Scalar::Cursor)))),
        ]))
    }

    /// The methods of its builder.
    pub(super) fn methods(&self) -> TokenStream {
        template(include_str!("templates/list_methods.rs.txt"), &self.0)
    }

    /// Returns the implementations by which `crate::Pages` reads the list.
    pub(super) fn implementations(&self) -> TokenStream {
        template(include_str!("templates/list.rs.txt"), &self.0)
    }
}
