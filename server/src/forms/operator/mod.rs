//! What operators do with forms and submissions.

pub mod store;

use chrono::{DateTime, Utc};

use super::definition::{Definition, Field};

/// A form with its newest version, published or not.
#[derive(Clone, Debug)]
pub struct NewestVersion {
    pub id: String,
    pub version: i32,
    pub published_version: Option<i32>,
    pub name: String,
    pub kind: String,
    pub review: bool,
    pub fields: Vec<Field>,
    pub updated_at: DateTime<Utc>,
    /// How many submissions wait for a review.
    pub pending: i64,
}

/// What became of an operator's change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome<T> {
    Changed(T),
    /// It was so already.
    Same(T),
    NotFound,
}

impl NewestVersion {
    fn has(&self, definition: &Definition) -> bool {
        self.name == definition.name
            && self.kind == definition.kind.as_str()
            && self.review == definition.review
            && self.fields == definition.fields
    }
}
