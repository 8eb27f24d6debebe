//! What those who evolve an OpenAPI document ask of it; the command `contract` is its front.

pub mod breaking;
pub mod codegen;
pub mod command;
pub mod freeze;
pub mod lint;
pub mod output;
pub mod skeleton;

/// Errors are only printed.
pub type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;
