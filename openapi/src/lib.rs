//! Loads, resolves and reads any OpenAPI 3.0 document, and one of 3.1 as far as 3.0 can express it.
//!
//! - [`Document`] loads YAML or JSON, reports errors with file and line, and resolves references.
//! - [`Operation`] is one method on one path, with all that a gate, a generator or a test needs.
//! - [`Validator`] validates JSON values by the document's schemas, all [`Violation`]s at once.
//! - [`Example`] is one example of the document, with its schema.
//!
//! Everything is addressed by JSON pointer (RFC 6901), and every pointer has a [`Place`]. Of the
//! extensions of our document the crate reads `x-profile`, `x-required-scope`,
//! `x-error-codes` and `x-unrouted-responses`; it depends on no path and no schema of our API.

mod document;
mod error;
mod example;
mod media_type;
mod operation;
mod place;
pub mod pointer;
mod released;
mod schema;
mod source;
mod structure;
mod v31;
mod validate;

pub use document::Document;
pub use error::{Diagnostic, DocumentError};
pub use example::Example;
pub use media_type::normal_media_type;
pub use operation::{
    Header, Idempotency, Location, MediaType, Method, Operation, Parameter, RequestBody,
    ResourceReference, Response, SecurityRequirement, Status,
};
pub use place::Place;
pub use released::{released_documents, released_name, released_versions};
pub use schema::{Direction, Discriminator, Fault, Form, Shape, excludes_property};
pub use source::Resolved;
pub use structure::{Kind, Node};
pub use validate::{Validator, Violation};
