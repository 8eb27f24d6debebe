//! The files of a new server that are written once, and are its owner's from then on.

use std::path::Path;

use openapi_document::Document;

use crate::{
    Artifact, CodegenError, Config, ServerConfig, format,
    server::{
        self,
        skeleton::{DOCS, EMITTER_DOCS, emitter, generate},
    },
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

/// The files of a crate whose program prints the document that the framework emits for the
/// generated routes; `runtime` as for [`skeleton`].
///
/// # Errors
/// As `generate`.
pub fn emitting_crate(
    document: &Document,
    released: &[String],
    config: &Config,
    runtime: &Path,
) -> Result<Vec<Artifact>, CodegenError> {
    let mut config = config.clone();
    let (handled_headers, ignored_headers) = config
        .server
        .take()
        .map(|server| (server.handled_headers, server.ignored_headers))
        .unwrap_or_default();
    let folder = "src/contract".to_owned();
    config.server = Some(ServerConfig { folder, service: false, handled_headers, ignored_headers });
    let (model, _) = super::model(document, released, &config)?;
    let text =
        format::file("Written by `contract round-trip`.", EMITTER_DOCS, emitter(&model), "")?;
    let mut files = server::generate(&model)?;
    files.extend([Artifact { path: "src/main.rs".to_owned(), text }, manifest(runtime)]);
    Ok(files)
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
    use crate::tests::{CREATE, config};

    #[test]
    fn emitting_crate_has_the_routes_and_prints_their_document() {
        let document = Document::parse("small.yaml", CREATE).unwrap();
        let runtime = Path::new("/runtime");
        let files = emitting_crate(&document, &[], &config(), runtime).unwrap();
        let text = |path: &str| {
            let file = files.iter().find(|file| file.path == path);
            file.map(|file| file.text.as_str())
        };
        // The configuration has another folder, a client and an index.
        assert_eq!(text("src/contract/service.rs"), None);
        assert!(text("src/contract/routes.rs").unwrap().contains("impl<A: Handlers> Routes<A>"));
        assert!(
            files.iter().all(|file| file.path.starts_with("src/") || file.path == "Cargo.toml")
        );
        let main = text("src/main.rs").unwrap();
        assert!(main.contains("println!(\"{}\", service.spec());"), "{main}");
        for operation in document.operations() {
            assert!(main.contains(&format!("not_implemented(\"{}\")", operation.id)), "{main}");
        }
        assert!(text("Cargo.toml").unwrap().contains("{ path = \"/runtime\" }"));
    }

    #[test]
    fn versions_are_those_of_the_workspace() {
        let read = |text: &str| text.parse::<toml::Table>().unwrap();
        let workspace = read(include_str!("../../../Cargo.toml"));
        let workspace = workspace["workspace"]["dependencies"].clone();
        let version = |value: &toml::Value| value.get("version").unwrap_or(value).clone();
        for name in ["poem", "poem-openapi"] {
            let ours = version(&read(CARGO)["dependencies"][name]);
            assert_eq!(ours, version(&workspace[name]), "{name}");
        }
    }
}
