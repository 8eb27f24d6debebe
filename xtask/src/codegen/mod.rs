//! `cargo xtask codegen [--check]`: everything that is generated from `openapi/api.yaml`.
//!
//! The way: the document → the model, with every refusal (`read`) → one generator per output (`server`, `client`,
//! `index`) → files, written or compared (`files`) → the server, compiled for its queries (`queries`). It refuses to generate a part: with a single refusal, no file is
//! touched.

mod client;
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
