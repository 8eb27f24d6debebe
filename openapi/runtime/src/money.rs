//! Exact amounts. Amounts are never rounded: a third fraction digit is an error.

use std::fmt;

use rust_decimal::Decimal;
use serde::{Serialize, Serializer};

use crate::{problem::IssueCode, string_scalar};

const FRACTION_DIGITS: u32 = 2;

/// The length of the longest sum in bytes.
const PRINTED_LENGTH: usize = "-".len() + MoneySum::INTEGER_DIGITS + ".00".len();

/// An amount of some currency with two fraction digits, printed as `1234.50`; negative for a
/// claw-back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Money(Decimal);

/// A sum of amounts, printed like one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MoneySum(Decimal);

/// Why a number or a text is not an amount.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MoneyError {
    /// The number would have to be rounded.
    #[error("an amount has at most two fraction digits")]
    TooPrecise,
    /// The number is larger than the contract can carry.
    #[error("the amount has more than {0} digits before the point")]
    TooLarge(usize),
    /// The text is zero with a sign.
    #[error("must be \"0.00\": zero has no sign")]
    NegativeZero,
    /// The text is not written as the contract requires.
    #[error("must be an amount with exactly two fraction digits, such as \"1234.50\"")]
    BadFormat,
}

/// Implements an amount with up to `$digits` digits before the point.
macro_rules! amount {
    ($name:ident, $digits:literal) => {
        impl $name {
            /// The most digits before the point.
            pub const INTEGER_DIGITS: usize = $digits;

            /// Wraps an exact amount.
            pub fn new(amount: Decimal) -> Result<Self, MoneyError> {
                exact(amount, $digits).map(Self)
            }

            /// Reads an amount as the contract writes it: no plus sign, no leading zero, two
            /// fraction digits, and no minus sign before zero.
            pub fn parse(text: &str) -> Result<Self, MoneyError> {
                read(text, $digits).map(Self)
            }

            /// The exact number, with a scale of two.
            pub const fn get(self) -> Decimal {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.pad(print(self.0, &mut [0; PRINTED_LENGTH]))
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(print(self.0, &mut [0; PRINTED_LENGTH]))
            }
        }

        string_scalar!($name, |text| {
            Self::parse(text).map_err(|error| (IssueCode::BadFormat, error.to_string()))
        });
    };
}

// NUMERIC(20,2) and NUMERIC(28,2), which a `Decimal` holds too.
amount!(Money, 18);
amount!(MoneySum, 26);

fn exact(amount: Decimal, integer_digits: u32) -> Result<Decimal, MoneyError> {
    // Those of the database have the scale already.
    let mut amount = if amount.scale() > FRACTION_DIGITS { amount.normalize() } else { amount };
    if amount.scale() > FRACTION_DIGITS {
        return Err(MoneyError::TooPrecise);
    }
    if amount.abs() >= Decimal::from_i128_with_scale(10_i128.pow(integer_digits), 0) {
        return Err(MoneyError::TooLarge(integer_digits as usize));
    }
    amount.rescale(FRACTION_DIGITS);
    amount.set_sign_positive(amount.is_zero() || amount.is_sign_positive());
    Ok(amount)
}

fn read(text: &str, integer_digits: u32) -> Result<Decimal, MoneyError> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = digits.split_once('.').ok_or(MoneyError::BadFormat)?;
    let all_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let whole_is_plain = whole == "0" || (!whole.is_empty() && !whole.starts_with('0'));
    let fits = whole.len() <= integer_digits as usize && fraction.len() == 2;
    if !whole_is_plain || !fits || !all_digits(whole) || !all_digits(fraction) {
        return Err(MoneyError::BadFormat);
    }
    let amount = Decimal::from_str_exact(text).map_err(|_| MoneyError::BadFormat)?;
    if amount.is_zero() && text.starts_with('-') {
        return Err(MoneyError::NegativeZero);
    }
    exact(amount, integer_digits)
}

/// Prints like `Decimal`, which divides 96 bits for each digit: a page of a list has hundreds of
/// amounts.
fn print(amount: Decimal, space: &mut [u8; PRINTED_LENGTH]) -> &str {
    let hundredths = amount.mantissa().unsigned_abs();
    let fraction = (hundredths % 100) as u8;
    let mut start = space.len();
    let mut prepend = |character| {
        start -= 1;
        space[start] = character;
    };
    for character in [b'0' + fraction % 10, b'0' + fraction / 10, b'.'] {
        prepend(character);
    }
    let mut whole = hundredths / 100;
    // Nearly every amount has 64 bits or fewer.
    let mut low = loop {
        match u64::try_from(whole) {
            Ok(low) => break low,
            Err(_) => {
                prepend(b'0' + (whole % 10) as u8);
                whole /= 10;
            }
        }
    };
    loop {
        prepend(b'0' + (low % 10) as u8);
        low /= 10;
        if low == 0 {
            break;
        }
    }
    if amount.is_sign_negative() {
        prepend(b'-');
    }
    str::from_utf8(&space[start..]).expect("ASCII")
}

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
            assert_eq!(MoneySum::new(amount).unwrap().to_string(), printed);
        }
    }

    #[test]
    fn money_is_never_rounded() {
        assert_eq!(Money::new(Decimal::new(12_345, 3)), Err(MoneyError::TooPrecise));
        assert_eq!(
            Money::new(Decimal::new(1_000_000_000_000_000_000, 0)),
            Err(MoneyError::TooLarge(18))
        );
        assert_eq!(
            MoneySum::new(Decimal::from_i128_with_scale(10_i128.pow(26), 0)),
            Err(MoneyError::TooLarge(26))
        );
    }
}
