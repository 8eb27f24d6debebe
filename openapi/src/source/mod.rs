//! The text of a document, read into a JSON value and the positions of its parts. JSON has its own
//! reader, because the YAML reader does not join surrogate pairs.

mod json;
mod scalar;
mod tree;
mod yaml;

pub use tree::Resolved;
pub(crate) use tree::Source;
