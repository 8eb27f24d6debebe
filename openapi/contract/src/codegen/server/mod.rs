//! The server's contract: one generator per file of its folder.

mod codes;
mod decode;
mod encodings;
mod objects;
mod operations;
mod projections;
mod queries;
mod reached;
mod references;
mod routes;
pub(crate) mod skeleton;
mod successes;
mod traits;
mod types;
mod value_sets;
mod versions;

use std::iter;

use openapi_document::Location;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;
use serde_json::Value;

use super::{
    collisions::OwnType,
    files::Artifact,
    format,
    model::{Field, Kind, Model, Operation, Parameter, Scalar, Success, Type},
    names::{type_name, value_name},
};

/// The files that are the same for every document.
const MODULE: &str = include_str!("templates/mod.rs.txt");
const SERVICE: &str = include_str!("templates/service.rs.txt");

pub(super) fn generate(model: &Model) -> std::io::Result<Vec<Artifact>> {
    files(model, |_| true)
}

/// Generates the files that are wanted, by their names.
pub(super) fn files(
    model: &Model,
    is_wanted: impl Fn(&str) -> bool,
) -> std::io::Result<Vec<Artifact>> {
    let Some(server) = &model.config.server else {
        return Ok(Vec::new());
    };
    let plain = String::new;
    let header = model.config.header();
    let files: [(&str, &str, TokenStream, String); 7] = [
        ("types.rs", types::DOCS, types::generate(model), references::tables(model)),
        ("value_sets.rs", value_sets::DOCS, value_sets::generate(model), value_sets::tables(model)),
        ("traits.rs", traits::DOCS, traits::generate(model), plain()),
        ("routes.rs", routes::DOCS, routes::generate(model), plain()),
        ("operations.rs", operations::DOCS, operations::generate(model), plain()),
        ("decode.rs", decode::DOCS, decode::generate(model), plain()),
        ("versions.rs", versions::DOCS, versions::generate(model), plain()),
    ];
    let file = |name, text| Artifact { path: format!("{}/{name}", server.folder), text };
    let wanted = files.into_iter().filter(|(name, ..)| is_wanted(name));
    let generated = wanted.map(|(name, docs, items, tables)| {
        Ok(file(name, format::file(&header, docs, items, &tables)?))
    });
    let same = |name, text: String| Ok(file(name, format!("// {header}\n{text}")));
    let module = match server.service {
        true => MODULE.to_owned(),
        false => MODULE.replace("pub mod service;\n", ""),
    };
    let service = server.service.then(|| same("service.rs", SERVICE.to_owned()));
    iter::once(same("mod.rs", module)).chain(generated).chain(service).collect()
}

/// The types beside the schemas, and the traits.
pub(super) fn own_types(model: &Model) -> Vec<OwnType> {
    let traits = traits::tags(model).into_iter().map(|(name, _, operations)| OwnType {
        name,
        what: "the trait",
        operation: operations[0].id.clone(),
    });
    let media_types = model.media_types.iter().map(|(name, _)| {
        let has_it =
            |reply: &Success| reply.body.as_ref().is_some_and(|it| it.name() == Some(name));
        let mut operations = model.operations.iter();
        let operation = operations.find(|operation| operation.replies().any(has_it));
        let operation = operation.map(|operation| operation.id.clone()).unwrap_or_default();
        OwnType { name: type_name(name), what: "a media type", operation }
    });
    let of_operations = model.operations.iter().flat_map(|operation| {
        let own = |name, what| OwnType { name, what, operation: operation.id.clone() };
        let has_query = operation.parameters_in(Location::Query).next().is_some();
        let query = has_query.then(|| own(queries::query_name(operation), "the query"));
        let references = (!operation.references.is_empty())
            .then(|| own(references::references_name(operation), "the references"));
        let replies = successes::type_names(operation);
        let replies = replies.map(|name| own(name, "the response")).collect::<Vec<_>>();
        query.into_iter().chain(references).chain(replies)
    });
    traits.chain(media_types).chain(of_operations).collect()
}

