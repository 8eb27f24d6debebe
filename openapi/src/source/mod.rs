//! The text of a document, read once into a JSON value and the position of everything in it.
//!
//! JSON has a reader of its own because a YAML reader is not one for JSON: it joins no surrogate
//! pairs. It refuses to know OpenAPI: this is data with places.

mod json;
mod scalar;
mod tree;
mod yaml;

pub use tree::Resolved;
pub(crate) use tree::{Fault, Source};
