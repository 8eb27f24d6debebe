//! Lists: an operation with the parameter of a cursor, whose success has items and, one level
//! below, the next cursor.

use heck::{ToSnakeCase, ToUpperCamelCase};
use openapi_document::{Document, Operation};
use proc_macro2::Ident;
use quote::format_ident;
use serde_json::Value;
use syn::{ImplItem, Item, parse_quote};

use crate::codegen::{Config, client::type_overrides::success_component};

pub(super) struct List {
    builder: Ident,
    page: Ident,
    item: Ident,
    items: Ident,
    items_name: String,
    pagination_name: String,
    pagination_type: Ident,
    pagination: Ident,
    next: Ident,
    parameter: Ident,
    cursor: Ident,
}

impl List {
    pub(super) fn of(document: &Document, config: &Config, operation: &Operation) -> Option<Self> {
        let mut parameters = operation.parameters.iter();
        let parameter = parameters.find(|parameter| parameter.name == config.lists.cursor)?;
        let page = success_component(document, operation)?;
        let schemas = &document.value()["components"]["schemas"];
        let properties = schemas[&page]["properties"].as_object()?;
        let (items, item) = properties
            .iter()
            .find_map(|(name, schema)| Some((name, component_in(schema.get("items")?)?)))?;
        let (pagination, of, next) = properties.iter().find_map(|(name, schema)| {
            let component = component_in(schema)?;
            let below = schemas[component]["properties"].as_object()?;
            let leads = |(_, schema): &(&String, &Value)| {
                component_in(schema) == Some(&config.scalars.cursor)
            };
            Some((name, component, below.iter().find(leads)?.0))
        })?;
        let field = |name: &str| format_ident!("{}", name.to_snake_case());
        Some(Self {
            builder: format_ident!("{}", operation.id.to_upper_camel_case()),
            page: format_ident!("{page}"),
            item: format_ident!("{item}"),
            items: field(items),
            items_name: items.clone(),
            pagination_name: pagination.clone(),
            pagination_type: format_ident!("{of}"),
            pagination: field(pagination),
            next: field(next),
            parameter: field(&parameter.name),
            cursor: format_ident!("{}", config.scalars.cursor),
        })
    }

    /// The methods of its builder.
    pub(super) fn methods(&self) -> [ImplItem; 3] {
        let Self { page, item, parameter, cursor, .. } = self;
        let pages = format!(
            "All pages ([`types::{page}`](super::types::{page})), each requested when it is asked \
             for, from the cursor that was given, or the first one."
        );
        let stream = format!(
            "All items ([`types::{item}`](super::types::{item})), from the cursor that was given, \
             or the first one. A page is requested when the one before is used up."
        );
        [
            parse_quote! {
                /// Goes on at a cursor of [`Pages`](crate::Pages::cursor) or
                /// [`Items`](crate::Items::cursor); without one, from the first page.
                pub fn resume<V>(self, cursor: Option<V>) -> Self
                where
                    V: std::convert::TryInto<types::#cursor>,
                    <V as std::convert::TryInto<types::#cursor>>::Error: std::fmt::Display,
                {
                    match cursor {
                        Some(cursor) => self.#parameter(cursor),
                        None => self,
                    }
                }
            },
            parse_quote! {
                #[doc = #pages]
                pub fn pages(self) -> crate::Pages<Self> {
                    crate::Pages::of(self)
                }
            },
            parse_quote! {
                #[doc = #stream]
                pub fn stream(self) -> crate::Items<Self> {
                    crate::Items::of(self)
                }
            },
        ]
    }

    /// What pages need to know.
    pub(super) fn implementations(&self) -> [Item; 2] {
        let Self { builder, page, item, items, pagination, next, parameter, cursor, .. } = self;
        let Self { items_name, pagination_name, pagination_type, .. } = self;
        [
            parse_quote! {
                impl crate::pages::List for #builder {
                    type Page = types::#page;

                    fn position(&self) -> Option<&types::#cursor> {
                        self.#parameter.as_ref().ok()?.as_ref()
                    }

                    fn at(self, position: types::#cursor) -> Self {
                        self.#parameter(position)
                    }

                    async fn request_page(
                        self,
                    ) -> Result<crate::Response<Self::Page>, crate::Error> {
                        self.send().await
                    }
                }
            },
            parse_quote! {
                impl crate::pages::Page for types::#page {
                    type Item = types::#item;

                    fn next_position(&self) -> Option<&types::#cursor> {
                        self.#pagination.#next.as_ref()
                    }

                    fn into_items(self) -> Vec<Self::Item> {
                        self.#items
                    }

                    fn split(
                        json: &[u8],
                    ) -> serde_json::Result<
                        (Vec<&serde_json::value::RawValue>, Option<types::#cursor>),
                    > {
                        #[derive(::serde::Deserialize)]
                        struct Raw<'json> {
                            #[serde(borrow, rename = #items_name)]
                            items: Vec<&'json serde_json::value::RawValue>,
                            #[serde(rename = #pagination_name)]
                            pagination: types::#pagination_type,
                        }
                        let raw: Raw<'_> = serde_json::from_slice(json)?;
                        Ok((raw.items, raw.pagination.#next))
                    }
                }
            },
        ]
    }
}

/// The component that a schema refers to, directly or as the only part of `allOf`.
fn component_in(schema: &Value) -> Option<&str> {
    let reference = schema.get("$ref").or_else(|| schema.pointer("/allOf/0/$ref"))?;
    reference.as_str()?.strip_prefix("#/components/schemas/")
}
