//! The loaded document and what may be asked of it.
//!
//! It refuses OpenAPI 2.0 and 3.1: their schemas mean other things by the same words.

use std::{fs, path::Path};

use openapiv3::OpenAPI;
use serde_json::Value;

use super::{references, schemas, typed};
use crate::{
    error::DocumentError,
    example::{self, Example},
    operation::{self, Operation, Response},
    place::Place,
    schema::{self, Direction},
    source::{Resolved, Source},
    structure::{Node, walk},
    validate::Validator,
};

/// An OpenAPI 3.0 document whose every reference resolves and whose every part has a place.
#[derive(Debug)]
pub struct Document {
    source: Source,
    openapi: OpenAPI,
    operations: Vec<Operation>,
    unrouted_responses: Vec<Response>,
}

impl Document {
    /// Loads the document in the file `path`, YAML or JSON.
    ///
    /// # Errors
    /// When the file cannot be read, or as [`Document::parse`].
    pub fn load(path: &Path) -> Result<Self, DocumentError> {
        let text = fs::read_to_string(path).map_err(|source| DocumentError::Unreadable {
            path: path.to_owned(),
            source,
        })?;
        Self::parse(&path.display().to_string(), &text)
    }

    /// Loads the document in `text`; `name` is what places call it.
    ///
    /// # Errors
    /// When `text` is no YAML or JSON, no OpenAPI 3.0, or has a reference that leads nowhere, in
    /// a circle, or out of the document: with file, line and column, the first fault found.
    pub fn parse(name: &str, text: &str) -> Result<Self, DocumentError> {
        let source = Source::read(name, text)?;
        check_version(&source)?;
        let openapi = typed::read(&source)?;
        let nodes = walk(Node::root(source.value()));
        references::check(&source, &nodes)?;
        schemas::check(&source, &nodes)?;
        let operations = operation::read(&source)?;
        let unrouted_responses = operation::read_unrouted(&source)?;
        Ok(Self {
            source,
            openapi,
            operations,
            unrouted_responses,
        })
    }

    /// The document as written, references and all, members in their order.
    #[must_use]
    pub fn value(&self) -> &Value {
        self.source.value()
    }

    /// The document as the types of the crate `openapiv3`, for those who generate from them.
    #[must_use]
    pub fn openapi(&self) -> &OpenAPI {
        &self.openapi
    }

    /// Where the member at a JSON pointer stands, else its nearest ancestor that exists.
    #[must_use]
    pub fn place(&self, pointer: &str) -> Place {
        self.source.place(pointer)
    }

    /// What stands at a JSON pointer, after following references.
    ///
    /// # Errors
    /// When nothing stands there.
    pub fn resolve(&self, pointer: &str) -> Result<Resolved<'_>, DocumentError> {
        self.source.resolve(pointer)
    }

    /// Every operation, in the order of the document.
    #[must_use]
    pub fn operations(&self) -> &[Operation] {
        &self.operations
    }

    /// `x-unrouted-responses`: what answers an unknown path or method; none in most documents.
    #[must_use]
    pub fn unrouted_responses(&self) -> &[Response] {
        &self.unrouted_responses
    }

    /// Every example of the document, each with the schema it must satisfy.
    ///
    /// # Errors
    /// Never for a loaded document; a fault would be told with its place.
    pub fn examples(&self) -> Result<Vec<Example>, DocumentError> {
        example::collect(&self.source)
    }

    /// The schema at a JSON pointer as JSON Schema 2020-12, complete with all it refers to.
    ///
    /// # Errors
    /// When nothing stands at the pointer.
    pub fn json_schema(&self, pointer: &str, direction: Direction) -> Result<Value, DocumentError> {
        schema::convert(&self.source, pointer, direction)
    }

    /// A validator for the schema at a JSON pointer.
    ///
    /// # Errors
    /// When nothing stands at the pointer, or the schema contradicts itself.
    pub fn validator(
        &self,
        pointer: &str,
        direction: Direction,
    ) -> Result<Validator, DocumentError> {
        let schema = self.json_schema(pointer, direction)?;
        Validator::new(&schema).map_err(|problem| self.source.error(pointer, problem))
    }
}

fn check_version(source: &Source) -> Result<(), DocumentError> {
    let value = source.value();
    if !value.is_object() {
        return Err(source.error("", "an OpenAPI document is a mapping, this is not"));
    }
    let Some(version) = value.get("openapi") else {
        if value.get("swagger").is_some() {
            return Err(source
                .error("/swagger", "this is Swagger 2.0; OpenAPI 3.0 is read here")
                .with_help("convert the document to `openapi: 3.0.3`"));
        }
        return Err(source
            .error(
                "",
                "the member `openapi` is missing, so this is no OpenAPI document",
            )
            .with_help("begin it with `openapi: 3.0.3`"));
    };
    match version.as_str() {
        Some(version) if version == "3.0" || version.starts_with("3.0.") => Ok(()),
        Some(version) => Err(source
            .error(
                "/openapi",
                format!("this is OpenAPI {version}; OpenAPI 3.0 is read here"),
            )
            .with_help("write the document in `openapi: 3.0.3`")),
        None => Err(source
            .error("/openapi", "the version must be a text")
            .with_help("write `openapi: 3.0.3`")),
    }
}
