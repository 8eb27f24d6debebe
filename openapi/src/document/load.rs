//! The loaded document: OpenAPI 3.0, or 3.1 as far as 3.0 can express it.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use serde_json::Value;

use super::{references, schemas, typed};
use crate::{
    error::{Diagnostic, DocumentError},
    example::{self, Example},
    operation::{self, Operation, Response},
    place::Place,
    pointer::join,
    schema::{self, Direction, Discriminator, Question, Shape},
    source::{Resolved, Source, Text, read_files, read_files_by, yaml},
    structure::{Node, walk},
    v31,
    validate::Validator,
};

/// An OpenAPI document, in the form of 3.0, whose every reference resolves and whose every part has
/// a place.
#[derive(Debug)]
pub struct Document {
    source: Source,
    operations: Vec<Operation>,
    unrouted_responses: Vec<Response>,
    notes: Vec<Diagnostic>,
}

impl Document {
    /// Loads the document in the file `path`, YAML or JSON, with the files that it refers to.
    pub fn load(path: &Path) -> Result<Self, DocumentError> {
        Self::load_with(path, &[])
    }

    /// Loads the document in the file `path`, changed by overlays.
    pub fn load_with(path: &Path, overlays: &[PathBuf]) -> Result<Self, DocumentError> {
        Self::of(joined(path, &read(path)?, overlays)?)
    }

    /// Like `load_with`, with another text of the file.
    pub fn load_text(path: &Path, text: &str, overlays: &[PathBuf]) -> Result<Self, DocumentError> {
        Self::of(joined(path, text, overlays)?)
    }

    /// Like `parse`, changed by the texts of overlays, each with its name; `read` reads the other
    /// files of the document by their paths below its folder.
    pub fn parse_files(
        name: &str,
        text: &str,
        overlays: &[(String, String)],
        read: &dyn Fn(&str) -> io::Result<String>,
    ) -> Result<Self, DocumentError> {
        // The name may have the form `REVISION:PATH` of git.
        let start = name.rfind(['/', ':']).map_or(0, |end| end + 1);
        let (folder, own) = name.split_at(start);
        let open = |below: &str| Ok((format!("{folder}{below}"), read(below)?));
        Self::of(read_files_by(name, own, text, overlays, &open)?)
    }

    /// Returns the document in the file `path` as the text of one file: what other files and
    /// overlays add to it is written out. A document in one file is copied as it is.
    pub fn bundle(path: &Path, overlays: &[PathBuf]) -> Result<String, DocumentError> {
        let text = read(path)?;
        let source = joined(path, &text, overlays)?;
        Ok(if source.is_one_file() { text } else { yaml(source.value()) })
    }

    /// Loads the document in `text`; `name` is the file name in places.
    pub fn parse(name: &str, text: &str) -> Result<Self, DocumentError> {
        Self::of(Source::read(name, text)?)
    }

    fn of(mut source: Source) -> Result<Self, DocumentError> {
        let mut notes = match check_version(&source)? {
            Version::V3_0 => Vec::new(),
            Version::V3_1 => v31::to_3_0(&mut source)?,
        };
        notes.extend(schemas::unknown_patterns(&source, &walk(Node::root(source.value()))));
        Self::checked(source, notes)
    }

    fn checked(source: Source, notes: Vec<Diagnostic>) -> Result<Self, DocumentError> {
        let nodes = walk(Node::root(source.value()));
        DocumentError::all([
            typed::check_all(&source),
            references::check(&source, &nodes),
            schemas::check(&source, &nodes),
        ])?;
        let operations = operation::read(&source)?;
        let unrouted_responses = operation::read_unrouted(&source)?;
        Ok(Self { source, operations, unrouted_responses, notes })
    }

    /// Returns what loading has left out: parts of OpenAPI 3.1 that 3.0 lacks, such as webhooks,
    /// and patterns that no part of this toolkit can run.
    pub fn notes(&self) -> &[Diagnostic] {
        &self.notes
    }

    /// The document as written, references and all, members in their order; one of OpenAPI 3.1 in
    /// the form of 3.0.
    pub fn value(&self) -> &Value {
        self.source.value()
    }

    /// The document's `info.version`.
    pub fn version(&self) -> &str {
        self.value()["info"]["version"].as_str().unwrap_or_default()
    }

    /// Where the member at a JSON pointer is in the text, for a value that was rewritten.
    pub fn origin(&self, pointer: &str) -> String {
        self.source.origin(pointer)
    }

    /// Returns the document with another value, such as fewer operations; its members keep their
    /// places.
    pub fn rewritten(&self, value: Value) -> Result<Self, Vec<Diagnostic>> {
        Self::checked(self.source.rewritten(value), self.notes.clone())
            .map_err(|error| error.diagnostics().to_vec())
    }

    /// The place of the member at a JSON pointer, or of its nearest ancestor.
    pub fn place(&self, pointer: &str) -> Place {
        self.source.place(pointer)
    }

