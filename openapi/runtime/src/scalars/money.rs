//! Exact amounts. Amounts are never rounded: a third fraction digit is an error.

use std::fmt;

use poem_openapi::registry::MetaSchema;
use rust_decimal::Decimal;
use serde::{Serialize, Serializer};

use crate::string_scalar;
use crate::{
    problem::IssueCode,
    reading::{FromText, Violation},
};

const FRACTION_DIGITS: u32 = 2;

/// NUMERIC(20,2) and the document's pattern hold 18 digits before the point.
const INTEGER_DIGITS: usize = 18;
const LIMIT: u64 = 10_u64.pow(INTEGER_DIGITS as u32);

/// The length of the longest amount in bytes.
const PRINTED_LENGTH: usize = "-".len() + INTEGER_DIGITS + ".00".len();

/// An amount of some currency with two fraction digits, printed as `1234.50`; negative for a
/// claw-back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Money(Decimal);

/// Why a number or a text is not an amount.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MoneyError {
    /// The number would have to be rounded.
    #[error("an amount has at most two fraction digits")]
    TooPrecise,
    /// The number is larger than the contract can carry.
    #[error("an amount has at most 18 digits before the point")]
    TooLarge,
    /// The text is not written as the contract requires.
    #[error("must be an amount with exactly two fraction digits, such as \"1234.50\"")]
    BadFormat,
}

impl Money {
    /// Wraps an exact amount.
    ///
    /// # Errors
    /// The number has more than two fraction digits, or more than 18 before the point.
    pub fn new(amount: Decimal) -> Result<Self, MoneyError> {
        // Those of the database have the scale already.
        let mut amount = if amount.scale() > FRACTION_DIGITS { amount.normalize() } else { amount };
        if amount.scale() > FRACTION_DIGITS {
            return Err(MoneyError::TooPrecise);
        }
        if amount.abs() >= Decimal::from(LIMIT) {
            return Err(MoneyError::TooLarge);
        }
        amount.rescale(FRACTION_DIGITS);
        amount.set_sign_positive(amount.is_zero() || amount.is_sign_positive());
        Ok(Self(amount))
    }

    /// Reads an amount as the contract writes it: no plus sign, no leading zero, two fraction
    /// digits.
    ///
    /// # Errors
    /// The text is written in any other way.
    pub fn parse(text: &str) -> Result<Self, MoneyError> {
        let digits = text.strip_prefix('-').unwrap_or(text);
        let (whole, fraction) = digits.split_once('.').ok_or(MoneyError::BadFormat)?;
        let all_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        let whole_is_plain = whole == "0" || (!whole.is_empty() && !whole.starts_with('0'));
        let fits = whole.len() <= INTEGER_DIGITS && fraction.len() == 2;
        if !whole_is_plain || !fits || !all_digits(whole) || !all_digits(fraction) {
            return Err(MoneyError::BadFormat);
        }
        let amount = Decimal::from_str_exact(text).map_err(|_| MoneyError::BadFormat)?;
        Self::new(amount)
    }

    /// The exact number, with a scale of two.
    #[must_use]
    pub const fn get(self) -> Decimal {
        self.0
    }

    /// As `Decimal` prints it, which divides 96 bits for each digit: a page of a list has hundreds
    /// of amounts.
    fn print(self, space: &mut [u8; PRINTED_LENGTH]) -> &str {
        let hundredths = self.0.mantissa().unsigned_abs();
        let fraction = (hundredths % 100) as u8;
        let mut whole = u64::try_from(hundredths / 100).expect("below the limit");
        let mut start = space.len();
        let mut prepend = |character| {
            start -= 1;
            space[start] = character;
        };
        for character in [b'0' + fraction % 10, b'0' + fraction / 10, b'.'] {
            prepend(character);
        }
        loop {
            prepend(b'0' + (whole % 10) as u8);
            whole /= 10;
            if whole == 0 {
                break;
            }
        }
        if self.0.is_sign_negative() {
            prepend(b'-');
        }
        str::from_utf8(&space[start..]).expect("ASCII")
    }
}

impl fmt::Display for Money {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.print(&mut [0; PRINTED_LENGTH]))
    }
}

impl Serialize for Money {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.print(&mut [0; PRINTED_LENGTH]))
    }
}

impl FromText for Money {
    fn from_text(text: &str) -> Result<Self, Violation> {
        Self::parse(text).map_err(|error| (IssueCode::BadFormat, error.to_string()))
    }
}

/// What `parse` reads, for the framework's document.
const PATTERN: &str = r"^-?(0|[1-9][0-9]{0,17})\.[0-9]{2}$";

fn schema() -> MetaSchema {
    MetaSchema { pattern: Some(PATTERN.to_owned()), ..MetaSchema::new("string") }
}

string_scalar!(Money, schema(), own Serialize);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_prints_exactly_two_fraction_digits() {
        for (amount, printed) in [
            ("10", "10.00"),
            ("-0.5", "-0.50"),
            ("90071992547409.93", "90071992547409.93"),
            ("1.5000", "1.50"),
            ("-0", "0.00"),
            ("0.05", "0.05"),
            ("-999999999999999999.99", "-999999999999999999.99"),
        ] {
            let amount: Decimal = amount.parse().unwrap();
            let money = Money::new(amount).unwrap();
            assert_eq!(money.to_string(), printed);
            assert_eq!(money.get().to_string(), printed);
            assert_eq!(serde_json::to_value(money).unwrap(), printed);
        }
    }

    #[test]
    fn money_is_never_rounded() {
        assert_eq!(Money::new(Decimal::new(12_345, 3)), Err(MoneyError::TooPrecise));
        assert_eq!(
            Money::new(Decimal::new(1_000_000_000_000_000_000, 0)),
            Err(MoneyError::TooLarge)
        );
    }

    #[test]
    fn money_reads_only_the_contracts_spelling() {
        let pattern = fancy_regex::Regex::new(PATTERN).unwrap();
        for text in ["-1234.50", "0.00", "999999999999999999.99"] {
            assert_eq!(Money::parse(text).unwrap().to_string(), text);
            assert!(pattern.is_match(text).unwrap(), "{text}");
        }
        for text in [
            "",
            "-",
            ".50",
            "10",
            "10.0",
            "10.000",
            "+1.00",
            "01.00",
            "1e2",
            "1,00",
            " 1.00",
            "1_0.00",
            "--1.00",
            "1234567890123456789.00",
        ] {
            assert_eq!(Money::parse(text), Err(MoneyError::BadFormat), "{text}");
            assert!(!pattern.is_match(text).unwrap(), "{text}");
        }
    }
}
