//! Numbers: whole ones as `i64` and `i32`, others as `f64`; and their bounds.
#![expect(clippy::disallowed_types, reason = "a number of a document, no money")]

use std::fmt::Display;

use rust_decimal::Decimal;
use serde_json::Value;

use super::{
    body::wrong_type,
    rules::{FromText, Invalid, Violation, Violations},
    texts::{integer_of_text, number_of_text},
};
use crate::{
    from_json,
    problem::{IssueCode, Location},
};

/// A number with more characters is shown with an exponent.
const LONGEST_SHOWN: usize = 24;

/// The rule of numbers of a type.
#[derive(Debug, Clone, Copy)]
pub struct Numbers<T: 'static> {
    minimum: Option<Bound<T>>,
    maximum: Option<Bound<T>>,
    multiple_of: Option<T>,
    values: Option<&'static [T]>,
}

/// The rule of a whole number.
pub type Integer = Numbers<i64>;

/// The rule of a number with a fraction.
pub type Number = Numbers<f64>;

/// A bound, and whether it is itself no allowed value.
#[derive(Debug, Clone, Copy)]
struct Bound<T> {
    at: T,
    is_excluded: bool,
}

impl<T: Numeric> Numbers<T> {
    pub const ANY: Self = Self { minimum: None, maximum: None, multiple_of: None, values: None };

    /// Requires a multiple of a number above zero.
    pub const fn multiple_of(self, step: T) -> Self {
        Self { multiple_of: Some(step), ..self }
    }

    pub const fn one_of(self, values: &'static [T]) -> Self {
        Self { values: Some(values), ..self }
    }

    /// Sets a minimum, which is an allowed value.
    pub const fn at_least(self, at: T) -> Self {
        Self { minimum: Some(Bound { at, is_excluded: false }), ..self }
    }

    /// Sets a minimum that is no allowed value.
    pub const fn more_than(self, at: T) -> Self {
        Self { minimum: Some(Bound { at, is_excluded: true }), ..self }
    }

    /// Sets a maximum, which is an allowed value.
    pub const fn at_most(self, at: T) -> Self {
        Self { maximum: Some(Bound { at, is_excluded: false }), ..self }
    }

    /// Sets a maximum that is no allowed value.
    pub const fn less_than(self, at: T) -> Self {
        Self { maximum: Some(Bound { at, is_excluded: true }), ..self }
    }

    pub fn violation(&self, number: T) -> Option<Violation> {
        if let Some(minimum) = self.minimum
            && (number < minimum.at || minimum.is_excluded && number <= minimum.at)
        {
            return Some(minimum.too_small());
        }
        if let Some(maximum) = self.maximum
            && (number > maximum.at || maximum.is_excluded && number >= maximum.at)
        {
            return Some(maximum.too_large());
        }
        if let Some(step) = self.multiple_of.filter(|step| !number.is_multiple_of(step)) {
            return Some((IssueCode::BadFormat, format!("must be a multiple of {step}")));
        }
        let values = self.values.filter(|values| !values.contains(&number))?;
        let values: Vec<String> = values.iter().map(ToString::to_string).collect();
        Some((IssueCode::NotInEnum, format!("must be one of {}", values.join(", "))))
    }

    fn check(&self, number: T) -> Result<T, Violation> {
        self.violation(number).map_or(Ok(number), Err)
    }

    /// A number of a body within the rule.
    pub fn read(
        &self,
        value: Value,
        pointer: &str,
        violations: &mut Violations,
    ) -> Result<T, Invalid> {
        let Value::Number(number) = &value else {
            return Err(wrong_type(&value, T::NAME, pointer, violations));
        };
        let number = T::of_json(&number.to_string(), self).and_then(|number| self.check(number));
        number.map_err(|violation| violations.add(Location::Body, pointer, violation))
    }

    /// The violation of a number that the type cannot hold: it exceeds every bound.
    fn out_of_range(&self, text: &str) -> Violation {
        let bound = |at| Bound { at, is_excluded: false };
        match text.starts_with('-') {
            true => self.minimum.unwrap_or(bound(T::LEAST)).too_small(),
            false => self.maximum.unwrap_or(bound(T::GREATEST)).too_large(),
        }
    }
}

impl<T: Numeric> Bound<T> {
    fn too_small(&self) -> Violation {
        let word = if self.is_excluded { "more than" } else { "at least" };
        (IssueCode::TooSmall, format!("must be {word} {}", self.at.shown()))
    }

    fn too_large(&self) -> Violation {
        let word = if self.is_excluded { "less than" } else { "at most" };
        (IssueCode::TooLarge, format!("must be {word} {}", self.at.shown()))
    }
}

