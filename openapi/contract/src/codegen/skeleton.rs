//! The files of a new server that are written once, and are its owner's from then on.

use std::path::Path;

use openapi_document::Document;

use crate::codegen::{
    Artifact, CodegenError, Config, format,
    server::skeleton::{DOCS, generate},
};

/// `main.rs` beside the contract's folder, and `Cargo.toml`; `runtime` is the folder of the package
/// `openapi-runtime`.
///
/// # Errors
/// As `generate`.
pub fn skeleton(
    document: &Document,
    released: &[String],
    config: &Config,
    runtime: &Path,
) -> Result<Vec<Artifact>, CodegenError> {
    let (model, _) = super::model(document, released, config)?;
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

/// The versions that the runtime is built with.
const CARGO: &str = r#"[package]
name = "server"
version = "0.1.0"
edition = "2024"

[dependencies]
openapi-runtime = { path = "RUNTIME" }
poem = { version = "=3.1.12", default-features = false, features = ["server"] }
poem-openapi = { version = "=5.1.16", default-features = false }
serde = { version = "1", features = ["derive"] }
serde_json = "1"
tokio = { version = "1", features = ["macros", "net", "rt-multi-thread"] }

[workspace]
"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_those_of_the_workspace() {
        let read = |text: &str| text.parse::<toml::Table>().unwrap();
        let workspace = read(include_str!("../../../../Cargo.toml"));
        let workspace = workspace["workspace"]["dependencies"].clone();
        let version = |value: &toml::Value| value.get("version").unwrap_or(value).clone();
        for name in ["poem", "poem-openapi"] {
            let ours = version(&read(CARGO)["dependencies"][name]);
            assert_eq!(ours, version(&workspace[name]), "{name}");
        }
    }
}