fn rust_type(value: &Type) -> TokenStream {
    match value {
        Type::Named(name) => {
            let name = type_name(name);
            quote!(#name)
        }
        Type::Boxed(name) => {
            let name = type_name(name);
            quote!(Box<#name>)
        }
        Type::Nullable(value) => {
            let value = rust_type(value);
            quote!(openapi_runtime::Nullable<#value>)
        }
        Type::Bytes => quote!(Vec<u8>),
        Type::File => quote!(openapi_runtime::File),
        Type::Content(media_type) => {
            let media_type = type_name(media_type);
            quote!(openapi_runtime::Content<#media_type>)
        }
        Type::String => quote!(String),
        Type::Boolean => quote!(bool),
        Type::Integer32 => quote!(i32),
        Type::Integer64 => quote!(i64),
        Type::Number => quote!(f64),
        Type::Any => quote!(Value),
        Type::List { items, .. } => {
            let items = rust_type(items);
            quote!(Vec<#items>)
        }
    }
}

/// The Rust type of a field; absent and null differ.
fn field_type(field: &Field) -> TokenStream {
    let value = rust_type(&field.value);
    match (field.is_always_set(), field.nullable) {
        (true, false) => value,
        (true, true) => quote!(Nullable<#value>),
        (false, false) => quote!(Option<#value>),
        (false, true) => quote!(MaybeUndefined<#value>),
    }
}

/// The query parameters that select rows, sorted by name.
fn filters<'m>(model: &Model, operation: &'m Operation) -> Vec<&'m Parameter> {
    let parameters = operation.parameters_in(Location::Query);
    let mut filters: Vec<_> =
        parameters.filter(|parameter| !model.config.lists.has(&parameter.name)).collect();
    filters.sort_by_key(|parameter| &parameter.name);
    filters
}

/// The Rust type of a parameter; one with a default always has a value.
fn parameter_type(parameter: &Parameter) -> TokenStream {
    let value = rust_type(&parameter.value);
    if parameter.is_always_set() { value } else { quote!(Option<#value>) }
}

/// The function that returns the default of a property or a parameter.
fn default_name(name: &str) -> Ident {
    value_name(&format!("default-{name}"))
}

/// This function, of a value that has a default; `before` is what is before `fn`.
fn default_function(
    model: &Model,
    name: &str,
    value: &Type,
    default: Option<&Value>,
    before: &TokenStream,
) -> Option<TokenStream> {
    let default = literal(model, value, default?);
    let (function, value) = (default_name(name), rust_type(value));
    let documentation = format::docs(&format!("The default of `{name}`."));
    Some(quote! {
        #documentation
        #before fn #function() -> #value {
            #default
        }
    })
}

/// A default as Rust writes it; `read` has checked that it has the type.
fn literal(model: &Model, value: &Type, default: &Value) -> TokenStream {
    let text = default.as_str().unwrap_or_default();
    let (whole, number) = (default.as_i64().unwrap_or_default(), default.as_f64());
    let whole = Literal::i64_unsuffixed(whole);
    let number = Literal::f64_unsuffixed(number.unwrap_or_default());
    let Type::Named(name) = value else {
        return match value {
            Type::Boolean => {
                let value = default.as_bool().unwrap_or_default();
                quote!(#value)
            }
            Type::Integer32 | Type::Integer64 => quote!(#whole),
            Type::Number => quote!(#number),
            _ => quote!(#text.to_owned()),
        };
    };
    let value_type = type_name(name);
    match &model.schema(name).kind {
        Kind::Scalar(Scalar::Money, _) => {
            quote!(#value_type::parse(#text).expect("the document's schema accepts it"))
        }
        Kind::Enum(_) => {
            let variant = type_name(text);
            quote!(#value_type::#variant)
        }
        Kind::Integer(..) => quote!(#value_type::new(#whole)),
        Kind::Number(_) => quote!(#value_type::new(#number)),
        Kind::Constant(_) => quote!(#value_type),
        _ => quote!(#value_type::new(#text)),
    }
}

/// Allows a function so many arguments besides `self` and the caller.
fn many_arguments(count: usize) -> Option<TokenStream> {
    const LINT: usize = 7;
    (count + 2 > LINT)
        .then(|| quote!(#[allow(clippy::too_many_arguments, reason = "the document's parameters")]))
}
