//! The claims of the crate, one module for each thing it does; one binary, so it links once.
//!
//! It refuses network and foreign files: documents stand inline, except our own.

mod diagnostics;
mod examples;
mod json;
mod operations;
mod our_document;
mod schemas;
mod support;
mod violations;
mod yaml;
