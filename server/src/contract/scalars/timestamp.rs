//! Instants (V2).
//!
//! It refuses every spelling but `YYYY-MM-DDTHH:MM:SS.mmmZ`: no offset, no missing milliseconds.

use std::fmt;

use chrono::{DateTime, NaiveDateTime, SecondsFormat, SubsecRound, Utc};
use poem_openapi::{
    registry::MetaSchema,
    types::{ParseError, ParseFromJSON, ParseFromParameter, ParseResult, ToJSON},
};
use serde_json::Value;

use super::named_schema;

const FORMAT: &str = "%Y-%m-%dT%H:%M:%S%.3fZ";

/// `FORMAT` always prints so many bytes for the years 0 to 9999.
const PRINTED_LENGTH: usize = 24;

const MILLISECONDS_PER_SECOND: u32 = 1_000;

/// An instant in UTC, exact to the millisecond.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Timestamp(DateTime<Utc>);

/// A text that is no instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be an instant in UTC with milliseconds, such as \"2026-05-20T09:30:00.000Z\"")]
pub struct TimestampError;

impl Timestamp {
    /// Wraps an instant; what is finer than a millisecond is cut off, so that what is printed is what is held.
    #[must_use]
    pub fn new(instant: DateTime<Utc>) -> Self {
        Self(instant.trunc_subsecs(3))
    }

    /// Reads an instant as the contract writes it.
    ///
    /// # Errors
    /// When it is written in any other way, or names no instant.
    pub fn parse(text: &str) -> Result<Self, TimestampError> {
        let instant = NaiveDateTime::parse_from_str(text, FORMAT).map_err(|_| TimestampError)?;
        let timestamp = Self::new(instant.and_utc());
        // The parser is lenient about padding, and chrono knows leap seconds, which Postgres cannot store.
        let exact = text.len() == PRINTED_LENGTH && timestamp.to_string() == text;
        let leap = timestamp.0.timestamp_subsec_millis() >= MILLISECONDS_PER_SECOND;
        if exact && !leap {
            Ok(timestamp)
        } else {
            Err(TimestampError)
        }
    }

    /// The instant.
    #[must_use]
    pub const fn get(self) -> DateTime<Utc> {
        self.0
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // As `FORMAT` says, without reading it again each time.
        formatter.write_str(&self.0.to_rfc3339_opts(SecondsFormat::Millis, true))
    }
}

impl From<DateTime<Utc>> for Timestamp {
    fn from(instant: DateTime<Utc>) -> Self {
        Self::new(instant)
    }
}

impl ParseFromJSON for Timestamp {
    fn parse_from_json(value: Option<Value>) -> ParseResult<Self> {
        match value {
            Some(Value::String(text)) => Self::parse(&text).map_err(ParseError::custom),
            other => Err(ParseError::expected_type(other.unwrap_or_default())),
        }
    }
}

impl ParseFromParameter for Timestamp {
    fn parse_from_parameter(value: &str) -> ParseResult<Self> {
        Self::parse(value).map_err(ParseError::custom)
    }
}

impl ToJSON for Timestamp {
    fn to_json(&self) -> Option<Value> {
        Some(Value::String(self.to_string()))
    }
}

named_schema!(
    Timestamp,
    MetaSchema::new_with_format("string", "date-time")
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamp_prints_milliseconds_and_z() {
        let instant = DateTime::from_timestamp(1_779_269_400, 1_999_999).unwrap();
        assert_eq!(
            Timestamp::new(instant).to_string(),
            "2026-05-20T09:30:00.001Z"
        );
    }

    #[test]
    fn timestamp_reads_only_the_contracts_spelling() {
        let text = "2026-05-20T09:30:00.000Z";
        assert_eq!(Timestamp::parse(text).unwrap().to_string(), text);
        for text in [
            "2026-05-20T09:30:00Z",
            "2026-05-20T09:30:00.000+00:00",
            "2026-05-20T09:30:00.0000Z",
            "2026-02-30T09:30:00.000Z",
            "2026-5-20T09:30:00.000Z",
            "2026-05-20 09:30:00.000Z",
            "2026-06-30T23:59:60.000Z",
            "",
        ] {
            assert_eq!(Timestamp::parse(text), Err(TimestampError), "{text}");
        }
    }
}
