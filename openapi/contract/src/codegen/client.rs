//! The client: its types and the builders of its bodies and calls, from the model that the server's
//! contract comes from. progenitor makes the request of each call from its arguments (`requests`).

mod arguments;
mod bodies;
mod calls;
mod check;
mod docs;
mod example;
mod pages;
mod replies;
mod requests;
mod rules;
pub(super) mod skeleton;
mod tables;
mod types;

use std::collections::BTreeSet;

use openapi_document::{Document, Location};
use proc_macro2::TokenStream;
use quote::quote;

use self::replies::Reply;
use super::{
    ClientConfig, CodegenError,
    collisions::OwnType,
    format,
    model::{Format, Kind, Model, Operation, Parameter, Type, object, reached},
    names::{member as field, type_name},
    read::details_by_code,
};

pub(super) use self::check::{OF_CLIENT, check};

const DOCS: &str = "\
Types and request builders of the document's operations. `Connection` sends the requests.";

/// The text of the generated file, for a document that `read` has accepted. Deterministic.
pub(crate) fn generate(
    model: &Model,
    document: &Document,
    client: &ClientConfig,
) -> Result<String, CodegenError> {
    let api = Api::new(model, document, client);
    let (types, calls, tables) = (types::module(&api), calls::module(&api), tables::of(&api));
    let methods = api.operations.iter().map(|operation| calls::method(&api, operation));
    let (version, support) = (document.version(), &api.support);
    let start = match api.client.by_hand {
        true => quote! { pub(crate) fn api_version() -> &'static str { #version } },
        false => quote! {
            /// A client that sends its requests over this connection.
            pub fn new(connection: openapi_client::Connection) -> Self {
                Self { connection }
            }
        },
    };
    let tokens = [
        ("types", types),
        ("text", docs::of_client(&api)),
        ("support", quote!(#support)),
        ("start", start),
        ("methods", quote!(#(#methods)*)),
        ("calls", calls),
        ("tables", tables),
    ];
    let items = format::template(include_str!("client/templates/generated.rs.txt"), &tokens);
    Ok(format::file(&model.config.header(), DOCS, items, "")?)
}

/// The types beside the schemas.
pub(super) fn own_types(model: &Model, document: &Document) -> Vec<OwnType> {
    let Some(client) = &model.config.client else { return Vec::new() };
    let api = Api::new(model, document, client);
    let own = api.operations.iter().filter_map(|it| Reply::of(&api, it).own_type());
    own.collect()
}

/// The model, as the generators of the client see it.
struct Api<'a> {
    model: &'a Model,
    document: &'a Document,
    client: &'a ClientConfig,
    /// The operations that the client has.
    operations: Vec<&'a Operation>,
    /// The crate that has `Connection`, `Error` and `Response`.
    support: TokenStream,
    /// The schemas that requests contain, without the headers that the client sets.
    sent: BTreeSet<&'a str>,
    /// The schemas that responses contain; of the errors for a client by hand, those of details.
    received: BTreeSet<&'a str>,
    in_paths: BTreeSet<&'a str>,
    /// The schema of the details of each code that has some.
    details: Vec<(String, String)>,
}

impl<'a> Api<'a> {
    fn new(model: &'a Model, document: &'a Document, client: &'a ClientConfig) -> Self {
        let is_kept = |operation: &&Operation| !client.leave_out.contains(&operation.id);
        let operations = || model.operations.iter().filter(is_kept);
        let bodies = operations().filter_map(|operation| operation.body.as_ref());
        let given = operations().flat_map(|operation| arguments_of(client, operation));
        let given = given.map(|parameter| &parameter.value);
        let in_paths = operations().flat_map(|operation| operation.parameters_in(Location::Path));
        let returned = operations().flat_map(replies::successes);
        let mut details = details_by_code(document, &model.config);
        let mut in_errors = Vec::new();
        if client.by_hand {
            let names = model.schemas.iter().map(|schema| schema.name.as_str());
            let is_of_details = |name: &&str| details.iter().any(|(_, known)| known == name);
            in_errors.extend(names.filter(is_of_details));
        } else {
            details.clear();
            in_errors.extend(replies::errors(document, model));
        }
        let received = returned.filter_map(|(_, body)| body?.name());
        Self {
            sent: reached(&model.schemas, bodies.chain(given).filter_map(Type::name)),
            received: reached(&model.schemas, received.chain(in_errors)),
            in_paths: in_paths.filter_map(|parameter| parameter.value.name()).collect(),
            operations: operations().collect(),
            model,
            document,
            client,
            support: if client.by_hand { quote!(crate) } else { quote!(openapi_client) },
            details,
        }
    }

    fn arguments_of(&self, operation: &'a Operation) -> Vec<&'a Parameter> {
        arguments_of(self.client, operation)
    }

    /// Returns true if the media type with this name in Rust is a text.
    fn is_text(&self, media_type: &str) -> bool {
        let is_it = |(name, essence): &(String, String)| {
            name == media_type && matches!(Format::of(essence), Format::Text | Format::Json)
        };
        self.model.media_types.iter().any(is_it)
    }

    /// The operation as the document has it, with the codes of its errors and its examples.
    fn documented(&self, operation: &Operation) -> &'a openapi_document::Operation {
        let mut operations = self.document.operations().iter();
        let found = operations.find(|known| known.id == operation.id);
        found.expect("the model has operations of the document alone")
    }

    /// Returns true for a type that has one text for each value.
    fn is_one_text(&self, value: &Type) -> bool {
        match value {
            Type::Named(name) => match &self.model.schema(name).kind {
                Kind::Alternatives(all) => all.variants.iter().all(|(_, it)| self.is_one_text(it)),
                kind => !kind.is_structured(&self.model.schemas),
            },
            Type::String | Type::Boolean | Type::Integer32 | Type::Integer64 | Type::Number => true,
            _ => false,
        }
    }

    fn has_type(&self, schema: &str) -> bool {
        self.client.types.contains_key(schema)
    }

    fn is_id(&self, schema: &str) -> bool {
        let is_text = match &self.model.schema(schema).kind {
            Kind::Text(text) => text.known_values.is_empty(),
            _ => false,
        };
        is_text && (self.in_paths.contains(schema) || schema.ends_with("Id"))
    }

    /// The object of a request that has a builder.
    fn is_built(&self, value: &Type) -> bool {
        let name = value.name().filter(|name| self.sent.contains(name));
        let is_named = matches!(value, Type::Named(_));
        is_named && name.is_some_and(|name| object(&self.model.schemas, name).is_some())
    }

    fn rust_type(&self, value: &Type) -> TokenStream {
        match value {
            Type::Named(name) => self.named(name),
            Type::Boxed(name) => {
                let name = self.named(name);
                quote!(Box<#name>)
            }
            Type::Nullable(value) => {
                let value = self.rust_type(value);
                quote!(Option<#value>)
            }
            Type::List { items, .. } => {
                let items = self.rust_type(items);
                quote!(Vec<#items>)
            }
            Type::String => quote!(String),
            Type::Boolean => quote!(bool),
            Type::Integer32 => quote!(i32),
            Type::Integer64 => quote!(i64),
            Type::Number => quote!(f64),
            Type::Any => quote!(::serde_json::Value),
            Type::Content(name) if self.is_text(name) => quote!(String),
            Type::File => quote!(openapi_client::File),
            Type::Bytes | Type::Content(_) => quote!(openapi_client::Bytes),
        }
    }

    /// The type of a schema. Every number of a program converts; the rules have the bounds.
    fn named(&self, schema: &str) -> TokenStream {
        if let Some(path) = self.client.types.get(schema) {
            return path.parse().expect("the configuration has the path of a type");
        }
        match self.model.schema(schema).kind {
            Kind::Integer(..) => quote!(i64),
            Kind::Number(_) => quote!(f64),
            Kind::Constant(_) => quote!(bool),
            _ => {
                let name = type_name(schema);
                quote!(crate::types::#name)
            }
        }
    }
}

/// The parameters that callers of the client give, by name: all but the headers that the client
/// sets itself.
fn arguments_of<'a>(client: &ClientConfig, operation: &'a Operation) -> Vec<&'a Parameter> {
    let is_argument = |parameter: &&Parameter| {
        parameter.location != Location::Header
            || !client.handled_headers.contains(&parameter.name.to_lowercase())
    };
    let mut arguments: Vec<_> = operation.parameters.iter().filter(is_argument).collect();
    arguments.sort_by_key(|parameter| field(&parameter.name).to_string());
    arguments
}
