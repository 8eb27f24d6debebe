//! The target: the deployment that is judged, as its file tells of it.
//!
//! It refuses to hold a key: the file names environment variables.
//!
//! | file | owns |
//! |---|---|
//! | [`mod@file`] | the target file, whole |
//! | [`base_url`] | where the deployment is |
//! | [`keys`] | API keys by role |
//! | [`fixtures`] | what is in the deployment, by name |
//! | [`feature`] | what a deployment has that others lack |
//! | [`commands`] | operator hooks as the file names them |
//! | [`hooks`], [`hook_error`] | operator hooks, run |
//! | [`limits`] | how much a run may ask |
//! | [`schema`] | the published form of the file |
//! | [`error`] | what a person sees of a faulty file |

pub mod base_url;
pub mod commands;
pub mod error;
pub mod feature;
pub mod file;
pub mod fixtures;
pub mod hook_error;
pub mod hooks;
pub mod keys;
pub mod limits;
pub mod schema;
mod table;

pub use base_url::BaseUrl;
pub use commands::Hook;
pub use error::TargetError;
pub use feature::{Feature, Profile};
pub use file::TargetFile;
pub use fixtures::Fixture;
pub use hook_error::HookError;
pub use hooks::{CreatedKey, Hooks};
pub use keys::{Keys, Role};
