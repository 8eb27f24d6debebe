//! The files of a new server that are written once, and are its owner's from then on. Every handler
//! answers that it is not implemented yet.

use std::path::Path;

use openapi_document::Document;
use proc_macro2::TokenStream;
use quote::quote;

use super::{successes::success_type, traits};
use crate::codegen::{
    self, Artifact, CodegenError, Config, format,
    model::{Model, Operation},
    names::value_name,
};

const DOCS: &str = "The server. Every handler has the signature that the document \
    gives it; replace what they return.";

/// `main.rs` beside the contract's folder, and `Cargo.toml`; `runtime` is the folder of the package
/// `openapi-runtime`.
///
/// # Errors
/// Those of `generate`.
pub fn skeleton(
    document: &Document,
    released: &[String],
    config: &Config,
    runtime: &Path,
) -> Result<Vec<Artifact>, CodegenError> {
    let (model, _) = codegen::model(document, released, config)?;
    let Some(server) = &config.server else {
        return Ok(Vec::new());
    };
    let main = Path::new(&server.folder).with_file_name("main.rs").display().to_string();
    let header = format!("Written once by `contract skeleton` from {}.", config.document);
    let text = format::file(&header, DOCS, generate(&model), "")?;
    Ok(vec![Artifact { path: main, text }, manifest(runtime)])
}

fn manifest(runtime: &Path) -> Artifact {
    let text = CARGO.replace("RUNTIME", &runtime.display().to_string());
    Artifact { path: "Cargo.toml".to_owned(), text }
}

/// The manifest, with the versions that the runtime is built with.
const CARGO: &str = include_str!("templates/Cargo.toml.txt");

fn generate(model: &Model) -> TokenStream {
    let (names, methods): (Vec<_>, Vec<_>) = traits::tags(model)
        .into_iter()
        .map(|(name, _, operations)| {
            (name, operations.into_iter().map(handler).collect::<TokenStream>())
        })
        .unzip();
    let tokens = [
        ("traits", quote!(#(#names),*)),
        ("handlers", quote!(#(impl #names for App { #methods })*)),
    ];
    format::template(include_str!("templates/main.rs.txt"), &tokens)
}

fn handler(operation: &Operation) -> TokenStream {
    let (name, id) = (value_name(&operation.id), &operation.id);
    let success = success_type(operation);
    let arguments = traits::argument_types(operation);
    quote! {
        async fn #name(&self, _caller: Caller #(, _: #arguments)*) -> Result<#success, Problem> {
            Err(not_implemented(#id))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_of_the_framework_is_that_of_the_workspace() {
        let read = |text: &str| text.parse::<toml::Table>().unwrap();
        let workspace = read(include_str!("../../../../../Cargo.toml"));
        let workspace = workspace["workspace"]["dependencies"].clone();
        let version = |value: &toml::Value| value.get("version").unwrap_or(value).clone();
        let ours = version(&read(CARGO)["dependencies"]["poem"]);
        assert_eq!(ours, version(&workspace["poem"]));
    }
}
