//! A call returns the body of its success or, where successes have different bodies, an enum of
//! them by status.

use openapi_document::{Document, MediaType, Method, Status};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

use super::Api;
use crate::codegen::{
    collisions::OwnType,
    format::docs,
    model::{Model, Operation, Type},
    names::{status_name, type_of},
    read::name_of,
};

/// The status and the body of each success. An operation without one succeeds with the body of
/// `default`, with any status.
pub(super) fn successes(operation: &Operation) -> Vec<(u16, Option<&Type>)> {
    let is_head = operation.method == Method::Head.as_str();
    let documented = operation.successes.iter().filter(|success| success.status < 400);
    let mut successes: Vec<_> = documented.collect();
    if successes.is_empty() {
        successes.extend(&operation.other);
    }
    let bodies = successes.into_iter();
    bodies.map(|it| (it.status, it.body.as_ref().filter(|_| !is_head))).collect()
}

/// The schemas of the bodies of errors, of those that the model has.
pub(super) fn errors<'m>(document: &Document, model: &'m Model) -> Vec<&'m str> {
    let responses = document.operations().iter().flat_map(|operation| &operation.responses);
    let errors = responses.filter(|response| !matches!(response.status, Status::Code(..400)));
    let of_media = |media: &MediaType| {
        let schema = document.resolve(media.schema_pointer.as_deref()?).ok()?;
        let component = schema.pointer.strip_prefix("/components/schemas/")?;
        let name = name_of(&model.config, component);
        Some(model.schemas.iter().find(|schema| schema.name == name)?.name.as_str())
    };
    errors.flat_map(|response| &response.content).filter_map(of_media).collect()
}

pub(super) struct Reply<'a> {
    api: &'a Api<'a>,
    operation: &'a Operation,
    successes: Vec<(u16, Option<&'a Type>)>,
}

impl<'a> Reply<'a> {
    pub(super) fn of(api: &'a Api<'a>, operation: &'a Operation) -> Self {
        Self { api, operation, successes: successes(operation) }
    }

    /// The only body.
    fn only(&self) -> Option<Option<&'a Type>> {
        let (_, first) = self.successes.first()?;
        self.successes.iter().all(|(_, body)| body == first).then_some(*first)
    }

    fn name(&self) -> Ident {
        type_of(&self.operation.id, "reply")
    }

    /// The name of the enum, if there is one.
    pub(super) fn own_type(&self) -> Option<OwnType> {
        let (name, operation) = (self.name(), self.operation.id.clone());
        self.only().is_none().then_some(OwnType { name, what: "the reply", operation })
    }

    pub(super) fn success_type(&self) -> TokenStream {
        match self.only() {
            Some(body) => body.map_or_else(|| quote!(()), |body| self.api.rust_type(body)),
            None => {
                let name = self.name();
                quote!(crate::types::#name)
            }
        }
    }

    /// The enum of the bodies, by status.
    pub(super) fn definition(&self) -> Option<TokenStream> {
        if self.only().is_some() {
            return None;
        }
        let text = format!("What `{}` returns, by its status.", self.operation.id);
        let (name, text) = (self.name(), docs(&text));
        let variants = self.successes.iter().map(|(status, body)| {
            let variant = status_name(*status);
            let value = body.map(|body| self.api.rust_type(body)).map(|value| quote!((#value)));
            let text = docs(&format!("The status {status}."));
            quote!(#text #variant #value,)
        });
        Some(quote! {
            #text
            #[derive(Clone, Debug, PartialEq)]
            #[non_exhaustive]
            pub enum #name {
                #(#variants)*
            }
        })
    }

    /// The function that reads a success.
    pub(super) fn reader(&self) -> TokenStream {
        match self.only() {
            Some(Some(body)) if !matches!(body, Type::Content(_) | Type::Bytes) => {
                return quote!(openapi_client::Success::json);
            }
            Some(body) => {
                let reader = self.reader_of(body);
                return quote!(openapi_client::Success::#reader);
            }
            None => {}
        }
        let name = self.name();
        let arms = self.successes.iter().map(|(status, body)| {
            let variant = status_name(*status);
            let (status, reader) = (Literal::u16_unsuffixed(*status), self.reader_of(*body));
            let wrap = match body {
                Some(_) => quote!(crate::types::#name::#variant),
                None => quote!(|()| crate::types::#name::#variant),
            };
            quote!(#status => Ok(success.#reader()?.map(#wrap)),)
        });
        quote! {
            |success| match success.status.as_u16() {
                #(#arms)*
                _ => Err(success.undocumented()),
            }
        }
    }

    fn reader_of(&self, body: Option<&Type>) -> TokenStream {
        match body {
            None => quote!(empty),
            Some(Type::Content(name)) if self.api.is_text(name) => quote!(text),
            Some(Type::Content(_) | Type::Bytes) => quote!(bytes),
            Some(value) => {
                let value = self.api.rust_type(value);
                quote!(json::<#value>)
            }
        }
    }

    /// The documented statuses that are no success to HTTP.
    pub(super) fn redirects(&self) -> Vec<Literal> {
        let statuses = self.successes.iter().map(|(status, _)| *status);
        statuses.filter(|status| *status >= 300).map(Literal::u16_unsuffixed).collect()
    }
}
