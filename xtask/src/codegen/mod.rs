//! `cargo xtask codegen [--check]`: everything that is generated from `openapi/api.yaml`.
//!
//! `openapi_contract::codegen` generates contract, client and index; `queries` compiles the
//! server for `.sqlx`. With a single diagnostic, no file is written.

mod error;
mod queries;
mod run;

pub(crate) use self::run::{Options, run};
