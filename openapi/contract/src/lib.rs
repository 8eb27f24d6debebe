//! Tools for those who evolve an OpenAPI document: the commands of the program `contract`.

pub mod breaking;
pub mod codegen;
pub mod command;
pub mod consumers;
pub mod coverage;
pub mod freeze;
pub mod lint;
pub mod output;
pub mod round_trip;
pub mod skeleton;

/// Errors are only printed.
pub type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;
