//! The files of a new server that are written once, and are its owner's from then on. Every handler
//! answers that it is not implemented yet.

use std::{io, path::Path};

use proc_macro2::TokenStream;
use quote::quote;

use super::{successes::success_type, traits};
use crate::codegen::{
    Artifact, format,
    model::{ErrorForm, Fill, Model, Operation},
    names::{type_name, value_name},
};

const DOCS: &str = "The server. Every handler has the signature that the document \
    gives it; replace what they return.";

/// `main.rs` beside the contract's folder, and `Cargo.toml`; `runtime` is the folder of the package
/// `openapi-runtime`, if it is none of a registry, and `client` that of the client's package.
pub(in crate::codegen) fn files(
    model: &Model,
    runtime: Option<&Path>,
    client: Option<&Path>,
) -> io::Result<Vec<Artifact>> {
    let Some(server) = &model.config.server else {
        return Ok(Vec::new());
    };
    let main = Path::new(&server.folder).with_file_name("main.rs").display().to_string();
    let text = format::file(&model.config.written_once(), DOCS, generate(model), "")?;
    Ok(vec![Artifact { path: main, text }, manifest(runtime, client)])
}

fn manifest(runtime: Option<&Path>, client: Option<&Path>) -> Artifact {
    let mut text = CARGO.replace("RUNTIME", &dependency(runtime));
    if let Some(folder) = client {
        text.push_str(&format!("members = [{}]\n", path(folder)));
    }
    Artifact { path: "Cargo.toml".to_owned(), text }
}

/// The value of a dependency: a folder, or the version of this program.
pub(in crate::codegen) fn dependency(folder: Option<&Path>) -> String {
    match folder {
        Some(folder) => format!("{{ path = {} }}", path(folder)),
        None => concat!("\"", env!("CARGO_PKG_VERSION"), "\"").to_owned(),
    }
}

fn path(folder: &Path) -> toml::Value {
    folder.display().to_string().into()
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
    let filled = model.error_forms.iter().filter_map(|form| match form {
        ErrorForm::Json { schema, fill: Fill::ByHand, .. } => Some(fill(schema)),
        _ => None,
    });
    let tokens = [
        ("filled", quote!(#(#filled)*)),
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

/// The error that the author of the server fills.
fn fill(schema: &str) -> TokenStream {
    let (name, problem) = (type_name(schema), format!("fill `{schema}`"));
    quote! {
        impl openapi_runtime::FillError<#name> for ErrorCode {
            fn fill(self, _message: String, _details: Option<Value>) -> #name {
                unimplemented!(#problem)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use openapi_document::Document;

    use super::*;
    use crate::codegen::{self, Config};

    const REQUESTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../runtime/tests/requests");

    /// The tests of the runtime compile it.
    #[test]
    fn main_of_the_requests_of_the_runtime_is_the_committed_one() {
        let folder = Path::new(REQUESTS);
        let config = std::fs::read_to_string(folder.join("contract.toml")).unwrap();
        let config = Config::parse(&config).unwrap();
        let document = Document::load(&folder.join(&config.document)).unwrap();
        let files = codegen::skeleton(&document, &[], &config, None).unwrap();
        let committed = folder.join("skeleton.rs");
        if std::env::var_os("WRITE_EXPECTED").is_some() {
            std::fs::write(&committed, &files[0].text).unwrap();
        }
        let mend = "where this is right: WRITE_EXPECTED=1 cargo test --workspace --lib skeleton";
        assert!(files[0].text == std::fs::read_to_string(committed).unwrap(), "{mend}");
        assert!(files[0].text.contains("if operation.info().is_open()"));
    }

    #[test]
    fn manifest_names_a_version_or_the_folder_that_is_given() {
        let version = concat!("openapi-runtime = \"", env!("CARGO_PKG_VERSION"), "\"\n");
        assert!(manifest(None, None).text.contains(version));
        let text = manifest(Some(Path::new("../run\"time")), Some(Path::new("client"))).text;
        let read: toml::Table = text.parse().unwrap();
        assert_eq!(read["dependencies"]["openapi-runtime"]["path"].as_str(), Some("../run\"time"));
        assert_eq!(read["workspace"]["members"][0].as_str(), Some("client"));
    }

    #[test]
    fn version_of_the_framework_is_that_of_the_workspace() {
        let read = |text: &str| text.parse::<toml::Table>().unwrap();
        let workspace = read(include_str!("../../../../../Cargo.toml"));
        let workspace = workspace["workspace"]["dependencies"].clone();
        let version = |value: &toml::Value| value.get("version").unwrap_or(value).clone();
        let ours = version(&read(&manifest(None, None).text)["dependencies"]["poem"]);
        assert_eq!(ours, version(&workspace["poem"]));
    }
}
