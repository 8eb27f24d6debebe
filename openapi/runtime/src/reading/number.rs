//! Numbers with a fraction, as `f64`, and their bounds.
#![expect(clippy::disallowed_types, reason = "a number of a document, no money")]

use rust_decimal::Decimal;
use serde_json::Value;

use super::{
    body::{FromJson, wrong_type},
    rules::{FromText, Invalid, Violation, Violations},
    texts::number_of_text,
};
use crate::problem::{IssueCode, Location};

impl FromJson for f64 {
    type Value = Self;

    fn from_json(
        value: Value,
        pointer: &str,
        violations: &mut Violations,
    ) -> Result<Self, Invalid> {
        value.as_f64().ok_or_else(|| wrong_type(&value, "a number", pointer, violations))
    }

    fn of_text(value: Value) -> Value {
        number_of_text(value)
    }
}

impl FromText for f64 {
    fn from_text(text: &str) -> Result<Self, Violation> {
        // As JSON writes it: Rust also reads `inf` and `+1`.
        serde_json::from_str(text)
            .map_err(|_| (IssueCode::WrongType, "must be a number such as 1.5".to_owned()))
    }
}

/// The rule of a number with a fraction.
#[derive(Debug, Clone, Copy)]
pub struct Number {
    minimum: Option<Bound>,
    maximum: Option<Bound>,
    multiple_of: Option<f64>,
    values: Option<&'static [f64]>,
}

/// A bound, and whether it is itself no allowed value.
#[derive(Debug, Clone, Copy)]
struct Bound {
    at: f64,
    is_excluded: bool,
}

impl Number {
    /// Any number.
    pub const ANY: Self = Self { minimum: None, maximum: None, multiple_of: None, values: None };

    /// Requires a multiple of a number above zero.
    pub const fn multiple_of(self, step: f64) -> Self {
        Self { multiple_of: Some(step), ..self }
    }

    /// Requires one of these numbers.
    pub const fn one_of(self, values: &'static [f64]) -> Self {
        Self { values: Some(values), ..self }
    }

    /// Sets a minimum, which is an allowed value.
    pub const fn at_least(self, at: f64) -> Self {
        Self { minimum: Some(Bound { at, is_excluded: false }), ..self }
    }

    /// Sets a minimum that is no allowed value.
    pub const fn more_than(self, at: f64) -> Self {
        Self { minimum: Some(Bound { at, is_excluded: true }), ..self }
    }

    /// Sets a maximum, which is an allowed value.
    pub const fn at_most(self, at: f64) -> Self {
        Self { maximum: Some(Bound { at, is_excluded: false }), ..self }
    }

    /// Sets a maximum that is no allowed value.
    pub const fn less_than(self, at: f64) -> Self {
        Self { maximum: Some(Bound { at, is_excluded: true }), ..self }
    }

    pub fn violation(&self, number: f64) -> Option<Violation> {
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
        if let Some(step) = self.multiple_of.filter(|step| !is_multiple(number, *step)) {
            return Some((IssueCode::BadFormat, format!("must be a multiple of {step}")));
        }
        let values = self.values.filter(|values| !values.contains(&number))?;
        let values: Vec<String> = values.iter().map(ToString::to_string).collect();
        Some((IssueCode::NotInEnum, format!("must be one of {}", values.join(", "))))
    }

    /// Reads a parameter.
    pub fn parse(&self, text: &str) -> Result<f64, Violation> {
        let number = f64::from_text(text)?;
        self.violation(number).map_or(Ok(number), Err)
    }
}

/// Compares the numbers as they are written: in binary, 0.3 is no multiple of 0.1.
#[expect(clippy::float_arithmetic, reason = "a number of a document, no money")]
fn is_multiple(number: f64, step: f64) -> bool {
    let exact = |number: f64| Decimal::from_str_exact(&number.to_string()).ok();
    match (exact(number), exact(step)) {
        (Some(number), Some(step)) => number.checked_rem(step).is_some_and(|rest| rest.is_zero()),
        _ => number % step == 0.0,
    }
}

/// A number within its rule.
pub fn read_number(
    rule: &Number,
    value: Value,
    pointer: &str,
    violations: &mut Violations,
) -> Result<f64, Invalid> {
    let number = f64::from_json(value, pointer, violations)?;
    match rule.violation(number) {
        None => Ok(number),
        Some(violation) => Err(violations.add(Location::Body, pointer, violation)),
    }
}
