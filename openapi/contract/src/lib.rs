//! What those who evolve an OpenAPI document ask of it; the command `contract` is its front.

pub mod breaking;
pub mod freeze;
pub mod lint;
pub mod output;
mod settings;
