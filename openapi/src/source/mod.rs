//! The text of a document, read into a JSON value and the positions of its parts; the files that it
//! refers to, and overlays, which become parts of the value.

mod files;
mod json;
mod names;
mod overlay;
mod scalar;
mod surrogates;
mod tree;
mod write;
mod yaml;

pub(crate) use files::{Text, read as read_files, read_by as read_files_by};
pub use tree::Resolved;
pub(crate) use tree::Source;
pub(crate) use write::yaml;
