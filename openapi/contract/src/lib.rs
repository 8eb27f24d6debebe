//! Tools for those who evolve an OpenAPI document: the commands of the program `contract`.

// An output that is closed or full must not end a program with a panic: `output` prints.
#![warn(clippy::print_stderr, clippy::print_stdout)]

pub mod breaking;
pub mod bundle;
pub mod codegen;
pub mod command;
mod constructs;
pub mod consumers;
pub mod coverage;
#[cfg(test)]
mod documents;
pub mod freeze;
pub mod lint;
pub mod mock;
pub mod output;
pub mod project;
pub mod skeleton;
mod validators;

/// Errors are only printed.
pub type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;
