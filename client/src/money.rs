//! Exact amounts of money. (§2.2, V3)
//!
//! There is one way to write an amount. A JSON number is an error, because it may have been a
//! float.

use std::{fmt, str::FromStr};

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use crate::InvalidValue;

/// The most digits before the point: those of a payout's sum. A line has 18 at most.
const INTEGER_DIGITS: usize = 26;
/// The digits after the point.
const FRACTION_DIGITS: u32 = 2;

/// An exact amount with two fraction digits, negative for a claw-back. The currency is a field of
/// its own. A sum has up to 26 digits before the point; the server takes up to 18 of a line.
///
/// [`Money::value`] returns the [`Decimal`] to calculate with; [`Money::try_from`] converts the
/// result back.
///
/// ```
/// use payout_client::{Decimal, Money};
///
/// # fn main() -> Result<(), payout_client::InvalidValue> {
/// let amounts: [Money; 2] = ["90071992547409.93".parse()?, "-0.03".parse()?];
/// let sum: Decimal = amounts.iter().map(|amount| amount.value()).sum();
/// assert_eq!(Money::try_from(sum)?.to_string(), "90071992547409.90");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Money(Decimal);

impl Money {
    /// The amount, to calculate with.
    #[must_use]
    pub const fn value(self) -> Decimal {
        self.0
    }
}

fn invalid(value: impl fmt::Display) -> InvalidValue {
    InvalidValue::new(format!(
        "`{value}` is not an amount: write up to 26 digits, a point and two digits, like `-1234.50`"
    ))
}

impl FromStr for Money {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let unsigned = text.strip_prefix('-').unwrap_or(text);
        let (integer, fraction) = unsigned.split_once('.').ok_or_else(|| invalid(text))?;
        let all_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        let well_formed = (1..=INTEGER_DIGITS).contains(&integer.len())
            && (integer == "0" || !integer.starts_with('0'))
            && fraction.len() == FRACTION_DIGITS as usize
            && all_digits(integer)
            && all_digits(fraction)
            && text != "-0.00";
        match Decimal::from_str_exact(text) {
            Ok(value) if well_formed => Ok(Self(value)),
            _ => Err(invalid(text)),
        }
    }
}

openapi_client::try_from_texts!(Money: &str, String, &String);

/// Nothing is rounded: a value with more than two fraction digits is an error.
impl TryFrom<Decimal> for Money {
    type Error = InvalidValue;

    fn try_from(value: Decimal) -> Result<Self, Self::Error> {
        let mut scaled = value;
        scaled.rescale(FRACTION_DIGITS);
        // Zero has a sign in a `Decimal`.
        scaled.set_sign_positive(scaled.is_zero() || scaled.is_sign_positive());
        if scaled == value { scaled.to_string().parse() } else { Err(invalid(value)) }
    }
}

impl From<Money> for Decimal {
    fn from(money: Money) -> Self {
        money.0
    }
}

impl fmt::Display for Money {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&format!("{:.2}", self.0))
    }
}

#[cfg(test)]
mod tests {
    use rust_decimal::Decimal;

    use super::Money;

    #[test]
    fn amounts_beyond_what_a_float_holds_stay_exact() {
        for text in
            ["90071992547409.93", "-99999999999999999999999999.99", "0.00", "10.00", "-0.01"]
        {
            let money: Money = serde_json::from_str(&format!("\"{text}\"")).unwrap();
            assert_eq!(money.to_string(), text);
            assert_eq!(serde_json::to_string(&money).unwrap(), format!("\"{text}\""));
        }
    }

    #[test]
    fn every_other_way_to_write_an_amount_is_an_error() {
        for text in [
            "10",
            "10.0",
            "10.000",
            "010.00",
            "+1.00",
            ".50",
            "1_0.00",
            "1e2",
            "",
            "-0.00",
            "100000000000000000000000000.00",
        ] {
            assert!(text.parse::<Money>().is_err(), "{text}");
        }
        assert!(serde_json::from_str::<Money>("10.00").is_err(), "a JSON number");
    }

    #[test]
    fn decimals_convert_unless_they_would_be_rounded() {
        assert_eq!(Money::try_from(Decimal::new(5, 1)).unwrap().to_string(), "0.50");
        assert!(Money::try_from(Decimal::new(1005, 3)).is_err());
        assert!(Money::try_from(Decimal::MAX).is_err());
    }
}
