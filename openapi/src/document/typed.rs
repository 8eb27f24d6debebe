//! The typed reading of a document, and the deepest place to blame when it fails.
//!
//! The crate `openapiv3` reads alternatives by trying, so its errors stop at the outermost
//! alternative. Upon an error the document is therefore read again, object by object, down to the
//! innermost one that does not read. It refuses to repair anything.

use std::collections::BTreeMap;

use openapiv3::{
    AnySchema, Components, Encoding, Example, Header, Link, MediaType, OpenAPI, Operation,
    Parameter, PathItem, RequestBody, Response, SchemaData, SecurityScheme,
};
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::Value;
use serde_path_to_error::Segment;

use crate::{
    error::DocumentError,
    pointer,
    source::Source,
    structure::{Kind, Node},
};

/// Reads the whole document into types.
pub(super) fn read(source: &Source) -> Result<OpenAPI, DocumentError> {
    let outermost = match typed::<OpenAPI>(source.value(), "") {
        Ok(openapi) => return Ok(openapi),
        Err(fault) => fault,
    };
    let fault = innermost_fault(&Node::root(source.value())).unwrap_or(outermost);
    Err(fault.diagnostic(source))
}

/// Reads one object as the kind it has to be.
pub(super) fn check(source: &Source, node: &Node<'_>) -> Result<(), DocumentError> {
    innermost_fault(node).map_or(Ok(()), |fault| Err(fault.diagnostic(source)))
}

struct Fault {
    pointer: String,
    problem: String,
}

impl Fault {
    fn diagnostic(self, source: &Source) -> DocumentError {
        let error = source.error(&self.pointer, self.problem.as_str());
        if self.problem.starts_with("missing field `description`") {
            error.with_help("every response has a description, even a short one")
        } else {
            error
        }
    }
}

/// The reader's words where they speak of Rust, in words of the document.
const PLAIN_WORDS: [(&str, &str); 5] = [
    ("expected usize", "expected a whole number"),
    ("expected i64", "expected a whole number"),
    ("expected f64", "expected a number"),
    ("expected a sequence", "expected a list"),
    (
        "no variant of enum ParameterSchemaOrContent found in flattened data",
        "`schema` is missing, and `content` too",
    ),
];

fn innermost_fault(node: &Node<'_>) -> Option<Fault> {
    // A reference object has nothing to read; where it leads is judged later.
    if pointer::reference_in(node.value).is_some() {
        return None;
    }
    let fault = fault_of(node)?;
    let inner = node.children().iter().find_map(innermost_fault);
    Some(inner.unwrap_or(fault))
}

fn fault_of(node: &Node<'_>) -> Option<Fault> {
    let (value, at) = (node.value, node.pointer.as_str());
    if !value.is_object() {
        let problem = format!("a {} must be a mapping", node.kind.name());
        return Some(Fault {
            pointer: at.to_owned(),
            problem,
        });
    }
    match node.kind {
        Kind::Document => typed::<OpenAPI>(value, at).err(),
        Kind::Components => typed::<Components>(value, at).err(),
        Kind::PathItem => typed::<PathItem>(value, at).err(),
        Kind::Operation => typed::<Operation>(value, at).err(),
        Kind::Parameter => typed::<Parameter>(value, at).err(),
        Kind::RequestBody => typed::<RequestBody>(value, at).err(),
        Kind::Response => typed::<Response>(value, at).err(),
        Kind::Header => typed::<Header>(value, at).err(),
        Kind::MediaType => typed::<MediaType>(value, at).err(),
        Kind::Encoding => typed::<Encoding>(value, at).err(),
        Kind::Example => typed::<Example>(value, at).err(),
        Kind::Link => typed::<Link>(value, at).err(),
        Kind::SecurityScheme => typed::<SecurityScheme>(value, at).err(),
        Kind::Callback => typed::<BTreeMap<String, IgnoredAny>>(value, at).err(),
        // A schema is both of these in one object; read apart, each tells the very member.
        Kind::Schema => typed::<AnySchema>(value, at)
            .err()
            .or_else(|| typed::<SchemaData>(value, at).err())
            .or_else(|| typed::<openapiv3::Schema>(value, at).err()),
    }
}

fn typed<T: DeserializeOwned>(value: &Value, at: &str) -> Result<T, Fault> {
    serde_path_to_error::deserialize(value).map_err(|error| {
        let mut pointer = at.to_owned();
        for segment in error.path() {
            match segment {
                Segment::Seq { index } => pointer::push(&mut pointer, &index.to_string()),
                Segment::Map { key } => pointer::push(&mut pointer, key),
                // Not members of the text: the reader's own alternatives.
                Segment::Enum { .. } | Segment::Unknown => {}
            }
        }
        let mut problem = error.into_inner().to_string();
        for (theirs, plain) in PLAIN_WORDS {
            problem = problem.replace(theirs, plain);
        }
        Fault { pointer, problem }
    })
}
