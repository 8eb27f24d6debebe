//! Lists of a client by hand: an operation with the parameter of a cursor, whose success has items
//! and, one level below, the next cursor.

use openapi_document::Location;
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens as _, quote};

use super::{Api, field, replies::successes};
use crate::codegen::{
    format::template,
    model::{Field, Operation, Parameter, Scalar, Type, object},
    names::{call, local, setter, type_name},
};

/// A list: what its templates say of it.
pub(super) struct List(Vec<(&'static str, TokenStream)>);

impl List {
    pub(super) fn of(api: &Api<'_>, operation: &Operation) -> Option<Self> {
        let (model, config) = (api.model, &api.model.config);
        let object = |value: &Type| object(&model.schemas, value.name()?);
        let cursor = config.scalar(Scalar::Cursor);
        let is_cursor = |parameter: &Parameter| {
            parameter.name == config.lists.cursor
                && !parameter.required
                && parameter.value == Type::Named(cursor.to_owned())
        };
        if !api.client.by_hand || !operation.parameters_in(Location::Query).any(is_cursor) {
            return None;
        }
        let [(_, Some(page @ Type::Named(_)))] = successes(operation)[..] else { return None };
        let is_always = |member: &Field| member.required && !member.nullable;
        let is_items = |member: &&Field| {
            let Type::List { items, .. } = &member.value else { return false };
            let item = api.rust_type(items).to_string();
            is_always(member) && item.starts_with("crate :: types ::")
        };
        let items = object(page)?.fields.iter().find(is_items)?;
        let is_next =
            |member: &&Field| !is_always(member) && member.value == Type::Named(cursor.to_owned());
        let (pagination, next) = object(page)?.fields.iter().find_map(|member| {
            let is_pagination = is_always(member) && matches!(member.value, Type::Named(_));
            let members = &object(&member.value).filter(|_| is_pagination)?.fields;
            Some((member, members.iter().find(is_next)?))
        })?;
        let ident = |ident: Ident| ident.to_token_stream();
        let (items_name, pagination_name) = (&items.name, &pagination.name);
        Some(Self(vec![
            ("builder", ident(call(&operation.id))),
            ("page", ident(type_name(page.name()?))),
            ("item", ident(type_name(items.value.name()?))),
            ("items", quote!(#items_name)),
            ("items_field", ident(field(items_name))),
            ("pagination", quote!(#pagination_name)),
            ("pagination_field", ident(field(pagination_name))),
            ("pagination_type", ident(type_name(pagination.value.name()?))),
            ("next", ident(field(&next.name))),
            ("parameter", ident(setter(&config.lists.cursor))),
            ("local", ident(local(&config.lists.cursor))),
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
