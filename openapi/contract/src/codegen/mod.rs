//! Generates code from an OpenAPI document: the server's contract for poem-openapi, the client by
//! progenitor, the documented answers for its tests, and the index of operations.
//!
//! `read` turns the document into the model or into diagnostics; one generator per output
//! (`server`, `client`, `answers`, `index`) turns it into text; `files` writes or compares the
//! files. With a single diagnostic, nothing is generated.

mod answers;
mod client;
mod collisions;
mod config;
mod files;
pub(crate) mod format;
pub(crate) mod formats;
mod index;
mod model;
mod names;
mod partial;
mod read;
mod server;
mod tables;
#[cfg(test)]
mod tests;

use std::{io, path::Path};

use openapi_document::{Diagnostic, Document};

use self::model::Model;
pub(crate) use self::{answers::sample_of, partial::without_operations};

pub use self::{
    config::{
        ClientConfig, Config, ConsumerConfig, ErrorConfig, Lists, Scalar, ServerConfig,
        UnknownParameters,
    },
    files::{Artifact, Mode, Stale, ensure, ensure_folder},
    names::{snake, upper_camel},
    partial::{Coverage, coverage},
    read::name_collisions,
    tables::with_tables,
};

/// Why nothing was generated.
#[derive(Debug, thiserror::Error)]
pub enum CodegenError {
    /// The document has to change, at these places.
    #[error("{}{} found; nothing was generated", lines(.0), .0.len())]
    Rejected(Vec<Diagnostic>),
    /// rustfmt, which formats the generated code, could not be run.
    #[error(transparent)]
    Format(#[from] io::Error),
}

fn lines(diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(|diagnostic| format!("{diagnostic}\n")).collect()
}

/// Generates every file that the configuration names; `released` are the versions of earlier
/// documents that the server still supports. Deterministic.
///
/// # Errors
///
/// The document is outside the supported subset, or rustfmt cannot be run.
pub fn generate(
    document: &Document,
    released: &[String],
    config: &Config,
) -> Result<Vec<Artifact>, CodegenError> {
    let (model, generated) = model(document, released, config)?;
    artifacts(&model, document, &generated)
}

/// The first files of a server, and of a client that is not by hand: `contract codegen` never
/// touches them. `runtime` is the folder of the package openapi-runtime, beside that of
/// openapi-client; without it they are of a registry.
///
/// # Errors
/// Those of `generate`.
pub fn skeleton(
    document: &Document,
    released: &[String],
    config: &Config,
    runtime: Option<&Path>,
) -> Result<Vec<Artifact>, CodegenError> {
    let (model, _) = model(document, released, config)?;
    let client = client::skeleton::Package::of(config);
    let folder = client.as_ref().map(|client| client.folder);
    let mut files = server::skeleton::files(&model, runtime, folder)?;
    if let Some(client) = client {
        files.extend(client.files(&model, runtime)?);
    }
    Ok(files)
}

/// The model of the operations that the configuration does not leave out, and their document.
fn model(
    document: &Document,
    released: &[String],
    config: &Config,
) -> Result<(Model, Document), CodegenError> {
    let unknown = partial::unknown_names(document, config);
    if !unknown.is_empty() {
        return Err(CodegenError::Rejected(unknown));
    }
    let kept = partial::without_operations(document, &config.leave_out);
    let read = kept.and_then(|kept| Ok((checked(&kept, released, config)?, kept)));
    read.map_err(CodegenError::Rejected)
}

/// Reads the document, and checks that each output can have all of it, and each type its name.
fn checked(
    document: &Document,
    released: &[String],
    config: &Config,
) -> Result<Model, Vec<Diagnostic>> {
    let model = read::read(document, released, config)?;
    let mut found = client::check(&model, document);
    found.extend(collisions::check(&model, document));
    if found.is_empty() { Ok(model) } else { Err(found) }
}

/// The files of a model; its document as a whole, and without the operations that are left out.
fn artifacts(
    model: &Model,
    document: &Document,
    generated: &Document,
) -> Result<Vec<Artifact>, CodegenError> {
    let config = &model.config;
    let mut artifacts = server::generate(model)?;
    if let Some(client) = &config.client {
        let text = client::generate(model, generated, client)?;
        artifacts.push(Artifact { path: client.file.clone(), text });
        if let Some(path) = &client.answers {
            let text = answers::generate(model, document).map_err(CodegenError::Rejected)?;
            artifacts.push(Artifact { path: path.clone(), text });
        }
    }
    let json = config.server.as_ref().and_then(|server| server.json.as_ref());
    let text = || document.value().to_string();
    artifacts.extend(json.map(|path| Artifact { path: path.clone(), text: text() }));
    let index = config.index.as_ref();
    artifacts
        .extend(index.map(|path| Artifact { path: path.clone(), text: index::generate(model) }));
    Ok(artifacts)
}
