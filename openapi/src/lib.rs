//! The contract as data: loads and resolves any OpenAPI 3.0 document and tells what it says.
//!
//! - [`Document`] loads YAML or JSON, refuses what is broken with file and line, and resolves references.
//! - [`Operation`] is one method on one path, with everything a gate, a generator or a test asks for.
//! - [`Validator`] judges JSON values by the document's schemas, all [`Violation`]s at once.
//! - [`Example`] is one example of the document, with the schema it must satisfy.
//!
//! Everything is addressed by JSON pointer (RFC 6901), and every pointer has a [`Place`]. The
//! crate refuses to be about our API: it knows no path and no schema by name, only four extensions'
//! names (`x-profile`, `x-required-scope`, `x-error-codes`, `x-unrouted-responses`), so that it can be tried on any document.

mod document;
mod error;
mod example;
mod operation;
mod place;
pub mod pointer;
mod schema;
mod source;
mod structure;
mod validate;

pub use document::Document;
pub use error::{Diagnostic, DocumentError};
pub use example::Example;
pub use operation::{
    Header, Location, MediaType, Method, Operation, Parameter, RequestBody, Response, Status,
};
pub use place::Place;
pub use schema::Direction;
pub use source::Resolved;
pub use validate::{Keyword, Validator, Violation};