impl Integer {
    /// Any number of 32 bits.
    pub const ANY_32: Self = Self::ANY.at_least(i32::MIN as i64).at_most(i32::MAX as i64);

    /// Reads a parameter: digits without plus sign or leading zeros.
    pub fn parse(&self, text: &str) -> Result<i64, Violation> {
        if !is_whole(text) {
            let message = "must be a whole number in digits, without sign, blanks or leading zeros";
            return Err((IssueCode::WrongType, message.to_owned()));
        }
        self.check(i64::of_json(text, self)?)
    }
}

/// Returns true for digits without plus sign or leading zeros.
pub(super) fn is_whole(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_plain && (!digits.starts_with('0') || text == "0")
}

impl Number {
    pub fn parse(&self, text: &str) -> Result<f64, Violation> {
        // JSON's syntax is required: Rust also reads `inf` and `+1`.
        let number = serde_json::from_str::<serde_json::Number>(text);
        let number = number
            .map_err(|_| (IssueCode::WrongType, "must be a number such as 1.5".to_owned()))?;
        self.check(f64::of_json(&number.to_string(), self)?)
    }
}

/// A number that a rule can have.
pub trait Numeric: Copy + PartialOrd + Display + 'static {
    /// For messages.
    const NAME: &'static str;
    const LEAST: Self;
    const GREATEST: Self;

    /// Reads a number of JSON, and never as another number.
    fn of_json(text: &str, rule: &Numbers<Self>) -> Result<Self, Violation>;

    fn is_multiple_of(&self, step: &Self) -> bool;

    /// The number in messages.
    fn shown(self) -> String {
        self.to_string()
    }
}

impl Numeric for i64 {
    const NAME: &'static str = "a whole number";
    const LEAST: Self = Self::MIN;
    const GREATEST: Self = Self::MAX;

    fn of_json(text: &str, rule: &Numbers<Self>) -> Result<Self, Violation> {
        text.parse().map_err(|_| match is_whole(text) {
            true => rule.out_of_range(text),
            false => (IssueCode::WrongType, format!("must be {}", Self::NAME)),
        })
    }

    fn is_multiple_of(&self, step: &Self) -> bool {
        self % step == 0
    }
}

impl Numeric for f64 {
    const NAME: &'static str = "a number";
    const LEAST: Self = Self::MIN;
    const GREATEST: Self = Self::MAX;

    fn of_json(text: &str, rule: &Numbers<Self>) -> Result<Self, Violation> {
        let number: Self = text.parse().expect("the text is a number of JSON");
        if !number.is_finite() {
            return Err(rule.out_of_range(text));
        }
        if is_whole(text) && format!("{number:.0}") != text {
            let message = "has more digits than a number of 64 bits with a fraction; whole \
                           numbers are exact to 9007199254740992";
            return Err((IssueCode::BadFormat, message.to_owned()));
        }
        Ok(number)
    }

    /// Compares the numbers as they are written: in binary, 0.3 is no multiple of 0.1.
    #[expect(clippy::float_arithmetic, reason = "a number of a document, no money")]
    fn is_multiple_of(&self, step: &Self) -> bool {
        let exact = |number: f64| Decimal::from_str_exact(&number.to_string()).ok();
        match (exact(*self), exact(*step)) {
            (Some(number), Some(step)) => {
                number.checked_rem(step).is_some_and(|rest| rest.is_zero())
            }
            _ => self % step == 0.0,
        }
    }

    fn shown(self) -> String {
        let text = self.to_string();
        if text.len() > LONGEST_SHOWN { format!("{self:e}") } else { text }
    }
}

from_json!(
    i64,
    |value, pointer, violations| Integer::ANY.read(value, pointer, violations),
    integer_of_text
);

from_json!(
    i32,
    |value, pointer, violations| {
        let number = Integer::ANY_32.read(value, pointer, violations)?;
        Ok(Self::try_from(number).expect("its rule has these bounds"))
    },
    integer_of_text
);

from_json!(
    f64,
    |value, pointer, violations| Number::ANY.read(value, pointer, violations),
    number_of_text
);

impl FromText for i64 {
    fn from_text(text: &str) -> Result<Self, Violation> {
        Integer::ANY.parse(text)
    }
}

impl FromText for i32 {
    fn from_text(text: &str) -> Result<Self, Violation> {
        let number = Integer::ANY_32.parse(text)?;
        Ok(Self::try_from(number).expect("its rule has these bounds"))
    }
}

impl FromText for f64 {
    fn from_text(text: &str) -> Result<Self, Violation> {
        Number::ANY.parse(text)
    }
}
