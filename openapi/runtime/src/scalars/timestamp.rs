//! Instants, in one format: `YYYY-MM-DDTHH:MM:SS.mmmZ`.

use std::{fmt, ops::Range};

use chrono::{DateTime, Datelike, NaiveDateTime, SubsecRound, Timelike, Utc};
use serde::{Serialize, Serializer, ser::Error};

use crate::{problem::IssueCode, string_scalar};

const FORMAT: &str = "%Y-%m-%dT%H:%M:%S%.3fZ";

/// The length of `FORMAT` in bytes, for the years 0 to 9999.
const PRINTED_LENGTH: usize = 24;

const MILLISECONDS_PER_SECOND: u32 = 1_000;

/// An instant in UTC, exact to the millisecond.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Timestamp(DateTime<Utc>);

/// The text is not an instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be an instant in UTC with milliseconds, such as \"2026-05-20T09:30:00.000Z\"")]
pub struct TimestampError;

impl Timestamp {
    /// Wraps an instant, cut to milliseconds, so that the printed value equals the stored one.
    pub fn new(instant: DateTime<Utc>) -> Self {
        Self(instant.trunc_subsecs(3))
    }

    /// Reads an instant as the contract writes it.
    pub fn parse(text: &str) -> Result<Self, TimestampError> {
        let instant = NaiveDateTime::parse_from_str(text, FORMAT).map_err(|_| TimestampError)?;
        let timestamp = Self::new(instant.and_utc());
        // The parser is lenient about padding, and chrono has leap seconds, which PostgreSQL
        // cannot store.
        let exact = text.len() == PRINTED_LENGTH && timestamp.to_string() == text;
        let leap = timestamp.0.timestamp_subsec_millis() >= MILLISECONDS_PER_SECOND;
        if exact && !leap { Ok(timestamp) } else { Err(TimestampError) }
    }

    pub const fn get(self) -> DateTime<Utc> {
        self.0
    }

    /// As `FORMAT`, in a third of the time: a page of a list has hundreds of these. `None` for
    /// years that do not have four digits.
    fn printed(self) -> Option<[u8; PRINTED_LENGTH]> {
        let year = u32::try_from(self.0.year()).ok().filter(|year| *year <= 9_999)?;
        let mut text = *b"0000-00-00T00:00:00.000Z";
        let mut print = |digits: Range<usize>, mut number: u32| {
            for digit in text[digits].iter_mut().rev() {
                *digit = b'0' + (number % 10) as u8;
                number /= 10;
            }
        };
        print(0..4, year);
        print(5..7, self.0.month());
        print(8..10, self.0.day());
        print(11..13, self.0.hour());
        print(14..16, self.0.minute());
        print(17..19, self.0.second());
        print(20..23, self.0.timestamp_subsec_millis());
        Some(text)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.printed() {
            Some(text) => formatter.write_str(str::from_utf8(&text).map_err(|_| fmt::Error)?),
            None => self.0.format(FORMAT).fmt(formatter),
        }
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.printed() {
            Some(text) => serializer.serialize_str(str::from_utf8(&text).map_err(Error::custom)?),
            None => serializer.collect_str(self),
        }
    }
}

string_scalar!(Timestamp, |text| {
    Self::parse(text).map_err(|error| (IssueCode::BadFormat, error.to_string()))
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamp_prints_milliseconds_and_z() {
        let instant = DateTime::from_timestamp(1_779_269_400, 1_999_999).unwrap();
        assert_eq!(Timestamp::new(instant).to_string(), "2026-05-20T09:30:00.001Z");
    }

    #[test]
    fn timestamp_is_printed_in_its_format() {
        for seconds in [-62_167_219_200, -1, 0, 951_782_399, 253_402_300_799, 253_402_300_800] {
            let instant = DateTime::from_timestamp(seconds, 987_000_000).unwrap();
            let expected = instant.format(FORMAT).to_string();
            assert_eq!(Timestamp::new(instant).to_string(), expected);
            assert_eq!(serde_json::to_value(Timestamp::new(instant)).unwrap(), expected);
        }
    }
}
