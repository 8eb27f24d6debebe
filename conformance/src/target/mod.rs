//! The target file: address, keys, fixtures, hooks and limits of the deployment under test.
//!
//! | file | contents |
//! |---|---|
//! | `file` | the target file |
//! | `base_url` | the deployment's address |
//! | `keys` | API keys by role |
//! | `fixtures` | ids of what is in the deployment |
//! | `feature` | features that only its owner knows about |
//! | `commands` | operator hooks as the file names them |
//! | `hooks`, `hook_error` | runs operator hooks |
//! | [`limits`] | budget, pace and TLS |
//! | `error` | errors of the file |
//! | `table` | the macro for keys, fixtures and hooks |

mod base_url;
mod commands;
mod error;
mod feature;
mod file;
mod fixtures;
mod hook_error;
mod hooks;
mod keys;
pub(crate) mod limits;
mod table;
#[cfg(test)]
mod tests;

pub(crate) use commands::Hook;
pub(crate) use feature::Feature;
pub(crate) use file::TargetFile;
pub(crate) use fixtures::Fixture;
pub(crate) use hook_error::HookError;
pub(crate) use hooks::{CREATED_KEY, CreatedKey, Hooks};
pub(crate) use keys::{Keys, Role};
