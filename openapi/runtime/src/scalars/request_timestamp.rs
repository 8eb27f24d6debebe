//! Instants of requests, in any form of RFC 3339: typed clients of other languages write `+00:00`,
//! no milliseconds, or seven digits.

use chrono::{DateTime, Datelike, Timelike, Utc};

use super::timestamp::Timestamp;
use crate::{problem::IssueCode, string_scalar, written_as};

const FRACTION_DIGITS: usize = 9;
const LAST_YEAR: i32 = 9_999;
const NANOSECONDS_PER_SECOND: u32 = 1_000_000_000;
const LAST_MILLISECOND: u32 = 999_000_000;

/// An instant that a request names, rounded down to the millisecond; written like a [`Timestamp`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RequestTimestamp(Timestamp);

/// The text is not an instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "must be an instant of RFC 3339 with `Z` or an offset, such as \"2026-05-20T09:30:00.000Z\""
)]
pub struct RequestTimestampError;

impl RequestTimestamp {
    /// Reads an instant with `Z` or an offset, and up to nine fraction digits. A leap second counts
    /// to the last millisecond of the second before, because PostgreSQL cannot store it.
    pub fn parse(text: &str) -> Result<Self, RequestTimestampError> {
        let has_t = text.as_bytes().get(10).is_some_and(|byte| byte.eq_ignore_ascii_case(&b'T'));
        let fraction = text.split_once('.').map_or("", |(_, fraction)| fraction);
        let digits = fraction.bytes().take_while(u8::is_ascii_digit).count();
        if !has_t || digits > FRACTION_DIGITS {
            return Err(RequestTimestampError);
        }
        let instant = DateTime::parse_from_rfc3339(text).map_err(|_| RequestTimestampError)?;
        let instant = without_leap_second(instant.to_utc()).ok_or(RequestTimestampError)?;
        if !(0..=LAST_YEAR).contains(&instant.year()) {
            return Err(RequestTimestampError);
        }
        Ok(Self(Timestamp::new(instant)))
    }

    pub const fn get(self) -> DateTime<Utc> {
        self.0.get()
    }
}

impl From<RequestTimestamp> for DateTime<Utc> {
    fn from(instant: RequestTimestamp) -> Self {
        instant.get()
    }
}

/// Leap seconds are at the end of a day in UTC.
fn without_leap_second(instant: DateTime<Utc>) -> Option<DateTime<Utc>> {
    if instant.nanosecond() < NANOSECONDS_PER_SECOND {
        return Some(instant);
    }
    let is_end_of_day = (instant.hour(), instant.minute()) == (23, 59);
    is_end_of_day.then(|| instant.with_nanosecond(LAST_MILLISECOND)).flatten()
}

written_as!(RequestTimestamp, |it| it.0);
string_scalar!(RequestTimestamp, |text| {
    Self::parse(text).map_err(|error| (IssueCode::BadFormat, error.to_string()))
});
