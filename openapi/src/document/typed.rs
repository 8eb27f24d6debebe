//! Checks a document against the types of the crate `openapiv3`. That crate tries alternatives, so
//! its errors name the outermost object; here each inner object is read alone to find the exact
//! member.

use openapiv3::{
    AnySchema, Components, Example, Header, MediaType, OpenAPI, Operation, Parameter, PathItem,
    RequestBody, Response, SchemaData, SecurityScheme,
};
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_path_to_error::Segment;

use crate::{
    error::DocumentError,
    pointer,
    source::Source,
    structure::{Kind, Node},
};

/// Reads the whole document.
pub(super) fn check_all(source: &Source) -> Result<(), DocumentError> {
    typed::<OpenAPI>(source.value(), "").map_err(|outermost| {
        let faults = innermost_faults(&Node::root(source.value()));
        let faults = if faults.is_empty() { vec![outermost] } else { faults };
        error(source, faults)
    })
}

/// Reads one object as its kind.
pub(super) fn check(source: &Source, node: &Node<'_>) -> Result<(), DocumentError> {
    let faults = innermost_faults(node);
    if faults.is_empty() { Ok(()) } else { Err(error(source, faults)) }
}

fn error(source: &Source, faults: Vec<Fault>) -> DocumentError {
    let checks = faults.into_iter().map(|fault| Err(fault.diagnostic(source)));
    DocumentError::all(checks).expect_err("there are faults")
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

/// Rust's terms in the errors, and their replacements.
const PLAIN_WORDS: [(&str, &str); 5] = [
    ("expected usize", "expected a whole number"),
    ("expected i64", "expected a whole number"),
    ("expected f64", "expected a number"),
    ("expected a sequence", "expected a list"),
    (
        "no variant of enum ParameterSchemaOrContent found in flattened data",
        "`schema` is missing, and so is `content`",
    ),
];

fn innermost_faults(node: &Node<'_>) -> Vec<Fault> {
    // References are checked later.
    if pointer::reference_in(node.value).is_some() {
        return Vec::new();
    }
    let Some(fault) = fault_of(node) else {
        return Vec::new();
    };
    let inner: Vec<Fault> = node.children().iter().flat_map(innermost_faults).collect();
    if inner.is_empty() { vec![fault] } else { inner }
}

fn fault_of(node: &Node<'_>) -> Option<Fault> {
    let (value, at) = (node.value, node.pointer.as_str());
    if !value.is_object() {
        let problem = format!("a {} must be a mapping", node.kind.name());
        return Some(Fault { pointer: at.to_owned(), problem });
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
        Kind::Example => typed::<Example>(value, at).err(),
        Kind::SecurityScheme => typed::<SecurityScheme>(value, at).err(),
        // A schema combines two types; read alone, each names the exact member.
        Kind::Schema => typed::<AnySchema>(value, at)
            .err()
            .or_else(|| typed::<SchemaData>(value, at).err())
            .or_else(|| typed::<openapiv3::Schema>(value, at).err()),
    }
}

fn typed<T: DeserializeOwned>(value: &Value, at: &str) -> Result<(), Fault> {
    serde_path_to_error::deserialize::<_, T>(value).map(drop).map_err(|error| {
        let mut pointer = at.to_owned();
        for segment in error.path() {
            match segment {
                Segment::Seq { index } => pointer::push(&mut pointer, &index.to_string()),
                Segment::Map { key } => pointer::push(&mut pointer, key),
                // The reader's alternatives are not members of the text.
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
