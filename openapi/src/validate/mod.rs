//! Judging a JSON value by a schema: all violations, each at its JSON pointer.
//!
//! The library `jsonschema` judges; here its errors become violations a caller can act upon. It
//! refuses to repeat the value in a message: values may be secret.

mod validator;
mod violation;

pub use validator::Validator;
pub use violation::{Keyword, Violation};
