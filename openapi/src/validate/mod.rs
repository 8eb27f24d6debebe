//! Validates a JSON value by a schema: all violations, each with its JSON pointer. Messages never
//! contain the value, which may be secret.

mod validator;
mod violation;

pub use validator::Validator;
pub use violation::Violation;
