//! OpenAPI 3.0 schema objects (§ 4.7.24) as JSON Schema 2020-12.
//!
//! The two dialects share words and not meanings, so only what 3.0 defines is carried over, each
//! keyword by its 3.0 meaning. It refuses to pass unknown keywords on: 2020-12 would read them.

mod convert;
mod keywords;

pub(crate) use convert::convert;
pub use keywords::Direction;
