//! A whole document. Loading parses the text ([`crate::source`]), then checks the version, the
//! types of all members (`typed`), references and schemas, then reads the operations.

mod load;
mod references;
mod schemas;
mod typed;

pub use load::Document;
