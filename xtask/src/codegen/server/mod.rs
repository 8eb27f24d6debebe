//! The server's contract: one generator per file of `server/src/contract/`.
//!
//! It refuses nothing: the model holds only what these generators can write.

mod decode;
mod operations;
mod routes;
mod traits;
mod types;
mod vocabulary;

use proc_macro2::TokenStream;
use quote::quote;

use super::{
    files::Artifact,
    format::{self, FormatError},
    model::{Field, Model, Parameter, Type},
    names::type_name,
};

const FOLDER: &str = "server/src/contract";

/// Every generated file of the contract.
pub(super) fn generate(model: &Model) -> Result<Vec<Artifact>, FormatError> {
    let files: [(&str, &str, TokenStream, String); 5] = [
        (
            "types.rs",
            types::OWNS,
            types::generate(model),
            String::new(),
        ),
        (
            "traits.rs",
            traits::OWNS,
            traits::generate(model),
            String::new(),
        ),
        (
            "routes.rs",
            routes::OWNS,
            routes::generate(model),
            routes::answers(model),
        ),
        (
            "operations.rs",
            operations::OWNS,
            operations::generate(model),
            String::new(),
        ),
        (
            "decode.rs",
            decode::OWNS,
            decode::generate(model),
            String::new(),
        ),
    ];
    let artifacts = files.into_iter().map(|(name, owns, items, tables)| {
        Ok(Artifact {
            path: format!("{FOLDER}/{name}"),
            text: format::file(owns, items, &tables)?,
        })
    });
    artifacts.collect()
}

/// The Rust type of a value.
fn rust_type(value: &Type) -> TokenStream {
    match value {
        Type::Named(name) => {
            let name = type_name(name);
            quote!(#name)
        }
        Type::String => quote!(String),
        Type::Boolean => quote!(bool),
        Type::Integer32 => quote!(i32),
        Type::Integer64 => quote!(i64),
        Type::Any => quote!(Value),
        Type::List { items, .. } => {
            let items = rust_type(items);
            quote!(Vec<#items>)
        }
    }
}

/// The Rust type of a field: absent and null are different things.
fn field_type(field: &Field) -> TokenStream {
    let value = rust_type(&field.value);
    match (field.required, field.nullable) {
        (true, false) => value,
        (true, true) => quote!(Nullable<#value>),
        (false, false) => quote!(Option<#value>),
        (false, true) => quote!(MaybeUndefined<#value>),
    }
}

/// The Rust type of a parameter: one with a default is always there.
fn parameter_type(parameter: &Parameter) -> TokenStream {
    let value = rust_type(&parameter.value);
    if parameter.required || parameter.defaulted {
        value
    } else {
        quote!(Option<#value>)
    }
}
