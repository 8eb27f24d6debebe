//! Amounts from Postgres, read without arithmetic on decimals: sqlx's own conversion takes a tenth
//! of a list's time.

use rust_decimal::Decimal;
use sqlx::{
    Decode, Postgres, Type,
    error::BoxDynError,
    postgres::{PgTypeInfo, PgValueFormat, PgValueRef},
};

const FRACTION_DIGITS: u32 = 2;
/// Postgres writes numbers to the base 10,000; a sum has at most 26 digits before the point.
const MAX_WHOLE_PLACES: i16 = 7;
const NEGATIVE: i16 = 0x4000;

/// A value of `NUMERIC(28, 2)`, or of a narrower one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Amount(Decimal);

impl From<Amount> for Decimal {
    fn from(amount: Amount) -> Self {
        amount.0
    }
}

impl Type<Postgres> for Amount {
    fn type_info() -> PgTypeInfo {
        <Decimal as Type<Postgres>>::type_info()
    }
}

impl<'r> Decode<'r, Postgres> for Amount {
    fn decode(value: PgValueRef<'r>) -> Result<Self, BoxDynError> {
        let hundredths = match value.format() {
            PgValueFormat::Binary => hundredths(value.as_bytes()?),
            PgValueFormat::Text => None,
        };
        match hundredths {
            Some(number) => Ok(Self(Decimal::try_from_i128_with_scale(number, FRACTION_DIGITS)?)),
            None => Decimal::decode(value).map(Self),
        }
    }
}

/// Reads Postgres's binary format: the number of places, the weight of the first, the sign, the
/// scale, and the places. `None` for what is not an amount.
fn hundredths(bytes: &[u8]) -> Option<i128> {
    let mut words = bytes.chunks_exact(2).map(|word| i16::from_be_bytes([word[0], word[1]]));
    let (count, weight, sign, _) = (words.next()?, words.next()?, words.next()?, words.next()?);
    let whole_places = if count == 0 { 0 } else { weight.saturating_add(1) };
    if !(0..=MAX_WHOLE_PLACES).contains(&whole_places) {
        return None;
    }
    // Postgres leaves out zeros at the end.
    let mut place = || i128::from(words.next().unwrap_or(0));
    let whole = (0..whole_places).fold(0, |number, _| number * 10_000 + place());
    let fraction = place();
    if fraction % 100 != 0 || words.next().is_some() {
        return None;
    }
    let number = whole * 100 + fraction / 100;
    match sign {
        0 => Some(number),
        NEGATIVE => Some(-number),
        _ => None,
    }
}
