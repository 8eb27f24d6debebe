//! Lists: an operation with the parameter of a cursor, whose success has items and, one level
//! below, the next cursor.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::{Api, field};
use crate::codegen::{
    model::{Field, Operation, Scalar, Type, object},
    names::type_name,
};

pub(super) struct List {
    builder: Ident,
    page: Ident,
    item: Ident,
    items: String,
    pagination: String,
    pagination_type: Ident,
    next: Ident,
    parameter: Ident,
    cursor: Ident,
}

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
        Some(Self {
            builder: type_name(&operation.id),
            page: type_name(page.name()?),
            item: type_name(items.value.name()?),
            items: items.name.clone(),
            pagination: pagination.name.clone(),
            pagination_type: type_name(pagination.value.name()?),
            next: field(&next.name),
            parameter: field(&config.lists.cursor),
            cursor: type_name(config.scalar(Scalar::Cursor)),
        })
    }

    /// The methods of its builder.
    pub(super) fn methods(&self) -> TokenStream {
        let Self { page, item, parameter, cursor, .. } = self;
        let pages = format!(
            " All pages ([`types::{page}`](super::types::{page})), each requested when it is asked \
             for, from the cursor that was given, or the first one."
        );
        let stream = format!(
            " All items ([`types::{item}`](super::types::{item})), from the cursor that was given, \
             or the first one. A page is requested when the one before is used up."
        );
        quote! {
            /// Goes on at a cursor of [`Pages`](crate::Pages::cursor) or
            /// [`Items`](crate::Items::cursor); without one, from the first page.
            pub fn resume<V>(self, cursor: Option<V>) -> Self
            where
                V: TryInto<types::#cursor, Error: std::fmt::Display>,
            {
                match cursor {
                    Some(cursor) => self.#parameter(cursor),
                    None => self,
                }
            }

            #[doc = #pages]
            pub fn pages(self) -> crate::Pages<Self> {
                crate::Pages::of(self)
            }

            #[doc = #stream]
            pub fn stream(self) -> crate::Items<Self> {
                crate::Items::of(self)
            }
        }
    }

    /// Returns the implementations by which `crate::Pages` reads the list.
    pub(super) fn implementations(&self) -> TokenStream {
        let Self { builder, page, item, items, pagination, pagination_type, .. } = self;
        let Self { next, parameter, cursor, .. } = self;
        let (items_field, pagination_field) = (field(items), field(pagination));
        quote! {
            impl crate::pages::List for #builder {
                type Page = types::#page;

                fn position(&self) -> Option<&types::#cursor> {
                    self.#parameter.as_ref().ok()?.as_ref()
                }

                fn at(self, position: types::#cursor) -> Self {
                    self.#parameter(position)
                }

                async fn request_page(self) -> Result<crate::Response<Self::Page>, crate::Error> {
                    self.send().await
                }
            }

            impl crate::pages::Page for types::#page {
                type Item = types::#item;

                fn next_position(&self) -> Option<&types::#cursor> {
                    self.#pagination_field.#next.as_ref()
                }

                fn into_items(self) -> Vec<Self::Item> {
                    self.#items_field
                }

                fn split(
                    json: &[u8],
                ) -> serde_json::Result<
                    (Vec<&serde_json::value::RawValue>, Option<types::#cursor>),
                > {
                    #[derive(::serde::Deserialize)]
                    struct Raw<'json> {
                        #[serde(borrow, rename = #items)]
                        items: Vec<&'json serde_json::value::RawValue>,
                        #[serde(rename = #pagination)]
                        pagination: types::#pagination_type,
                    }
                    let raw: Raw<'_> = serde_json::from_slice(json)?;
                    Ok((raw.items, raw.pagination.#next))
                }
            }
        }
    }
}
