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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_rfc_3339_is_read_and_rounded_down_to_the_millisecond() {
        for (text, expected) in [
            ("2026-05-20T09:30:00Z", "2026-05-20T09:30:00.000Z"),
            ("2026-05-20T09:30:00.000Z", "2026-05-20T09:30:00.000Z"),
            ("2026-05-20t09:30:00.5z", "2026-05-20T09:30:00.500Z"),
            ("2026-05-20T11:30:00+02:00", "2026-05-20T09:30:00.000Z"),
            ("2026-05-20T09:30:00-00:00", "2026-05-20T09:30:00.000Z"),
            ("2026-05-20T00:15:00.1234567-09:15", "2026-05-20T09:30:00.123Z"),
            ("2026-05-20T09:30:00.999999999Z", "2026-05-20T09:30:00.999Z"),
            ("1969-12-31T23:59:59.9999Z", "1969-12-31T23:59:59.999Z"),
            ("2016-12-31T23:59:60Z", "2016-12-31T23:59:59.999Z"),
            ("2017-01-01T00:59:60.5+01:00", "2016-12-31T23:59:59.999Z"),
        ] {
            assert_eq!(RequestTimestamp::parse(text).unwrap().to_string(), expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_date_time_of_rfc_3339_is_rejected() {
        for text in [
            "",
            "2026-05-20",
            "2026-05-20T09:30:00",
            "2026-05-20 09:30:00Z",
            "2026-05-20T09:30Z",
            "2026-05-20T09:30:00,5Z",
            "2026-05-20T09:30:00.Z",
            "2026-05-20T09:30:00.1234567890Z",
            "2026-05-20T09:30:00+0200",
            "2026-05-20T09:30:00+24:00",
            "2026-05-20T12:30:60Z",
            "2026-05-20T24:00:00Z",
            "2026-02-30T09:30:00Z",
            "2026-5-20T09:30:00Z",
            "+2026-05-20T09:30:00Z",
            "12026-05-20T09:30:00Z",
            "0000-01-01T00:00:00+01:00",
            " 2026-05-20T09:30:00Z",
            "2026-05-20T09:30:00Z ",
        ] {
            assert_eq!(RequestTimestamp::parse(text), Err(RequestTimestampError), "{text}");
        }
    }
}
