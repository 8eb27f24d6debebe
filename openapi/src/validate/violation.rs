//! What a violation tells, and its order among others.
//!
//! It refuses to know error codes: callers map keywords to their own.

use std::{cmp::Ordering, fmt};

use crate::pointer;

/// One way in which a value breaks its schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// JSON pointer into the value; of the absent member itself for [`Keyword::Required`], of the
    /// unknown member itself for [`Keyword::AdditionalProperties`].
    pub pointer: String,
    /// What was broken.
    pub keyword: Keyword,
    /// A sentence about it, without the value.
    pub message: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pointer = if self.pointer.is_empty() {
            "the value"
        } else {
            &self.pointer
        };
        write!(formatter, "{pointer} {}", self.message)
    }
}

/// The schema keyword a value breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Keyword {
    /// A member is absent that must be there.
    Required,
    /// A null where the schema is not `nullable`.
    Nullable,
    /// A value of another type.
    Type,
    /// A value outside the list.
    Enum,
    /// A text shorter than allowed, in characters.
    MinLength,
    /// A text longer than allowed, in characters.
    MaxLength,
    /// A text of another form.
    Pattern,
    /// A text that is not of its named form, such as `date-time`.
    Format,
    /// A number below its bound.
    Minimum,
    /// A number on or below its bound.
    ExclusiveMinimum,
    /// A number above its bound.
    Maximum,
    /// A number on or above its bound.
    ExclusiveMaximum,
    /// A number off the grid.
    MultipleOf,
    /// Too few elements.
    MinItems,
    /// Too many elements.
    MaxItems,
    /// Equal elements.
    UniqueItems,
    /// Too few members.
    MinProperties,
    /// Too many members.
    MaxProperties,
    /// A member the schema does not know.
    AdditionalProperties,
    /// No alternative fits.
    AnyOf,
    /// Not exactly one alternative fits.
    OneOf,
    /// The forbidden schema fits.
    Not,
    /// The validator could not judge, as when a pattern backtracks beyond its bound.
    Unjudged,
}

impl Keyword {
    /// As it stands in a schema.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Required => "required",
            Self::Nullable => "nullable",
            Self::Type => "type",
            Self::Enum => "enum",
            Self::MinLength => "minLength",
            Self::MaxLength => "maxLength",
            Self::Pattern => "pattern",
            Self::Format => "format",
            Self::Minimum => "minimum",
            Self::ExclusiveMinimum => "exclusiveMinimum",
            Self::Maximum => "maximum",
            Self::ExclusiveMaximum => "exclusiveMaximum",
            Self::MultipleOf => "multipleOf",
            Self::MinItems => "minItems",
            Self::MaxItems => "maxItems",
            Self::UniqueItems => "uniqueItems",
            Self::MinProperties => "minProperties",
            Self::MaxProperties => "maxProperties",
            Self::AdditionalProperties => "additionalProperties",
            Self::AnyOf => "anyOf",
            Self::OneOf => "oneOf",
            Self::Not => "not",
            Self::Unjudged => "unjudged",
        }
    }
}

impl fmt::Display for Keyword {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// By place in the value (elements by number), then by keyword: the same value always gets the
/// same list.
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

/// Positions by number, then names by their text. Going by numbers where both are some, and by texts elsewhere, would be
/// no order: 9 < 10 < 1a < 9.
fn order_of_tokens(left: &str, right: &str) -> Ordering {
    match (position(left), position(right)) {
        (Some(left), Some(right)) => left.cmp(&right),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => left.cmp(right),
    }
}

/// The token of an array's element (RFC 6901 §4): digits without a zero before them.
fn position(token: &str) -> Option<usize> {
    let number: usize = token.parse().ok()?;
    (number.to_string() == token).then_some(number)
}
