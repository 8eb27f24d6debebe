//! Instants, in one format: `YYYY-MM-DDTHH:MM:SS.mmmZ`.

use std::fmt;

use chrono::{DateTime, NaiveDateTime, SecondsFormat, SubsecRound, Utc};
use poem_openapi::registry::MetaSchema;

use crate::string_scalar;
use crate::{
    problem::IssueCode,
    reading::{FromText, Violation},
};

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
    #[must_use]
    pub fn new(instant: DateTime<Utc>) -> Self {
        Self(instant.trunc_subsecs(3))
    }

    /// Reads an instant as the contract writes it.
    ///
    /// # Errors
    /// The text is written in any other way, or names no instant.
    pub fn parse(text: &str) -> Result<Self, TimestampError> {
        let instant = NaiveDateTime::parse_from_str(text, FORMAT).map_err(|_| TimestampError)?;
        let timestamp = Self::new(instant.and_utc());
        // The parser is lenient about padding, and chrono has leap seconds, which PostgreSQL
        // cannot store.
        let exact = text.len() == PRINTED_LENGTH && timestamp.to_string() == text;
        let leap = timestamp.0.timestamp_subsec_millis() >= MILLISECONDS_PER_SECOND;
        if exact && !leap { Ok(timestamp) } else { Err(TimestampError) }
    }

    /// The instant.
    #[must_use]
    pub const fn get(self) -> DateTime<Utc> {
        self.0
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The same as `FORMAT`, without parsing it each time.
        formatter.write_str(&self.0.to_rfc3339_opts(SecondsFormat::Millis, true))
    }
}

impl FromText for Timestamp {
    fn from_text(text: &str) -> Result<Self, Violation> {
        Self::parse(text).map_err(|error| (IssueCode::BadFormat, error.to_string()))
    }
}

/// What every text that `parse` reads looks like, for the framework's document.
const PATTERN: &str = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z$";

fn schema() -> MetaSchema {
    let plain = MetaSchema::new_with_format("string", "date-time");
    MetaSchema { pattern: Some(PATTERN.to_owned()), ..plain }
}

string_scalar!(Timestamp, schema());

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamp_prints_milliseconds_and_z() {
        let instant = DateTime::from_timestamp(1_779_269_400, 1_999_999).unwrap();
        assert_eq!(Timestamp::new(instant).to_string(), "2026-05-20T09:30:00.001Z");
    }

    #[test]
    fn timestamp_reads_only_the_contracts_spelling() {
        let text = "2026-05-20T09:30:00.000Z";
        assert_eq!(Timestamp::parse(text).unwrap().to_string(), text);
        assert!(fancy_regex::Regex::new(PATTERN).unwrap().is_match(text).unwrap());
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
