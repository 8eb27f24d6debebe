//! OpenAPI 3.0 schema objects (§ 4.7.24) as JSON Schema 2020-12. The dialects give different
//! meanings to the same keywords, so each keyword of 3.0 is translated and all others are dropped.

mod convert;
mod discriminator;
mod keywords;
mod null;
mod sent;
mod shape;

pub(crate) use convert::convert;
pub use discriminator::{Discriminator, Fault, Form};
pub use keywords::Direction;
pub(crate) use keywords::WHOLE_NUMBER;
pub(crate) use null::{Question, answer as answer_of_null};
pub(crate) use sent::is_sent;
pub use shape::Shape;

use serde_json::Value;

/// Returns true if a schema lists its properties, and this is none of them. A part of `allOf` lists
/// those of its own alone.
pub fn excludes_property(schema: &Value, name: &str) -> bool {
    schema.get("additionalProperties") == Some(&Value::Bool(false))
        && schema.get("patternProperties").is_none()
        && schema.get("properties").and_then(|properties| properties.get(name)).is_none()
}
