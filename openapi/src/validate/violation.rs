//! A violation, and the order of violations.

use std::{cmp::Ordering, fmt};

use crate::pointer;

/// One violation of a schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// JSON pointer into the value; for `required` and `additionalProperties`, to the absent or
    /// unknown member itself.
    pub pointer: String,
    /// The violated keyword of the schema; `nullable` for an unexpected null.
    pub keyword: String,
    /// The message, without the value.
    pub message: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pointer = if self.pointer.is_empty() { "the value" } else { &self.pointer };
        write!(formatter, "{pointer} {}", self.message)
    }
}

/// By place in the value (elements by number), then by keyword.
pub(super) fn order(left: &Violation, right: &Violation) -> Ordering {
    let mut left_tokens = pointer::tokens(&left.pointer);
    let mut right_tokens = pointer::tokens(&right.pointer);
    loop {
        let ordering = match (left_tokens.next(), right_tokens.next()) {
            (None, None) => return left.keyword.cmp(&right.keyword),
            (None, Some(_)) => Ordering::Less,
            (Some(_), None) => Ordering::Greater,
            (Some(left), Some(right)) => order_of_tokens(&left, &right),
        };
        if ordering.is_ne() {
            return ordering;
        }
    }
}

/// Array indexes by number, then names by text. Comparing by number only where both are numbers
/// would not be an order: 9 < 10 < 1a < 9.
fn order_of_tokens(left: &str, right: &str) -> Ordering {
    match (position(left), position(right)) {
        (Some(left), Some(right)) => left.cmp(&right),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => left.cmp(right),
    }
}

/// An array index (RFC 6901 §4): digits without leading zeros.
fn position(token: &str) -> Option<usize> {
    let number: usize = token.parse().ok()?;
    (number.to_string() == token).then_some(number)
}
