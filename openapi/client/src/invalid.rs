//! The one error of every conversion into a type of a client.

/// A text or a number that is no value of its type; the message says why, and how to write it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidValue(String);

impl InvalidValue {
    /// The error with this message.
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}
