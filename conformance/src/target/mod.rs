//! The target file: address, keys, fixtures, hooks and limits of the deployment under test.

mod base_url;
mod commands;
mod feature;
mod file;
mod fixtures;
mod hooks;
mod keys;
pub(crate) mod limits;
mod profiles;
mod table;
#[cfg(test)]
mod tests;

pub(crate) use commands::Hook;
pub(crate) use feature::Feature;
pub(crate) use file::TargetFile;
pub(crate) use fixtures::Fixture;
pub(crate) use hooks::{CreatedKey, Hooks};
pub(crate) use keys::{Keys, Role};
pub(crate) use profiles::Profiles;
