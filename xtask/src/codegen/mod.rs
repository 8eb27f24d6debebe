//! `cargo xtask codegen [--check]`: everything that is generated from `openapi/api.yaml`.
//!
//! `read` turns the document into the model or into diagnostics; one generator per output
//! (`server`, `client`, `index`) turns it into text; `files` writes or compares the files;
//! `queries` compiles the server for `.sqlx`. With a single diagnostic, no file is written.

mod client;
mod error;
mod files;
mod format;
mod index;
mod model;
mod names;
mod queries;
mod read;
mod run;
mod server;

pub(crate) use self::run::{Options, run};

#[cfg(test)]
mod tests;
