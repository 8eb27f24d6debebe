//! Instants in UTC, to the millisecond. A time without an offset is an error, because it is
//! ambiguous. (§2.1, V2)

use std::{fmt, str::FromStr};

use chrono::{DateTime, SecondsFormat, SubsecRound, Utc};
use serde::{Deserialize, Serialize};

use crate::InvalidValue;

/// The fraction digits of a second.
const FRACTION_DIGITS: u16 = 3;

/// An instant in UTC, to the millisecond; written as `2026-05-20T09:30:00.000Z`.
///
/// [`Timestamp::value`] returns the [`DateTime`] to calculate with; `Timestamp::from` converts one
/// back.
///
/// ```
/// use payout_client::Timestamp;
///
/// # fn main() -> Result<(), payout_client::InvalidValue> {
/// let end: Timestamp = "2026-05-20T11:30:00+02:00".parse()?;
/// assert_eq!(end.to_string(), "2026-05-20T09:30:00.000Z");
/// assert_eq!(Timestamp::from(end.value()), end);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Timestamp(DateTime<Utc>);

impl Timestamp {
    /// The instant, to calculate with.
    #[must_use]
    pub const fn value(self) -> DateTime<Utc> {
        self.0
    }
}

impl FromStr for Timestamp {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        DateTime::parse_from_rfc3339(text).map(|instant| Self::from(instant.to_utc())).map_err(
            |_| {
                InvalidValue::new(format!(
                    "`{text}` is not an instant: \
                     write date, time and offset, like `2026-05-20T09:30:00.000Z`"
                ))
            },
        )
    }
}

openapi_client::try_from_texts!(Timestamp: &str, String, &String);

/// Truncates to milliseconds.
impl From<DateTime<Utc>> for Timestamp {
    fn from(instant: DateTime<Utc>) -> Self {
        Self(instant.trunc_subsecs(FRACTION_DIGITS))
    }
}

impl From<Timestamp> for DateTime<Utc> {
    fn from(timestamp: Timestamp) -> Self {
        timestamp.0
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&self.0.to_rfc3339_opts(SecondsFormat::Millis, true))
    }
}

#[cfg(test)]
mod tests {
    use super::Timestamp;

    #[test]
    fn instants_read_and_write_with_milliseconds_in_utc() {
        let text = "\"2026-05-31T23:59:59.999Z\"";
        let instant: Timestamp = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&instant).unwrap(), text);
    }

    #[test]
    fn time_without_offset_is_an_error() {
        assert!("2026-05-20T09:30:00.000".parse::<Timestamp>().is_err());
    }
}
