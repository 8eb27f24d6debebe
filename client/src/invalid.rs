//! The one error of every conversion into a type of this crate.

/// A text or a number that is no value of its type; the message says why, and how to write it.
///
/// ```
/// use payout_client::{InvalidValue, Money};
///
/// # fn main() {
/// let error: InvalidValue = "12.5".parse::<Money>().unwrap_err();
/// assert!(error.to_string().starts_with("`12.5` is not an amount"));
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidValue(pub(crate) String);
