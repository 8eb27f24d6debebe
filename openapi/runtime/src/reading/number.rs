//! Numbers: whole ones as `i64` and `i32`, others as `f64`; and their bounds.
#![expect(clippy::disallowed_types, reason = "a number of a document, no money")]

use std::fmt::Display;

use rust_decimal::Decimal;
use serde_json::Value;

use super::{
    body::{FromJson, wrong_type},
    rules::{FromText, Invalid, Violation, Violations},
    texts::{integer_of_text, number_of_text},
};
use crate::{
    from_json,
    problem::{IssueCode, Location},
};

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

impl<T: Copy + PartialOrd + Display + Multiple> Numbers<T> {
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
        if let Some(Bound { at, is_excluded }) = self.minimum
            && (number < at || is_excluded && number <= at)
        {
            let word = if is_excluded { "more than" } else { "at least" };
            return Some((IssueCode::TooSmall, format!("must be {word} {at}")));
        }
        if let Some(Bound { at, is_excluded }) = self.maximum
            && (number > at || is_excluded && number >= at)
        {
            let word = if is_excluded { "less than" } else { "at most" };
            return Some((IssueCode::TooLarge, format!("must be {word} {at}")));
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
    ) -> Result<T, Invalid>
    where
        T: FromJson<Value = T>,
    {
        let number = T::from_json(value, pointer, violations)?;
        self.check(number).map_err(|violation| violations.add(Location::Body, pointer, violation))
    }
}

impl Integer {
    /// Any number of 32 bits.
    pub const ANY_32: Self = Self::ANY.at_least(i32::MIN as i64).at_most(i32::MAX as i64);

    /// Reads a parameter: digits without plus sign or leading zeros.
    pub fn parse(&self, text: &str) -> Result<i64, Violation> {
        let digits = text.strip_prefix('-').unwrap_or(text);
        let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        if !plain || (digits.starts_with('0') && text != "0") {
            let message = "must be a whole number in digits, without sign, blanks or leading zeros";
            return Err((IssueCode::WrongType, message.to_owned()));
        }
        // Digits that do not fit into 64 bits exceed every bound.
        let (least, most) = (self.minimum, self.maximum);
        let number = text.parse().map_err(|_| match text.starts_with('-') {
            true => {
                let least = least.map_or(i64::MIN, |least| least.at);
                (IssueCode::TooSmall, format!("must be at least {least}"))
            }
            false => {
                let most = most.map_or(i64::MAX, |most| most.at);
                (IssueCode::TooLarge, format!("must be at most {most}"))
            }
        })?;
        self.check(number)
    }
}

impl Number {
    pub fn parse(&self, text: &str) -> Result<f64, Violation> {
        self.check(f64::from_text(text)?)
    }
}

/// A number that can be a multiple of another.
pub trait Multiple {
    fn is_multiple_of(&self, step: &Self) -> bool;
}

impl Multiple for i64 {
    fn is_multiple_of(&self, step: &Self) -> bool {
        self % step == 0
    }
}

impl Multiple for f64 {
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
}

from_json!(
    i64,
    |value, pointer, violations| {
        // Beyond 64 bits it exceeds every bound.
        let number = value.as_i64().or_else(|| value.is_u64().then_some(Self::MAX));
        number.ok_or_else(|| wrong_type(&value, "a whole number", pointer, violations))
    },
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
    |value, pointer, violations| {
        value.as_f64().ok_or_else(|| wrong_type(&value, "a number", pointer, violations))
    },
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
        // JSON's syntax is required: Rust also reads `inf` and `+1`.
        serde_json::from_str(text)
            .map_err(|_| (IssueCode::WrongType, "must be a number such as 1.5".to_owned()))
    }
}