    /// The value at a JSON pointer, after following references.
    pub fn resolve(&self, pointer: &str) -> Result<Resolved<'_>, DocumentError> {
        self.source.resolve(pointer)
    }

    /// Every object of the document, parents before children.
    pub fn nodes(&self) -> Vec<Node<'_>> {
        walk(Node::root(self.value()))
    }

    /// Every operation, in the order of the document.
    pub fn operations(&self) -> &[Operation] {
        &self.operations
    }

    /// `x-unrouted-responses`: the responses to an unknown path or method.
    pub fn unrouted_responses(&self) -> &[Response] {
        &self.unrouted_responses
    }

    /// `x-transitions` of a named schema: each value, and the values that may follow it.
    pub fn transitions(&self, component: &str) -> Vec<(&str, Vec<&str>)> {
        let schema = self.value().pointer(&join("/components/schemas", component));
        let rows = schema.and_then(|schema| schema.get("x-transitions")?.as_object());
        let rows = rows.into_iter().flatten().map(|(value, next)| {
            let next = next.as_array().into_iter().flatten().filter_map(Value::as_str);
            (value.as_str(), next.collect())
        });
        rows.collect()
    }

    /// Every example of the document, with its schema.
    pub fn examples(&self) -> Result<Vec<Example>, DocumentError> {
        example::collect(&self.source)
    }

    /// The schema at a JSON pointer as JSON Schema 2020-12, with all the schemas it refers to.
    pub fn json_schema(&self, pointer: &str, direction: Direction) -> Result<Value, DocumentError> {
        let Some(value) = self.value().pointer(pointer) else {
            return Err(self.source.error(pointer, "there is no schema at this JSON pointer"));
        };
        schema::convert(&self.source, pointer, value, direction)
    }

    /// Returns true if null is valid by a schema of this document, such as the value of a node.
    pub fn admits_null(&self, schema: &Value) -> bool {
        schema::answer_of_null(&self.source, Question::Admitted, schema)
    }

    /// Returns true if a schema or a part of it speaks of null, whether null is valid or not. `{}`
    /// admits null without a word.
    pub fn names_null(&self, schema: &Value) -> bool {
        schema::answer_of_null(&self.source, Question::Named, schema)
    }

    /// Returns true if no value but null is valid by a schema, as by `{ enum: [null] }`.
    pub fn is_null_alone(&self, schema: &Value) -> bool {
        schema::answer_of_null(&self.source, Question::Alone, schema)
    }

    /// Returns how a member tells the forms of the schema at a JSON pointer apart; `None` without a
    /// discriminator.
    pub fn discriminator(&self, pointer: &str) -> Option<Discriminator> {
        Discriminator::of(&self.source, pointer, self.value().pointer(pointer)?)
    }

    /// Returns true if a property with this schema is sent in a direction: it is not `readOnly` in
    /// a request, and not `writeOnly` in a response.
    pub fn is_sent(&self, property: &Value, direction: Direction) -> bool {
        schema::is_sent(&self.source, property, direction)
    }

    /// Returns what the schema at a JSON pointer says of a value.
    pub fn shape(&self, pointer: &str) -> Result<Shape, DocumentError> {
        Shape::of(&self.source, pointer)
    }

    /// A validator for the schema at a JSON pointer.
    pub fn validator(
        &self,
        pointer: &str,
        direction: Direction,
    ) -> Result<Validator, DocumentError> {
        let schema = self.json_schema(pointer, direction)?;
        Validator::new(&schema).map_err(|problem| self.source.error(pointer, problem))
    }

    /// A validator for a schema that the document does not write, such as one of merged schemas;
    /// its errors are at a JSON pointer.
    pub fn validator_of(
        &self,
        pointer: &str,
        schema: &Value,
        direction: Direction,
    ) -> Result<Validator, DocumentError> {
        let schema = schema::convert(&self.source, pointer, schema, direction)?;
        Validator::new(&schema).map_err(|problem| self.source.error(pointer, problem))
    }
}

fn read(path: &Path) -> Result<String, DocumentError> {
    fs::read_to_string(path)
        .map_err(|source| DocumentError::Unreadable { path: path.to_owned(), source })
}

fn joined(path: &Path, text: &str, overlays: &[PathBuf]) -> Result<Source, DocumentError> {
    let overlays = overlays.iter().map(|path| Ok((path.display().to_string(), read(path)?)));
    let overlays: Vec<Text> = overlays.collect::<Result<_, DocumentError>>()?;
    read_files(path, text, &overlays)
}

enum Version {
    V3_0,
    V3_1,
}

fn check_version(source: &Source) -> Result<Version, DocumentError> {
    let value = source.value();
    if !value.is_object() {
        return Err(source.error("", "an OpenAPI document is a mapping"));
    }
    let Some(version) = value.get("openapi") else {
        if value.get("swagger").is_some() {
            return Err(source
                .error("/swagger", "Swagger 2.0 is not supported")
                .with_help("convert the document to `openapi: 3.0.3`"));
        }
        return Err(source
            .error("", "the member `openapi` is missing")
            .with_help("begin it with `openapi: 3.0.3`"));
    };
    match version.as_str() {
        Some(version) if version == "3.0" || version.starts_with("3.0.") => Ok(Version::V3_0),
        Some(version) if version == "3.1" || version.starts_with("3.1.") => Ok(Version::V3_1),
        Some(version) => Err(source
            .error("/openapi", format!("OpenAPI {version} is not supported"))
            .with_help("write the document in `openapi: 3.0.3`")),
        None => Err(source
            .error("/openapi", "the version must be a string")
            .with_help("write `openapi: 3.0.3`")),
    }
}
